const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * A minute of the clock on the wall of a zone: minutes since 1970, as if the zone were UTC. Where clocks are set forward,
 * wall minutes are left out; where they are set back, they come twice.
 */
export type WallMinute = number

/** Wall time of an IANA zone at a moment, in milliseconds since 1970. */
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

/** The moments at which the clock of a zone shows a minute, oldest first: one, none where it is left out, or two. */
export function momentsOf(wall: WallMinute, zone: string): number[] {
  return [...new Set(candidatesOf(wall, zone))]
    .filter((minute) => wallMinuteAt(minute * MINUTE_MS, zone) === wall)
    .map((minute) => minute * MINUTE_MS)
}

/** The moment at which clocks are set forward over a minute that is left out. */
export function setForwardOver(wall: WallMinute, zone: string): number {
  let [low, high] = candidatesOf(wall, zone)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (wallMinuteAt(middle * MINUTE_MS, zone) >= wall) high = middle
    else low = middle + 1
  }
  return low * MINUTE_MS
}

/** The minutes since 1970 at which a minute may be shown: with the offset of the day after, and of the day before. */
function candidatesOf(wall: WallMinute, zone: string): [earliest: number, latest: number] {
  const [before, after] = [wall - DAY_MINUTES, wall + DAY_MINUTES].map((at) => wallMinuteAt(at * MINUTE_MS, zone) - at)
  const offsets = [before ?? 0, after ?? 0]
  return [wall - Math.max(...offsets), wall - Math.min(...offsets)]
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { ...fields, calendar: 'gregory', hourCycle: 'h23', timeZone: zone })
  formats.set(zone, format)
  return format
}
