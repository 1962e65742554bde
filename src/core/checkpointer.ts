import { acquireSharedWorker, type DatabaseWorker } from './database-worker.ts'
import type { Wal } from './wal.ts'
import type { WalPosition } from './wal-index.ts'

const CHECKPOINT_BYTES = 4 * 1024 * 1024
const RESTART_BYTES = 64 * 1024 * 1024

/**
 * Keeps a write-ahead log short: a worker copies its pages to the database as they arrive, and when a busy writer never
 * lets the log start over, writes (not the event loop) wait once until it can.
 */
export class Checkpointer {
  readonly #shared = acquireSharedWorker()
  readonly #checkpointAt: number
  #restartAt: number
  readonly #step: number
  #running: Promise<void> | undefined
  #salt = 0n
  #copied = 0

  constructor(
    private readonly path: string,
    private readonly wal: Wal,
    { checkpointAt = CHECKPOINT_BYTES, restartAt = RESTART_BYTES }: { checkpointAt?: number; restartAt?: number },
  ) {
    this.#checkpointAt = checkpointAt
    this.#restartAt = restartAt
    this.#step = restartAt
  }

  /** Checks how far the log reaches after a commit; resolves when the next group may write. */
  async afterCommit({ salt, bytes }: WalPosition): Promise<void> {
    if (this.#running || bytes < this.#checkpointAt) return
    if (salt !== this.#salt) this.#startOver(salt)
    if (bytes < Math.min(this.#copied + this.#checkpointAt, this.#restartAt)) return
    if (bytes >= this.#restartAt) return this.#restart(bytes)
    this.#running = this.#checkpoint(bytes).finally(() => {
      this.#running = undefined
    })
  }

  /** Copies a log that one write has made long to the database, and gives its space back to the disk. */
  async empty(): Promise<void> {
    await this.#running
    await this.#try('TRUNCATE')
  }

  /** Waits for a copy that is under way. */
  async settle(): Promise<void> {
    await this.#running
  }

  /** Waits for another program that is writing; false when it does not finish. */
  async waitForLock(): Promise<boolean> {
    return this.#worker.waitForLock(this.path).then(
      () => true,
      () => false,
    )
  }

  /** Copies the rest of the log if asked to, and closes the worker's connection. */
  async close(copyRest: boolean): Promise<void> {
    await this.#running
    if (copyRest && this.wal.size >= this.#checkpointAt) await this.#try('TRUNCATE')
    await this.#worker.close(this.path).catch(() => {})
    await this.#shared.release()
  }

  get #worker(): DatabaseWorker {
    return this.#shared.worker
  }

  #startOver(salt: bigint): void {
    this.#salt = salt
    this.#copied = 0
    this.#restartAt = this.#step
  }

  async #checkpoint(bytes: number): Promise<void> {
    const result = await this.#try('PASSIVE')
    if (!result || result.log <= 0) this.#copied = bytes
    else this.#copied = Math.floor((bytes * result.checkpointed) / result.log)
  }

  async #restart(bytes: number): Promise<void> {
    const result = await this.#try('RESTART')
    if (!result || result.busy) this.#restartAt = bytes + this.#step
  }

  #try(mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE') {
    return this.#worker.checkpoint(this.path, mode).catch(() => undefined)
  }
}
