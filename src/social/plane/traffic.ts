import type { Clock } from '../../core/clock.ts'
import type { Limit } from '../settings.ts'

/** How a caller stands with a limit. */
export interface Standing {
  readonly limit: number
  readonly remaining: number
  /** When there is room again for what was used up first, in milliseconds. */
  readonly reset: number
  /** Whether this one was too many; it is not counted then. */
  readonly over: boolean
}

/** The most callers that are remembered; beyond, those heard of least recently are forgotten. */
const MOST = 50_000

/** How many requests each caller made within the window; in memory, since a minute is soon over. */
export class Traffic {
  /** The moments of each caller's requests, oldest first; callers in the order in which they were last heard of. */
  readonly #moments = new Map<string, number[]>()

  constructor(
    private readonly clock: Clock,
    private readonly limit: Limit,
  ) {}

  /** Counts one request of a caller. */
  take(caller: string): Standing {
    const { count, window } = this.limit
    const now = this.clock.monotonic()
    const moments = this.#recent(caller, now - window)
    const over = moments.length >= count
    if (!over) moments.push(now)
    this.#moments.set(caller, moments)
    this.#forget(now - window)
    const wait = (moments[0] ?? now) + window - now
    return { limit: count, remaining: count - moments.length, reset: this.clock.now() + wait, over }
  }

  #recent(caller: string, since: number): number[] {
    const moments = this.#moments.get(caller)
    if (!moments) return []
    this.#moments.delete(caller)
    const first = moments.findIndex((at) => at > since)
    if (first < 0) return []
    if (first > 0) moments.splice(0, first)
    return moments
  }

  #forget(since: number): void {
    for (const [caller, moments] of this.#moments) {
      const last = moments.at(-1) ?? 0
      if (last > since && this.#moments.size <= MOST) return
      this.#moments.delete(caller)
    }
  }
}

/** What a response says of a limit. */
export const standingHeaders = ({ limit, remaining, reset }: Omit<Standing, 'over'>): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(reset / 1000)),
})
