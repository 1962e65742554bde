import type { OrderTrigger } from '../order.ts'
import { formatElapsed } from './elapsed.ts'
import { scheduledAfter, scheduledBefore } from './schedule.ts'
import { isLeftOut, momentOf, wallMinuteAt } from './wall-clock.ts'

/** What came of the check of a condition. */
export interface ConditionResult {
  passed: boolean
  reason: string
}

/** What is known of an order when it is asked whether it is due. Moments are milliseconds since 1970. */
export interface TriggerState {
  /** When its latest run began, however that came about. */
  lastRun: number | undefined
  /** How many events there are that no run covers yet. */
  events: number
  condition?: ConditionResult | undefined
}

/** Whether an order is due, and why or why not. */
export interface Due {
  due: boolean
  reason: string
  /** When time alone may make it due; absent when time does not. */
  next?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** How far back a schedule that never ran is looked at. */
const FIRST_LOOK_BACK_MS = 25 * HOUR_MS
const MAX_CATCH_UP_MINUTES = 366 * 24 * 60

/** Whether an order is due at a moment. */
export function dueAt(trigger: OrderTrigger, state: TriggerState, now: number): Due {
  switch (trigger.kind) {
    case 'cooldown':
      return cooldownDue(trigger.interval, state.lastRun, now)
    case 'cron':
      return cronDue(trigger, state.lastRun, now)
    case 'condition':
      return conditionDue(state.condition)
    case 'event':
      return eventDue(trigger.on, state.events)
    case 'manual':
      return { due: false, reason: 'manual trigger — use gc order run' }
    case 'webhook':
      return { due: false, reason: 'webhook trigger — dispatched by the webhook receiver' }
  }
}

/** The end of the minute that a moment lies in. */
export const endOfMinute = (now: number): number => (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS

/**
 * The latest run as a trigger counts it. One that lies ahead of the clock was begun before the clock was set back: a
 * cooldown begins again now. A schedule waits for an hour at most, then goes by `passed`, the newest of all runs that
 * the clock has passed, so that no minute of it is run twice, however the clock is set.
 */
export function countedRun(trigger: OrderTrigger, lastRun: number, now: number, passed?: number): number {
  if (trigger.kind !== 'cron') return Math.min(lastRun, now)
  return lastRun > now + HOUR_MS ? (passed ?? now) : Math.max(lastRun, passed ?? lastRun)
}

function cooldownDue(interval: number, lastRun: number | undefined, now: number): Due {
  if (lastRun === undefined) return { due: true, reason: 'never run' }
  const elapsed = Math.max(0, now - lastRun)
  if (elapsed >= interval) {
    return { due: true, reason: `elapsed ${formatElapsed(elapsed)} >= interval ${formatElapsed(interval)}` }
  }
  const remaining = interval - elapsed
  return { due: false, reason: `cooldown: ${formatElapsed(remaining)} remaining`, next: now + remaining }
}

/** A minute of the schedule that lies between the latest run and now makes it due, once for all of them. */
function cronDue(
  { schedule, zone }: { schedule: string; zone: string },
  lastRun: number | undefined,
  now: number,
): Due {
  const wall = wallMinuteAt(now, zone)
  const last = wallMinuteAt(lastRun ?? now - FIRST_LOOK_BACK_MS, zone)
  const latest = scheduledBefore(schedule, wall + 1)
  if (latest !== undefined && latest > Math.max(last, wall - MAX_CATCH_UP_MINUTES)) {
    if (latest === wall) return { due: true, reason: 'cron: schedule matched' }
    const caughtUp = isLeftOut(latest, zone) ? 'occurrence skipped by DST spring-forward' : 'missed occurrence'
    return { due: true, reason: `cron: caught up ${caughtUp}` }
  }
  const reason = latest === wall ? 'cron: already run this minute' : 'cron: schedule not matched'
  const next = scheduledAfter(schedule, Math.max(wall, last))
  return { due: false, reason, ...(next !== undefined && { next: momentOf(next, zone, now) }) }
}

function conditionDue(condition: ConditionResult | undefined): Due {
  if (!condition) return { due: false, reason: 'condition: not checked yet' }
  return { due: condition.passed, reason: condition.reason }
}

const eventDue = (type: string, events: number): Due =>
  events > 0
    ? { due: true, reason: `event: ${events} ${type} event(s)` }
    : { due: false, reason: 'event: no matching events' }
