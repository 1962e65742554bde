import { Cron } from 'croner'
import { momentsOf, setForwardOver, type WallMinute, wallMinuteAt } from './wall-clock.ts'

const MINUTE_MS = 60_000
/** Clocks are set by three hours at most without a change of the day. */
const MAX_CHANGE_MS = 3 * 60 * MINUTE_MS
const MAX_CACHED = 4096
const EVERY_HOUR = 24
const parsed = new Map<string, Schedule>()

interface Schedule {
  readonly cron: Cron
  /**
   * True if it names no hours. Such a schedule counts real time: clocks that are set back repeat none of its minutes,
   * and clocks that are set forward leave none out.
   */
  readonly isHourly: boolean
}

/** A time at which a schedule starts its order. */
export interface Occurrence {
  readonly at: number
  /** The clock of the zone is set forward over it; `at` is when. */
  readonly isLeftOut: boolean
}

/** The latest time of a schedule up to a moment; undefined when there is none. */
export function latestOccurrence(schedule: string, zone: string, now: number): Occurrence | undefined {
  const shown = Math.max(wallMinuteAt(now, zone), wallMinuteAt(now - MAX_CHANGE_MS, zone) + MAX_CHANGE_MS / MINUTE_MS)
  let latest: Occurrence | undefined
  for (let wall = before(schedule, shown + 1); wall !== undefined; wall = before(schedule, wall)) {
    const occurrences = occurrencesOf(schedule, zone, wall)
    const last = occurrences.at(-1)
    if (last && latest && last.at <= latest.at) break
    const passed = occurrences.findLast(({ at }) => at <= now)
    if (passed && (!latest || passed.at > latest.at)) latest = passed
  }
  return latest
}

/** The first time of a schedule after a moment; undefined when there is none. */
export function nextOccurrence(schedule: string, zone: string, now: number): Occurrence | undefined {
  const shown = Math.min(wallMinuteAt(now, zone), wallMinuteAt(now + MAX_CHANGE_MS, zone) - MAX_CHANGE_MS / MINUTE_MS)
  let next: Occurrence | undefined
  for (let wall = after(schedule, shown); wall !== undefined; wall = after(schedule, wall)) {
    const occurrences = occurrencesOf(schedule, zone, wall)
    const [first] = occurrences
    if (first && next && first.at >= next.at) break
    const coming = occurrences.find(({ at }) => at > now)
    if (coming && (!next || coming.at < next.at)) next = coming
  }
  return next
}

/** The times that one minute of the wall comes to: a minute of named hours is one time, shown twice or left out. */
function occurrencesOf(schedule: string, zone: string, wall: WallMinute): Occurrence[] {
  const shown = momentsOf(wall, zone).map((at) => ({ at, isLeftOut: false }))
  if (scheduleOf(schedule).isHourly) return shown
  return shown.length > 0 ? shown.slice(0, 1) : [{ at: setForwardOver(wall, zone), isLeftOut: true }]
}

/** The minute of a schedule before another; undefined when there is none. */
function before(schedule: string, wall: WallMinute): WallMinute | undefined {
  const [at] = scheduleOf(schedule).cron.previousRuns(1, new Date(wall * MINUTE_MS))
  return at && Math.floor(at.getTime() / MINUTE_MS)
}

/** The minute of a schedule after another; undefined when there is none. */
function after(schedule: string, wall: WallMinute): WallMinute | undefined {
  const at = scheduleOf(schedule).cron.nextRun(new Date(wall * MINUTE_MS))
  return at === null ? undefined : Math.floor(at.getTime() / MINUTE_MS)
}

/** Throws a sentence for what is not a schedule of five fields. It is read as if every zone were UTC: what is due where is our rule. */
function scheduleOf(text: string): Schedule {
  const known = parsed.get(text)
  if (known) return known
  const options = { mode: '5-part', domAndDow: true, timezone: 'UTC', paused: true } as const
  const [, hours = ''] = text.trim().split(/\s+/)
  const isHourly = new Cron(`0 ${hours} * * *`, options).nextRuns(EVERY_HOUR, new Date(-1)).every(isHourAt)
  const schedule = { cron: new Cron(text, options), isHourly }
  if (parsed.size >= MAX_CACHED) parsed.clear()
  parsed.set(text, schedule)
  return schedule
}

const isHourAt = (at: Date, hour: number): boolean => at.getTime() === hour * 60 * MINUTE_MS
