const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const

/** A duration in its largest unit without a remainder: `30 minutes`; `hour` for one hour, as in "every hour". */
export function formatPeriod(ms: number): string {
  const [size, unit] = UNITS.find(([size]) => ms % size === 0) ?? [1, 'millisecond']
  const count = ms / size
  return count === 1 ? unit : `${count} ${unit}s`
}

/** A time to wait: `1 second`, `90 seconds`, `30 minutes`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
