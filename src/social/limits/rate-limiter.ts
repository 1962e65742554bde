import type { Clock } from '../../core/clock.ts'
import type { Limit } from '../shared/index.ts'

/** How much of a limit a caller has left. */
export interface RateLimitStatus {
  readonly limit: number
  readonly remaining: number
  /** When the oldest counted request leaves the window, in milliseconds. */
  readonly reset: number
  /** Whether this request was too many; it is not counted then. */
  readonly exceeded: boolean
}

/** Beyond so many callers, the least recent are forgotten. */
const MAX_CALLERS = 50_000

/** Counts the requests of each caller within a sliding window, in memory. */
export class RateLimiter {
  /** The times of each caller's requests, oldest first; the most recent caller comes last. */
  readonly #requestTimes = new Map<string, number[]>()

  constructor(
    private readonly clock: Clock,
    private readonly limit: Limit,
  ) {}

  /** Counts one request of a caller. */
  take(caller: string): RateLimitStatus {
    const { count, window } = this.limit
    const now = this.clock.monotonic()
    const times = this.#removeRecent(caller, now - window)
    const exceeded = times.length >= count
    if (!exceeded) times.push(now)
    this.#requestTimes.set(caller, times)
    this.#forgetOldest(now - window)
    const wait = (times[0] ?? now) + window - now
    return { limit: count, remaining: count - times.length, reset: this.clock.now() + wait, exceeded }
  }

  /** Whether a caller has none left, without counting anything. */
  isExhausted(caller: string): boolean {
    const since = this.clock.monotonic() - this.limit.window
    const times = this.#requestTimes.get(caller) ?? []
    return times.length >= this.limit.count && (times.at(-this.limit.count) ?? since) > since
  }

  /** Removes a caller and returns its requests since a time. */
  #removeRecent(caller: string, since: number): number[] {
    const times = this.#requestTimes.get(caller)
    if (!times) return []
    this.#requestTimes.delete(caller)
    const first = times.findIndex((time) => time > since)
    if (first < 0) return []
    if (first > 0) times.splice(0, first)
    return times
  }

  #forgetOldest(since: number): void {
    for (const [caller, times] of this.#requestTimes) {
      const last = times.at(-1) ?? 0
      if (last > since && this.#requestTimes.size <= MAX_CALLERS) return
      this.#requestTimes.delete(caller)
    }
  }
}

/** The `X-RateLimit-*` headers of a response. */
export const rateLimitHeaders = ({
  limit,
  remaining,
  reset,
}: Omit<RateLimitStatus, 'exceeded'>): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(reset / 1000)),
})
