import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { Signal } from '../../core/signal.ts'
import type { StoreFailure, StoreTrouble } from '../../core/store/index.ts'

/** Reason the writes of a city fail, since when, and what to do about it. */
export interface StoreProblem {
  readonly reason: string
  readonly remedy: string
  readonly at: number
}

/** True if the store of a city works, and since when not. */
export class StoreHealth implements AttentionSource {
  readonly name = 'store'
  readonly #changed = new Signal()
  #failure: StoreProblem | undefined
  #trouble: StoreProblem | undefined

  constructor(private readonly clock: Clock) {}

  /** Records a failure, which lasts until the city is opened again. */
  fail({ reason }: StoreFailure): void {
    const remedy = 'see to its disk, then gc register its folder'
    this.#failure = { reason, remedy, at: this.clock.now() }
  }

  /** Records that writes fail for now, or that they succeed again. */
  setTrouble(trouble: StoreTrouble | undefined): void {
    this.#trouble = trouble && { ...trouble, at: this.#trouble?.at ?? this.clock.now() }
    this.#changed.emit()
  }

  items(): AttentionEntry[] {
    const problem = this.#failure ?? this.#trouble
    if (!problem) return []
    const { reason, remedy, at } = problem
    return [{ id: 'store:city', kind: 'store', since: toTimestamp(at), asks: reason, to_do: remedy }]
  }

  readonly onChange = this.#changed.listen

  /** Reason its writes fail, with what to do; undefined while they succeed. */
  get problem(): string | undefined {
    if (this.#failure) return this.#failure.reason
    return this.#trouble && `${this.#trouble.reason}; ${this.#trouble.remedy}`
  }
}
