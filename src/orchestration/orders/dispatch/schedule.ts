import { Cron } from 'croner'
import type { WallMinute } from './wall-clock.ts'

const MINUTE_MS = 60_000
const MAX_CACHED = 4096
const parsed = new Map<string, Cron>()

/** The minute of a schedule before another; undefined when there is none. */
export function scheduledBefore(schedule: string, wall: WallMinute): WallMinute | undefined {
  const [at] = cronOf(schedule).previousRuns(1, new Date(wall * MINUTE_MS))
  return at && Math.floor(at.getTime() / MINUTE_MS)
}

/** The minute of a schedule after another; undefined when there is none. */
export function scheduledAfter(schedule: string, wall: WallMinute): WallMinute | undefined {
  const at = cronOf(schedule).nextRun(new Date(wall * MINUTE_MS))
  return at === null ? undefined : Math.floor(at.getTime() / MINUTE_MS)
}

/** Throws a sentence for what is no schedule of five fields. It is read as if every zone were UTC: what is due where is our rule. */
function cronOf(schedule: string): Cron {
  const known = parsed.get(schedule)
  if (known) return known
  const cron = new Cron(schedule, { mode: '5-part', domAndDow: true, timezone: 'UTC', paused: true })
  if (parsed.size >= MAX_CACHED) parsed.clear()
  parsed.set(schedule, cron)
  return cron
}
