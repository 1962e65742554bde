import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { Store, Tx } from '../../core/store/index.ts'

/** Rows with an expiry. */
interface Expiring {
  /** Deletes some of what has expired; returns whether there may be more. */
  deleteExpired(tx: Tx): boolean
}

const HOUR = 3_600_000

/** Deletes what has expired, once an hour: charges that no limit counts any more, texts that none is compared with. */
export class HourlyCleanup {
  #next: Deadline | undefined

  constructor(
    private readonly store: Store,
    private readonly expiring: readonly Expiring[],
    private readonly deadlines: Deadlines,
    private readonly report: (error: unknown) => void,
  ) {}

  start(): void {
    this.#next = this.deadlines.interval(HOUR, async () => {
      await this.#run().catch(this.report)
      if (this.#next) this.start()
    })
  }

  stop(): void {
    this.#next?.cancel()
    this.#next = undefined
  }

  async #run(): Promise<void> {
    for (const each of this.expiring) {
      for (let more = true; more; ) more = await this.store.write((tx) => each.deleteExpired(tx))
    }
  }
}
