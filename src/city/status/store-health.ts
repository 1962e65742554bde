import type { Clock } from '../../core/clock.ts'
import type { StoreFailure } from '../../core/store.ts'

/** Whether the store of a city works, and since when not. */
export class StoreHealth {
  #problem: { reason: string; at: number } | undefined

  constructor(private readonly clock: Clock) {}

  fail({ reason }: StoreFailure): void {
    this.#problem = { reason, at: this.clock.now() }
  }

  /** Why it takes no more writes; undefined while it does. */
  get problem(): { reason: string; at: number } | undefined {
    return this.#problem
  }
}
