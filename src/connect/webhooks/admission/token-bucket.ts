import type { WebhookRate } from '../../../config/webhooks/index.ts'

const MINUTE_MS = 60_000

/** Lets `burst` through immediately and `perMinute` on average; it holds two numbers, however many come. */
export class TokenBucket {
  #tokens: number | undefined
  #filledAt = 0

  /** Takes one; returns 0, or how many milliseconds it takes until there is another. `now` is monotonic. */
  take({ perMinute, burst }: WebhookRate, now: number): number {
    const gained = ((now - this.#filledAt) * perMinute) / MINUTE_MS
    const tokens = Math.min(burst, (this.#tokens ?? burst) + (this.#tokens === undefined ? 0 : gained))
    this.#filledAt = now
    this.#tokens = tokens >= 1 ? tokens - 1 : tokens
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * MINUTE_MS) / perMinute)
  }
}
