/** Source of time: the wall clock for dates, the monotonic clock for durations. Both in milliseconds. */
export interface Clock {
  now(): number
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

/** A moment as the wire shows it: RFC 3339 in UTC. */
export const toTimestamp = (at: number): string => new Date(at).toISOString()

const DAY_S = 86_400
/** The first second after the years that have four digits. */
const END_S = 253_402_300_800
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** The beginnings of days: answers hold many moments, of which most are of the same year. */
const days = new Map<number, string>()
const MAX_DAYS = 1_000

function beginningOf(day: number): string {
  const known = days.get(day)
  if (known !== undefined) return known
  if (days.size >= MAX_DAYS) days.clear()
  const beginning = toTimestamp(day * DAY_S * 1_000).slice(0, 'yyyy-mm-ddT'.length)
  days.set(day, beginning)
  return beginning
}

/** The same without the fraction of the second. */
export function toSecond(at: number): string {
  const second = Math.floor(at / 1_000)
  if (!(second >= 0 && second < END_S)) return `${toTimestamp(at).slice(0, -'.000Z'.length)}Z`
  const day = Math.floor(second / DAY_S)
  const rest = second - day * DAY_S
  const hour = TWO_DIGITS[Math.floor(rest / 3_600)]
  const minute = TWO_DIGITS[Math.floor(rest / 60) % 60]
  return `${beginningOf(day)}${hour}:${minute}:${TWO_DIGITS[rest % 60]}Z`
}
