import type { LogReader } from '../../../programs/logs/index.ts'

/** A log with several readers: a refresh that is requested during another one starts after it. */
export class SharedLog {
  #running: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined
  #closed = false

  constructor(readonly reader: LogReader) {}

  /** Reads what is new; true when anything changed. */
  refresh(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false)
    if (!this.#running) return this.#start()
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#start()
    })
    return this.#next
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#next
    await this.#running
    this.reader.close()
  }

  #start(): Promise<boolean> {
    const run = this.reader.refresh().catch(() => false)
    this.#running = run.finally(() => {
      this.#running = undefined
    })
    return this.#running
  }
}
