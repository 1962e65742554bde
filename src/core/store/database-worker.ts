/** The result of a checkpoint: how many frames the write-ahead log holds, and how many of them were copied. */
export interface CheckpointResult {
  busy: number
  log: number
  checkpointed: number
}

/** The jobs of a worker. */
export type WorkerJob =
  | { kind: 'checkpoint'; path: string; mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE' }
  | { kind: 'waitForLock'; path: string }
  | { kind: 'backup'; path: string; to: string }
  | { kind: 'exportLines'; path: string; sql: string; params: number[]; to: string }
  | { kind: 'rows'; path: string; sql: string; params: (string | number)[] }
  | { kind: 'compact'; path: string }
  | { kind: 'close'; path: string }
  | { kind: 'exit' }

export interface WorkerRequest {
  id: number
  job: WorkerJob
}

export interface WorkerResponse {
  id: number
  value?: unknown
  error?: string
}

/** Worker programs that a compiled binary must carry: further entry points of the build, from the root of the source. */
export const WORKERS = ['src/core/store/database.worker.ts'] as const

/** In a bundle, workers are found by their path in the source; otherwise beside this module. */
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${WORKERS[0]}` : './database.worker.ts', import.meta.url)
}

interface PendingJob {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** A worker thread with SQLite connections of its own, for work that would block the event loop. It starts with its first job. */
export class DatabaseWorker {
  #worker: Worker | undefined
  #pending = new Map<number, PendingJob>()
  #lastId = 0

  checkpoint(path: string, mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): Promise<CheckpointResult> {
    return this.#run<CheckpointResult>({ kind: 'checkpoint', path, mode })
  }

  /** Resolves when no other program holds the write lock of the database; rejects after five seconds. */
  waitForLock(path: string): Promise<void> {
    return this.#run({ kind: 'waitForLock', path })
  }

  backup(path: string, to: string): Promise<void> {
    return this.#run({ kind: 'backup', path, to })
  }

  /** Returns unused pages to the disk, a few at a time, and empties the write-ahead log. */
  compact(path: string): Promise<void> {
    return this.#run({ kind: 'compact', path })
  }

  /** Writes the column `line` of a query's rows to a gzip file, which appears complete or not at all. */
  exportLines(path: string, sql: string, params: number[], to: string): Promise<void> {
    return this.#run({ kind: 'exportLines', path, sql, params, to })
  }

  /** The rows of a query that would block the event loop. */
  rows<Row>(path: string, sql: string, params: (string | number)[]): Promise<Row[]> {
    return this.#run({ kind: 'rows', path, sql, params })
  }

  /** Closes its connection to a database, if it has one. */
  async close(path: string): Promise<void> {
    if (this.#worker) await this.#run({ kind: 'close', path })
  }

  /** Closes its connections and ends its thread. */
  async end(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    await this.#run({ kind: 'exit' }).catch(() => {})
    worker.terminate()
    this.#fail(new Error('the worker was stopped'))
  }

  #run<T>(job: WorkerJob): Promise<T> {
    const worker = this.#start()
    const id = ++this.#lastId
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve: (value) => resolve(value as T), reject })
      worker.ref()
      worker.postMessage({ id, job } satisfies WorkerRequest)
    })
  }

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(workerUrl())
    worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => this.#settle(data)
    worker.onerror = (event) => this.#fail(new Error(event.message))
    this.#worker = worker
    return worker
  }

  #settle({ id, value, error }: WorkerResponse): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#worker?.unref()
    if (error === undefined) pending?.resolve(value)
    else pending?.reject(new Error(error))
  }

  #fail(reason: Error): void {
    this.#worker = undefined
    for (const { reject } of this.#pending.values()) reject(reason)
    this.#pending.clear()
  }
}

/** Runs one long job in a worker of its own, so that the checkpoints of other databases do not wait for it. */
export async function withDatabaseWorker<T>(work: (worker: DatabaseWorker) => Promise<T>): Promise<T> {
  const worker = new DatabaseWorker()
  try {
    return await work(worker)
  } finally {
    await worker.end()
  }
}

let shared: { worker: DatabaseWorker; users: number } | undefined

/** The worker that all stores of the process share for their checkpoints; it ends when the last user releases it. */
export function acquireSharedWorker(): { worker: DatabaseWorker; release(): Promise<void> } {
  shared ??= { worker: new DatabaseWorker(), users: 0 }
  const acquired = shared
  acquired.users++
  return {
    worker: acquired.worker,
    async release() {
      if (--acquired.users > 0) return
      if (shared === acquired) shared = undefined
      await acquired.worker.end()
    },
  }
}
