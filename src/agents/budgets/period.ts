/** A stretch of time in which a budget is used. */
export interface Period {
  readonly start: number
  readonly end: number
}

/** The hour or day that a moment is in, in local time; days differ in length where clocks are changed. */
export function periodOf(per: 'hour' | 'day', now: number): Period {
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

/** How much of a budget is used: below 80 %, from there on, or all of it. */
export function levelOf(spent: number, most: number): 0 | 80 | 100 {
  if (spent >= most) return 100
  return spent >= most * 0.8 ? 80 : 0
}
