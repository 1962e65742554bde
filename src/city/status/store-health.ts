import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { StoreFailure } from '../../core/store.ts'

/** Whether the store of a city works, and since when not. */
export class StoreHealth implements AttentionSource {
  readonly name = 'store'
  #problem: { reason: string; at: number } | undefined

  constructor(private readonly clock: Clock) {}

  fail({ reason }: StoreFailure): void {
    this.#problem = { reason, at: this.clock.now() }
  }

  items(): AttentionEntry[] {
    if (!this.#problem) return []
    const { reason, at } = this.#problem
    const to_do = 'see to its disk, then gc register its folder'
    return [{ id: 'store:city', kind: 'store', since: toTimestamp(at), asks: reason, to_do }]
  }

  /** A store that failed is listed until its city is opened again, and takes no event about it. */
  onChange(): () => void {
    return () => {}
  }

  /** Why it takes no more writes; undefined while it does. */
  get problem(): { reason: string; at: number } | undefined {
    return this.#problem
  }
}
