import { standingHeaders } from '../plane/traffic.ts'
import { SocialError } from '../refusal.ts'
import type { Limit } from '../settings.ts'
import { moment } from '../text.ts'

const MINUTE = 60_000

/** The refusal of one who did too much, in every spelling in which clients look for how long to wait. */
export function overdrawn(sentence: string, { count, window }: Limit, reset: number, now: number, more = {}) {
  const seconds = Math.max(1, Math.ceil((reset - now) / 1000))
  const minutes = Math.ceil(seconds / 60)
  return new SocialError('rate-limited', `${sentence}. Try again in ${inWords(seconds)}`, {
    hint: `Try again in ${seconds} seconds`,
    headers: { 'retry-after': String(seconds), ...standingHeaders({ limit: count, remaining: 0, reset }) },
    fields: {
      retryAfter: seconds,
      retryAfterMinutes: minutes,
      retry_after: seconds,
      retry_after_seconds: seconds,
      ...(seconds >= 60 && window % MINUTE === 0 && { retry_after_minutes: minutes }),
      limit: count,
      remaining: 0,
      ...(window === 1440 * MINUTE && { daily_remaining: 0 }),
      reset_at: moment(Math.ceil(reset / 1000) * 1000),
      ...more,
    },
  })
}

/** `30 minutes`, `once every hour` without its number. */
export function spanOf(ms: number): string {
  const [size, unit] = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ].find(([size]) => ms % Number(size) === 0) ?? [1, 'millisecond']
  const count = ms / Number(size)
  return count === 1 ? String(unit) : `${count} ${unit}s`
}

const inWords = (seconds: number): string => {
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
