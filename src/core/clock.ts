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

/** The same without the fraction of the second. */
export const toSecond = (at: number): string => `${toTimestamp(at).slice(0, -'.000Z'.length)}Z`
