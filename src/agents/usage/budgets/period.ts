/** The period that a budget is for. */
export interface BudgetPeriod {
  readonly start: number
  readonly end: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * The hour or day around a time, in local time; days differ in length where clocks change, and an hour that clocks are
 * set back over comes twice.
 */
export function periodOf(per: 'hour' | 'day', now: number): BudgetPeriod {
  if (per === 'hour') {
    const behindUtc = new Date(now).getTimezoneOffset() * MINUTE_MS
    const start = Math.floor((now - behindUtc) / HOUR_MS) * HOUR_MS + behindUtc
    return { start, end: start + HOUR_MS }
  }
  const start = new Date(now)
  start.setHours(0, 0, 0, 0)
  const end = new Date(start)
  end.setDate(end.getDate() + 1)
  end.setHours(0, 0, 0, 0)
  return { start: start.getTime(), end: end.getTime() }
}

/** The highest threshold that was reached: none, 80 % or 100 %. */
export function levelOf(spent: number, limit: number): 0 | 80 | 100 {
  if (spent >= limit) return 100
  return spent >= limit * 0.8 ? 80 : 0
}
