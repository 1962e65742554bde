const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
const PART = /(\d+(?:\.\d+)?) ?(d(?:ays?)?|h(?:ours?|rs?)?|ms|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b/gi

/** Reads the duration at the start of a text, in milliseconds: `5 days 22 hours 11 minutes`, `18h31m10s`, `51820.6s`. */
export function readLeadingDuration(text: string): number | undefined {
  const spaced = text.replace(/(\d[a-z]+)(?=\d)/gi, '$1 ')
  let end = 0
  let total: number | undefined
  for (const { 0: part, 1: count, 2: unit = '', index } of spaced.matchAll(PART)) {
    if (spaced.slice(end, index).replaceAll(/,|and|\s/g, '') !== '') break
    total = (total ?? 0) + Number(count) * (UNITS[/^ms$/i.test(unit) ? 'ms' : (unit[0] ?? '').toLowerCase()] ?? 0)
    end = index + part.length
  }
  return total === undefined ? undefined : Math.round(total)
}

/** A time of day, with as much of a date as a program says. Months and days count from 1, weekdays from Sunday as 0. */
export interface WallTime {
  readonly year?: number
  readonly month?: number
  readonly day?: number
  readonly weekday?: number
  readonly hour: number
  readonly minute: number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A time of day that passed this recently is meant, and not that of the next day. */
const JUST_PASSED = HOUR

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Zones that programs name by letters, which the system's list of zones does not have or reads otherwise. */
const OFFSETS: Readonly<Record<string, number>> = {
  ...{ UTC: 0, GMT: 0, Z: 0, BST: 60, CET: 60, CEST: 120, JST: 540 },
  ...{ EST: -300, EDT: -240, CST: -360, CDT: -300, MST: -420, MDT: -360, PST: -480, PDT: -420 },
}

const PATTERN = new RegExp(
  String.raw`(?:(?<month>${MONTHS.join('|')})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}),?)?(?: at)? )?` +
    `(?:(?<weekday>${WEEKDAYS.join('|')})[a-z]*,?(?: at)? )?` +
    String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>[ap])\.?m\b`,
  'i',
)

/** Reads `3pm`, `10:30 PM`, `Feb 16, 11am`, `Jul 9th, 2026 1:47 AM` or `Mon 12:00am`; undefined for anything else. */
export function parseWallTime(text: string): WallTime | undefined {
  const { month, day, year, weekday, hour, minute, half } = PATTERN.exec(text)?.groups ?? {}
  const hours = Number(hour)
  if (hour === undefined || hours < 1 || hours > 12 || Number(minute ?? 0) > 59) return undefined
  return {
    ...(month && { month: MONTHS.indexOf(month.toLowerCase()) + 1, day: Number(day) }),
    ...(year && { year: Number(year) }),
    ...(weekday && { weekday: WEEKDAYS.indexOf(weekday.toLowerCase()) }),
    hour: (hours % 12) + (half?.toLowerCase() === 'p' ? 12 : 0),
    minute: Number(minute ?? 0),
  }
}

/** Next time a wall clock of a zone shows a time; without a zone, the clock of this machine. */
export function nextWallTime(time: WallTime, zone: string | undefined, now: number): number {
  const offsetAt = zoneOffset(zone)
  const today = new Date(now + offsetAt(now))
  const { year = today.getUTCFullYear(), hour, minute } = time
  const at = (years: number, month: number, day: number) =>
    toInstant(Date.UTC(years, month, day, hour, minute), offsetAt)
  if (time.month !== undefined && time.day !== undefined) {
    const instant = at(year, time.month - 1, time.day)
    const isOfNextYear = time.year === undefined && instant < now - 180 * DAY
    return isOfNextYear ? at(year + 1, time.month - 1, time.day) : instant
  }
  const ahead = time.weekday === undefined ? 0 : (time.weekday - today.getUTCDay() + 7) % 7
  const instant = at(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + ahead)
  if (instant > now - JUST_PASSED) return instant
  const later = ahead + (time.weekday === undefined ? 1 : 7)
  return at(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + later)
}

/** The instant at which clocks show a time, given as if it were UTC. Clocks that change that day are asked twice. */
function toInstant(shown: number, offsetAt: (instant: number) => number): number {
  const first = shown - offsetAt(shown)
  return shown - offsetAt(first)
}

/** Offset of a zone's clocks from UTC at an instant, in milliseconds. */
function zoneOffset(zone: string | undefined): (instant: number) => number {
  const local = (instant: number) => -new Date(instant).getTimezoneOffset() * MINUTE
  if (zone === undefined) return local
  const [, sign, hours, minutes = 0] = /^(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(zone) ?? []
  if (sign) return () => (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE)
  const named = OFFSETS[zone.toUpperCase()]
  if (named !== undefined) return () => named * MINUTE
  try {
    const format = new Intl.DateTimeFormat('en', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    })
    return (instant) => shownAt(format, instant) - Math.floor(instant / 1000) * 1000
  } catch {
    return local
  }
}

/** Wall time at an instant, as if it were UTC. */
function shownAt(format: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}
