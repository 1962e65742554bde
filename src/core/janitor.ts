/** What a checkpoint says of the write-ahead log: frames it holds, and how many of them the database has now. */
export interface Checkpointed {
  busy: number
  log: number
  checkpointed: number
}

export type Job =
  | { kind: 'checkpoint'; path: string; mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE' }
  | { kind: 'unlock'; path: string }
  | { kind: 'backup'; path: string; to: string }
  | { kind: 'lines'; path: string; sql: string; params: number[]; to: string }
  | { kind: 'rows'; path: string; sql: string; params: number[] }
  | { kind: 'compact'; path: string }
  | { kind: 'forget'; path: string }
  | { kind: 'quit' }

export interface Order {
  id: number
  job: Job
}

export interface Answer {
  id: number
  value?: unknown
  failed?: string
}

/** Worker programs that a compiled binary must carry: further entry points of the build, from the root of the source. */
export const WORKERS = ['src/core/janitor.worker.ts'] as const

/** A bundle is one file, so there its workers lie by their place in the source; else beside this module. */
const program = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${WORKERS[0]}` : './janitor.worker.ts', import.meta.url)
}

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** A thread with SQLite connections of its own, for work that would hold the loop. It starts with its first job. */
export class Janitor {
  #worker: Worker | undefined
  #pending = new Map<number, Pending>()
  #last = 0

  checkpoint(path: string, mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): Promise<Checkpointed> {
    return this.#order<Checkpointed>({ kind: 'checkpoint', path, mode })
  }

  /** Resolves when no other program holds the write lock of the database; rejects after five seconds. */
  unlock(path: string): Promise<void> {
    return this.#order({ kind: 'unlock', path })
  }

  backup(path: string, to: string): Promise<void> {
    return this.#order({ kind: 'backup', path, to })
  }

  /** Gives pages that nothing uses back to the disk, a few at a time, and empties the write-ahead log. */
  compact(path: string): Promise<void> {
    return this.#order({ kind: 'compact', path })
  }

  /** Writes the column `line` of a query's rows to a gzip file, which appears whole or not at all. */
  lines(path: string, sql: string, params: number[], to: string): Promise<void> {
    return this.#order({ kind: 'lines', path, sql, params, to })
  }

  /** The rows of a query that would hold the loop. */
  rows<Row>(path: string, sql: string, params: number[]): Promise<Row[]> {
    return this.#order({ kind: 'rows', path, sql, params })
  }

  /** Closes its connection to a database, if it has one. */
  async forget(path: string): Promise<void> {
    if (this.#worker) await this.#order({ kind: 'forget', path })
  }

  /** Closes its connections and ends its thread. */
  async end(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    await this.#order({ kind: 'quit' }).catch(() => {})
    worker.terminate()
    this.#lose(new Error('the worker was ended'))
  }

  #order<T>(job: Job): Promise<T> {
    const worker = this.#start()
    const id = ++this.#last
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve: (value) => resolve(value as T), reject })
      worker.ref()
      worker.postMessage({ id, job } satisfies Order)
    })
  }

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(program())
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#hear(data)
    worker.onerror = (event) => this.#lose(new Error(event.message))
    this.#worker = worker
    return worker
  }

  #hear({ id, value, failed }: Answer): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#worker?.unref()
    if (failed === undefined) pending?.resolve(value)
    else pending?.reject(new Error(failed))
  }

  #lose(reason: Error): void {
    this.#worker = undefined
    for (const { reject } of this.#pending.values()) reject(reason)
    this.#pending.clear()
  }
}

/** Does one long job in a thread of its own, so that the checkpoints of other databases do not wait for it. */
export async function alone<T>(work: (janitor: Janitor) => Promise<T>): Promise<T> {
  const janitor = new Janitor()
  try {
    return await work(janitor)
  } finally {
    await janitor.end()
  }
}

let shared: { janitor: Janitor; users: number } | undefined

/** The thread that all stores of the process share for their checkpoints; it ends when the last gave it back. */
export function borrowJanitor(): { janitor: Janitor; giveBack(): Promise<void> } {
  shared ??= { janitor: new Janitor(), users: 0 }
  const lent = shared
  lent.users++
  return {
    janitor: lent.janitor,
    async giveBack() {
      if (--lent.users > 0) return
      if (shared === lent) shared = undefined
      await lent.janitor.end()
    },
  }
}
