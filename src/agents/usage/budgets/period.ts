/** The period that a budget is for. */
export interface BudgetPeriod {
  readonly start: number
  readonly end: number
}

/** The hour or day around a time, in local time; days differ in length where clocks change. */
export function periodOf(per: 'hour' | 'day', now: number): BudgetPeriod {
  const start = new Date(now)
  if (per === 'hour') {
    start.setMinutes(0, 0, 0)
    return { start: start.getTime(), end: start.getTime() + 3_600_000 }
  }
  start.setHours(0, 0, 0, 0)
  const end = new Date(start)
  end.setDate(end.getDate() + 1)
  return { start: start.getTime(), end: end.getTime() }
}

/** The highest threshold that was reached: none, 80 % or 100 %. */
export function levelOf(spent: number, limit: number): 0 | 80 | 100 {
  if (spent >= limit) return 100
  return spent >= limit * 0.8 ? 80 : 0
}
