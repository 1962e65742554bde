import type { PendingWrite } from './commit.ts'
import { AppError } from './errors.ts'

/** One long write that a thread makes through a connection of its own, while no other write runs. */
export interface WorkerWrite<Value> {
  /** Commits, or rejects with nothing written. `onProgress` is called now and then meanwhile. */
  run(onProgress: () => void): Promise<Value>
  /** Runs once the write is on disk, before any other write. */
  publish(value: Value): Promise<void>
}

/** A write of a thread that was accepted, with the promise of its caller. */
export interface PendingWorkerWrite extends WorkerWrite<unknown> {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The most writes that share one commit. */
const MAX_GROUP = 1024
/** How long a write may wait for one of a thread, in milliseconds. */
export const MAX_WAIT = 10_000

/** The writes of a store that wait for their turn, in the order in which they came. */
export class WriteQueue {
  #writes: { readonly write: PendingWrite; readonly since: number }[] = []
  #workerWrites: PendingWorkerWrite[] = []

  constructor(private readonly maxWait: number) {}

  push(write: PendingWrite): void {
    this.#writes.push({ write, since: performance.now() })
  }

  pushWorkerWrite(write: PendingWorkerWrite): void {
    this.#workerWrites.push(write)
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0 && this.#workerWrites.length === 0
  }

  takeWorkerWrite(): PendingWorkerWrite | undefined {
    return this.#workerWrites.shift()
  }

  /** As many writes as `run` runs of those that may share a commit; the others keep their place. */
  runGroup<Result>(run: (group: PendingWrite[]) => Result & { ran: number }): Result {
    const group = this.#writes.splice(0, MAX_GROUP)
    const result = run(group.map(({ write }) => write))
    this.#writes.unshift(...group.slice(result.ran))
    return result
  }

  /** Takes every write out of the queue. */
  takeAll(): (PendingWrite | PendingWorkerWrite)[] {
    return [...this.#writes.splice(0).map(({ write }) => write), ...this.#workerWrites.splice(0)]
  }

  /** Rejects the writes that have waited too long for one of a thread. */
  rejectOverdue(path: string): void {
    const message = `${path} is being written by an import that takes long; try again in a while`
    const busy = new AppError('store-unavailable', message, { headers: { 'retry-after': '5' } })
    for (const write of this.#takeOverdue()) write.reject(busy)
  }

  #takeOverdue(): PendingWrite[] {
    const latest = performance.now() - this.maxWait
    const first = this.#writes.findIndex(({ since }) => since > latest)
    return this.#writes.splice(0, first < 0 ? this.#writes.length : first).map(({ write }) => write)
  }
}
