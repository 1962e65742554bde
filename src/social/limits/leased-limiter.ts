import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { Limit } from '../shared/index.ts'
import type { Lease, RateLimitStatus, RequestLimiter } from './rate-limiter.ts'

/** The process that counts the requests of all. */
export interface LeaseSource {
  /** Counts several requests of a caller; `wanted` is called once, when the lease is asked for. */
  lease(caller: string, wanted: () => number): Promise<Lease>
  /** Takes back requests that never came. */
  giveBack(caller: string, count: number): void
}

/** Share of a limit that is leased together; one request for small limits, so that their headers are exact. */
const SHARE = 200
/** Time what was leased is kept for further requests, in milliseconds. */
const KEPT_MS = 1_000

interface HeldLease extends Lease {
  left: number
  readonly until: number
}

/** The requests of one caller that wait for the same lease. */
interface Waiting {
  readonly takers: ((status: RateLimitStatus) => void)[]
}

/** Counts requests in leases of the process that counts those of all. */
export class LeasedLimiter implements RequestLimiter {
  readonly #held = new Map<string, HeldLease>()
  readonly #waiting = new Map<string, Waiting>()
  readonly #size: number
  #isReturning = false

  constructor(
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly limit: Limit,
    private readonly source: LeaseSource,
  ) {
    this.#size = Math.max(1, Math.floor(limit.count / SHARE))
  }

  take(caller: string): RateLimitStatus | Promise<RateLimitStatus> {
    const held = this.#held.get(caller)
    if (held && held.left > 0) {
      held.left--
      return this.#status(held, held.left)
    }
    const { promise, resolve } = Promise.withResolvers<RateLimitStatus>()
    const waiting = this.#waiting.get(caller)
    if (waiting) waiting.takers.push(resolve)
    else this.#begin(caller, resolve)
    return promise
  }

  /** The process that counts decides; here no one is. */
  isExhausted(): boolean {
    return false
  }

  /** Requests of one caller that come before the lease is asked for share it. */
  #begin(caller: string, first: (status: RateLimitStatus) => void): void {
    const waiting: Waiting = { takers: [first] }
    this.#waiting.set(caller, waiting)
    const { takers } = waiting
    const wanted = () => {
      this.#waiting.delete(caller)
      return Math.max(this.#size, takers.length)
    }
    void this.source.lease(caller, wanted).then((lease) => this.#share(caller, lease, takers))
  }

  #share(caller: string, lease: Lease, takers: Waiting['takers']): void {
    for (const [at, taker] of takers.entries()) taker(this.#status(lease, lease.granted - at - 1))
    const left = lease.granted - takers.length
    if (left <= 0) return
    this.#giveBack(caller)
    this.#held.set(caller, { ...lease, left, until: this.clock.monotonic() + KEPT_MS })
    if (!this.#isReturning) this.#returnLater()
  }

  /** The status of a request after which so many of its lease are left; below 0 it was not granted. */
  #status({ remaining, reset }: Lease, left: number): RateLimitStatus {
    return { limit: this.limit.count, remaining: remaining + Math.max(0, left), reset, exceeded: left < 0 }
  }

  #returnLater(): void {
    this.#isReturning = true
    this.deadlines.after(KEPT_MS, () => {
      const now = this.clock.monotonic()
      for (const [caller, { until }] of this.#held) if (until <= now) this.#giveBack(caller)
      this.#isReturning = false
      if (this.#held.size > 0) this.#returnLater()
    })
  }

  #giveBack(caller: string): void {
    const left = this.#held.get(caller)?.left ?? 0
    this.#held.delete(caller)
    if (left > 0) this.source.giveBack(caller, left)
  }
}
