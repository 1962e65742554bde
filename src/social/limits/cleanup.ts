import type { Deadline } from '../../core/deadlines.ts'
import type { Tx } from '../../core/store/index.ts'
import type { NetworkContext } from '../shared/index.ts'

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
    private readonly ctx: NetworkContext,
    private readonly expiring: readonly Expiring[],
  ) {}

  start(): void {
    this.#next = this.ctx.deadlines.interval(HOUR, async () => {
      await this.#run().catch(this.ctx.report)
      if (this.#next) this.start()
    })
  }

  stop(): void {
    this.#next?.cancel()
    this.#next = undefined
  }

  async #run(): Promise<void> {
    for (const each of this.expiring) {
      for (let more = true; more; ) more = await this.ctx.store.write((tx) => each.deleteExpired(tx))
    }
  }
}
