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

/** The times of a caller's requests, oldest first; those before `first` have left the window. */
interface RequestTimes {
  readonly times: number[]
  first: number
}

/** Counts the requests of each caller within a sliding window, in memory. */
export class RateLimiter implements RequestLimiter {
  /** By caller; the most recent comes last. */
  readonly #requests = new Map<string, RequestTimes>()

  constructor(
    private readonly clock: Clock,
    private readonly limit: Limit,
  ) {}

  /** Counts one request of a caller. */
  take(caller: string): RateLimitStatus {
    const { granted, remaining, reset } = this.lease(caller, 1)
    return { limit: this.limit.count, remaining, reset, exceeded: granted === 0 }
  }

  /** Counts several requests of a caller, as far as it has them left. */
  lease(caller: string, wanted: number): Lease {
    const { count, window } = this.limit
    const now = this.clock.monotonic()
    const requests = this.#removeRecent(caller, now - window)
    const { times, first } = requests
    const granted = Math.max(0, Math.min(wanted, count - (times.length - first)))
    for (let each = 0; each < granted; each++) times.push(now)
    this.#requests.set(caller, requests)
    this.#forgetOldest(now - window)
    const wait = (times[first] ?? now) + window - now
    return { granted, remaining: count - (times.length - first), reset: this.clock.now() + wait }
  }

  /** Takes back the newest requests of a caller, which were counted and never came. */
  giveBack(caller: string, count: number): void {
    const requests = this.#requests.get(caller)
    requests?.times.splice(Math.max(requests.first, requests.times.length - count))
  }

  /** True if a caller has none left, without counting anything. */
  isExhausted(caller: string): boolean {
    const since = this.clock.monotonic() - this.limit.window
    return (this.#requests.get(caller)?.times.at(-this.limit.count) ?? since) > since
  }

  /** Removes a caller and returns its requests since a time. */
  #removeRecent(caller: string, since: number): RequestTimes {
    const requests = this.#requests.get(caller)
    if (!requests) return { times: [], first: 0 }
    this.#requests.delete(caller)
    const { times } = requests
    while ((times[requests.first] ?? Number.POSITIVE_INFINITY) <= since) requests.first++
    // Removing moves all that follow: half of them are removed together.
    if (requests.first * 2 >= times.length) {
      times.splice(0, requests.first)
      requests.first = 0
    }
    return requests
  }

  #forgetOldest(since: number): void {
    for (const [caller, { times }] of this.#requests) {
      const last = times.at(-1) ?? 0
      if (last > since && this.#requests.size <= MAX_CALLERS) return
      this.#requests.delete(caller)
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
