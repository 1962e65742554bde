import type { Clock } from '../../core/clock.ts'
import type { Limit } from '../shared/index.ts'

/** Rest of a caller's limit. */
export interface RateLimitStatus {
  readonly limit: number
  readonly remaining: number
  /** Time at which the oldest counted request leaves the window, in milliseconds. */
  readonly reset: number
  /** True if this request was too many; it is not counted then. */
  readonly exceeded: boolean
}

/** Counts the requests of callers; one that has to ask another process first promises its answer. */
export interface RequestLimiter {
  /** Counts one request of a caller. */
  take(caller: string): RateLimitStatus | Promise<RateLimitStatus>
  /** True if a caller has none left, without counting anything. */
  isExhausted(caller: string): boolean
}

/** Requests that are counted before they come: how many, and how the caller stands then. */
export interface Lease {
  readonly granted: number
  readonly remaining: number
  readonly reset: number
}

/** Beyond so many callers, the least recent are forgotten. */
const MAX_CALLERS = 50_000

/** Counts the requests of each caller within a sliding window, in memory. */
export class RateLimiter implements RequestLimiter {
  /** The times of each caller's requests, oldest first; the most recent caller comes last. */
  readonly #requestTimes = new Map<string, number[]>()

  constructor(
    private readonly clock: Clock,
    private readonly limit: Limit,
  ) {}

  /** Counts one request of a caller. */
  take(caller: string): RateLimitStatus {
    const { granted, ...status } = this.lease(caller, 1)
    return { limit: this.limit.count, ...status, exceeded: granted === 0 }
  }

  /** Counts several requests of a caller, as far as it has them left. */
  lease(caller: string, wanted: number): Lease {
    const { count, window } = this.limit
    const now = this.clock.monotonic()
    const times = this.#removeRecent(caller, now - window)
    const granted = Math.max(0, Math.min(wanted, count - times.length))
    for (let each = 0; each < granted; each++) times.push(now)
    this.#requestTimes.set(caller, times)
    this.#forgetOldest(now - window)
    const wait = (times[0] ?? now) + window - now
    return { granted, remaining: count - times.length, reset: this.clock.now() + wait }
  }

  /** Takes back the newest requests of a caller, which were counted and never came. */
  giveBack(caller: string, count: number): void {
    const times = this.#requestTimes.get(caller)
    times?.splice(Math.max(0, times.length - count))
  }

  /** True if a caller has none left, without counting anything. */
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
