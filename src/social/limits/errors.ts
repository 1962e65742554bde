import { type Limit, SocialError, timestamp } from '../shared/index.ts'
import { formatSeconds } from './durations.ts'
import { rateLimitHeaders } from './rate-limiter.ts'

const MINUTE = 60_000

/** The error for an exceeded limit, with the time to wait in every spelling that clients read. */
export function rateLimited(sentence: string, { count, window }: Limit, reset: number, now: number, more = {}) {
  const seconds = Math.max(1, Math.ceil((reset - now) / 1000))
  const minutes = Math.ceil(seconds / 60)
  return new SocialError('rate-limited', `${sentence}. Try again in ${formatSeconds(seconds)}`, {
    hint: `Try again in ${seconds} seconds`,
    headers: { 'retry-after': String(seconds), ...rateLimitHeaders({ limit: count, remaining: 0, reset }) },
    fields: {
      retryAfter: seconds,
      retryAfterMinutes: minutes,
      retry_after: seconds,
      retry_after_seconds: seconds,
      ...(seconds >= 60 && window % MINUTE === 0 && { retry_after_minutes: minutes }),
      limit: count,
      remaining: 0,
      ...(window === 1440 * MINUTE && { daily_remaining: 0 }),
      reset_at: timestamp(Math.ceil(reset / 1000) * 1000),
      ...more,
    },
  })
}
