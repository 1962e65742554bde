import type { Clock } from '../../core/clock.ts'
import { Signal } from '../../core/signal.ts'

/** An account of a messenger whose adapter cannot be reached. */
export interface UnreachableAdapter {
  readonly provider: string
  readonly accountId: string
  readonly reason: string
  /** Since when, in milliseconds. */
  readonly since: number
}

const MAX = 100

/** Adapters that failed on the last message since the city was opened. */
export class AdapterHealth {
  readonly #unreachable = new Map<string, UnreachableAdapter>()
  readonly #changes = new Signal()

  constructor(private readonly clock: Clock) {}

  unreachable(): UnreachableAdapter[] {
    return [...this.#unreachable.values()]
  }

  failed(provider: string, accountId: string, reason: string): void {
    const key = keyOf(provider, accountId)
    const known = this.#unreachable.get(key)
    if (known?.reason === reason || (!known && this.#unreachable.size >= MAX)) return
    this.#unreachable.set(key, { provider, accountId, reason, since: known?.since ?? this.clock.now() })
    this.#changed()
  }

  /** It answered, or it is registered again or no more: nothing is known against it. */
  answered(provider: string, accountId: string): void {
    if (this.#unreachable.delete(keyOf(provider, accountId))) this.#changed()
  }

  readonly onChange = this.#changes.listen

  #changed(): void {
    this.#changes.emit()
  }
}

const keyOf = (provider: string, accountId: string): string => `${provider} ${accountId}`
