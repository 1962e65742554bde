import type { OrderTrigger } from '../order.ts'
import { formatElapsed } from './elapsed.ts'
import { latestOccurrence, nextOccurrence } from './schedule.ts'

/** Result of a condition's check. */
export interface ConditionResult {
  passed: boolean
  reason: string
}

/** State of an order when gc checks whether it is due. Moments are milliseconds since 1970. */
export interface TriggerState {
  /** Start of its latest run, whatever its cause. */
  lastRun: number | undefined
  /** Start of the time in which a schedule can have missed a run. */
  since: number
  /** Number of events that no run covers yet. */
  events: number
  condition?: ConditionResult | undefined
}

/** True if an order is due, and why or why not. */
export interface Due {
  due: boolean
  reason: string
  /** Next time it may become due by time alone; absent without one. */
  next?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The look-back for a schedule that a starting city sees for the first time. */
export const FIRST_LOOK_BACK_MS = 25 * HOUR_MS
const MAX_CATCH_UP_MS = 366 * 24 * HOUR_MS

/** True if an order is due at a moment. */
export function dueAt(trigger: OrderTrigger, state: TriggerState, now: number): Due {
  switch (trigger.kind) {
    case 'cooldown':
      return cooldownDue(trigger.interval, state.lastRun, now)
    case 'cron':
      return cronDue(trigger, state, now)
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

const startOfMinute = (now: number): number => Math.floor(now / MINUTE_MS) * MINUTE_MS

/** The end of the minute that a moment lies in. */
export const endOfMinute = (now: number): number => startOfMinute(now) + MINUTE_MS

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

/** A time of the schedule since the latest run, or since it is there, makes it due, once for all of them. */
function cronDue(
  { schedule, zone }: { schedule: string; zone: string },
  { lastRun, since }: TriggerState,
  now: number,
): Due {
  const minute = startOfMinute(now)
  const covered = Math.max(lastRun ?? since, since)
  const latest = latestOccurrence(schedule, zone, minute)
  if (latest && latest.at > Math.max(startOfMinute(covered), minute - MAX_CATCH_UP_MS)) {
    if (latest.isLeftOut) return { due: true, reason: 'cron: caught up occurrence skipped by DST spring-forward' }
    const isNow = latest.at === minute
    return { due: true, reason: isNow ? 'cron: schedule matched' : 'cron: caught up missed occurrence' }
  }
  const reason =
    latest?.at === minute && lastRun !== undefined ? 'cron: already run this minute' : 'cron: schedule not matched'
  const next = nextOccurrence(schedule, zone, Math.max(minute, covered))
  return { due: false, reason, ...(next && { next: next.at }) }
}

function conditionDue(condition: ConditionResult | undefined): Due {
  if (!condition) return { due: false, reason: 'condition: not checked yet' }
  return { due: condition.passed, reason: condition.reason }
}

const eventDue = (type: string, events: number): Due =>
  events > 0
    ? { due: true, reason: `event: ${events} ${type} event(s)` }
    : { due: false, reason: 'event: no matching events' }
