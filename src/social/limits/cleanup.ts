import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { Store } from '../../core/store.ts'
import type { Quotas } from './quotas.ts'

const HOUR = 3_600_000

/** Deletes charges that no limit counts any more, once an hour. */
export class QuotaCleanup {
  #next: Deadline | undefined

  constructor(
    private readonly store: Store,
    private readonly quotas: Quotas,
    private readonly deadlines: Deadlines,
    private readonly report: (error: unknown) => void,
  ) {}

  start(): void {
    this.#next = this.deadlines.after(HOUR, async () => {
      await this.#run().catch(this.report)
      if (this.#next) this.start()
    })
  }

  stop(): void {
    this.#next?.cancel()
    this.#next = undefined
  }

  async #run(): Promise<void> {
    for (let more = true; more; ) more = await this.store.write((tx) => this.quotas.deleteExpired(tx))
  }
}
