const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * A minute of the clock on the wall of a zone: minutes since 1970, as if the zone were UTC. Where clocks are set forward,
 * wall minutes are left out; where they are set back, they come twice.
 */
export type WallMinute = number

/** What the clock on the wall of an IANA zone shows at a moment, in milliseconds since 1970. */
export function wallMinuteAt(at: number, zone: string): WallMinute {
  const minute = Math.floor(at / MINUTE_MS)
  if (zone === 'UTC') return minute
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute: minutes = 0 } = parts
  return Math.floor(Date.UTC(year, month - 1, day, hour, minutes) / MINUTE_MS)
}

/**
 * The first moment after another at which the clock of a zone shows a minute; where it is left out, the moment at which
 * clocks are set forward.
 */
export function momentOf(wall: WallMinute, zone: string, after: number): number {
  const offsets = [-DAY_MINUTES, DAY_MINUTES].map((shift) => {
    const at = wall + shift
    return wallMinuteAt(at * MINUTE_MS, zone) - at
  })
  const [earliest, latest] = [wall - Math.max(...offsets), wall - Math.min(...offsets)]
  for (const minute of [earliest, latest]) {
    if (minute * MINUTE_MS > after && wallMinuteAt(minute * MINUTE_MS, zone) === wall) return minute * MINUTE_MS
  }
  let [low, high] = [earliest, latest]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (wallMinuteAt(middle * MINUTE_MS, zone) >= wall) high = middle
    else low = middle + 1
  }
  return low * MINUTE_MS
}

/** Whether a minute is left out where clocks are set forward. */
export const isLeftOut = (wall: WallMinute, zone: string): boolean =>
  wallMinuteAt(momentOf(wall, zone, Number.NEGATIVE_INFINITY), zone) !== wall

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { ...fields, calendar: 'gregory', hourCycle: 'h23', timeZone: zone })
  formats.set(zone, format)
  return format
}
