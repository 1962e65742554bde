import type { SessionState } from '../sessions/transitions.ts'
import {
  backoff,
  IDLE_GRACE,
  MAX_CHURN,
  MAX_FAILURES,
  PRODUCTIVE_AFTER,
  QUARANTINE,
  QUICK_EXIT,
  RESUME_EXIT,
  USAGE_HOLD,
} from './limits.ts'

/** How a process ended. `lost`: nobody saw it. `not-started`: it could not be started at all. */
export interface ProcessExit {
  how: 'exited' | 'signalled' | 'lost' | 'not-started'
  code?: number
  signal?: string
  /** Its screen says that the usage limit of its model is reached. */
  usageLimited?: boolean
}

/** What the outcome of an exit depends on. */
export interface ExitedSession {
  state: SessionState
  reason: string
  origin: 'manual' | 'named' | 'ephemeral'
  /** When it was last started; 0 when it never was. */
  wokeAt: number
  failures: number
  churn: number
  /** Whether somebody asked for its start. */
  wakeRequested: boolean
  /** The beads assigned to it. */
  work: readonly string[]
  /** The bead it was created for. */
  createdFor: string | undefined
  /** Whether it never claimed that bead. */
  leftUnclaimed: boolean
  /** Whether it was created because a scale check asked for it. */
  fromScaleCheck: boolean
  /** Whether it resumed an earlier conversation. */
  resumed: boolean
  /** Until when a crash now holds it because its agent crashed too often; 0 for no hold. */
  crashHoldUntil: number
}

/** What becomes of a session whose process is gone. */
export interface ExitOutcome {
  state: SessionState
  reason: string
  /** Whether it is started again without a request. */
  restart: boolean
  retryAt: number
  quarantinedUntil: number
  failures: number
  churn: number
  /** Whether nobody wanted it to end. */
  crashed: boolean
  /** Beads that the exit counts against. */
  blamedBeads: readonly string[]
  /** Whether the exit counts against its agent rather than its work. */
  blamesAgent: boolean
  /** Whether the conversation that it resumed is given up. */
  dropsConversation: boolean
}

/** Drain reasons with which a session is started again. */
const RESTART_REASONS = new Set(['idle-timeout', 'max-session-age', 'config-drift'])

/** Decides what becomes of a session whose process is gone. */
export function decideOutcome(session: ExitedSession, exit: ProcessExit, now: number): ExitOutcome {
  if (session.state === 'draining') return drained(session, now)
  if (exit.usageLimited && (session.state === 'active' || session.state === 'creating')) return limited(session, now)
  if (session.state === 'creating') return failedStart(session, exit, now)
  if (session.state !== 'active') return ended(session, session.state, session.reason)
  if (exit.how === 'lost') return lostProcess(session, now)
  if (exit.how === 'exited' && exit.code === 0) return cleanExit(session)
  return applyCrashHold(session, unexpectedExit(session, now), now)
}

/** A session whose agent crashed too often in a while is held until that while is over. */
function applyCrashHold(session: ExitedSession, outcome: ExitOutcome, now: number): ExitOutcome {
  if (!outcome.crashed || session.crashHoldUntil <= now) return outcome
  const held = quarantined(outcome, outcome.state === 'quarantined' ? outcome.reason : 'quarantine', now)
  return { ...held, quarantinedUntil: Math.max(session.crashHoldUntil, outcome.quarantinedUntil) }
}

/** The outcome of an exit that counts against nothing. */
function ended(session: ExitedSession, state: SessionState, reason: string, restart = false): ExitOutcome {
  return {
    state,
    reason,
    restart,
    retryAt: 0,
    quarantinedUntil: 0,
    failures: session.failures,
    churn: session.churn,
    crashed: false,
    blamedBeads: [],
    blamesAgent: false,
    dropsConversation: false,
  }
}

/** A person's session is not tried again when its first start fails; others are tried a few times. */
function failedStart(session: ExitedSession, exit: ProcessExit, now: number): ExitOutcome {
  const isFirst = session.wokeAt === 0
  const outcome = ended(
    session,
    isFirst ? 'start-pending' : 'asleep',
    'runtime-missing',
    session.origin !== 'ephemeral',
  )
  if (exit.how === 'lost') return outcome
  const failures = session.failures + 1
  const failed: ExitOutcome = {
    ...outcome,
    failures,
    retryAt: now + backoff(failures),
    reason: 'failed-create',
    blamesAgent: true,
  }
  if (isFirst && (session.origin === 'manual' || failures >= MAX_FAILURES)) return { ...failed, state: 'failed-create' }
  return failures < MAX_FAILURES ? failed : quarantined(failed, 'quarantine', now)
}

/** Neither the session nor others of its agent can work until the limit is lifted. */
const limited = (session: ExitedSession, now: number): ExitOutcome => ({
  ...ended(session, 'quarantined', 'rate_limit', session.origin !== 'ephemeral'),
  quarantinedUntil: now + USAGE_HOLD,
})

function drained(session: ExitedSession, now: number): ExitOutcome {
  const reason = session.reason || 'drained'
  if (session.origin === 'ephemeral' && (reason === 'config-drift' || !RESTART_REASONS.has(reason))) {
    const outcome = blameIfUnclaimed(session, ended(session, 'closed', reason))
    return {
      ...outcome,
      blamesAgent: outcome.blamesAgent || (session.fromScaleCheck && now - session.wokeAt < 2 * IDLE_GRACE),
    }
  }
  return ended(session, 'asleep', reason, RESTART_REASONS.has(reason) || session.wakeRequested)
}

/** It ended with its host, which counts against nothing. */
function lostProcess(session: ExitedSession, now: number): ExitOutcome {
  return {
    ...ended(session, 'asleep', 'runtime-missing', session.origin !== 'ephemeral'),
    retryAt: now + backoff(1),
    crashed: true,
  }
}

/** It exited by itself without an error. That counts against work that it left unfinished. */
function cleanExit(session: ExitedSession): ExitOutcome {
  const state = session.origin === 'ephemeral' ? 'closed' : 'asleep'
  const outcome = ended(session, state, 'no-wake-reason')
  return blameIfUnclaimed(session, { ...outcome, failures: 0, churn: 0, blamedBeads: session.work })
}

/** A session that never claimed the bead it was created for counts against both, or others would repeat it for ever. */
function blameIfUnclaimed(session: ExitedSession, outcome: ExitOutcome): ExitOutcome {
  if (!session.createdFor || !session.leftUnclaimed || session.reason === 'user-hold') return outcome
  return { ...outcome, blamesAgent: true, blamedBeads: [...outcome.blamedBeads, session.createdFor] }
}

function unexpectedExit(session: ExitedSession, now: number): ExitOutcome {
  // After the clock was set back, the lifetime is unknown and taken for long.
  const uptime = now < session.wokeAt ? PRODUCTIVE_AFTER : now - session.wokeAt
  if (session.resumed && uptime < RESUME_EXIT) {
    return { ...ended(session, 'asleep', 'runtime-missing', true), dropsConversation: true }
  }
  if (uptime < QUICK_EXIT) return quickExit(session, now)
  if (uptime < PRODUCTIVE_AFTER) return earlyExit(session, now)
  return crashed(session, 0, 0, now)
}

function quickExit(session: ExitedSession, now: number): ExitOutcome {
  const outcome: ExitOutcome = {
    ...crashed(session, session.failures + 1, session.churn, now),
    blamesAgent: session.work.length === 0,
  }
  return outcome.failures < MAX_FAILURES ? outcome : quarantined(outcome, 'quarantine', now)
}

function earlyExit(session: ExitedSession, now: number): ExitOutcome {
  const outcome = crashed(session, 0, session.churn + 1, now)
  return outcome.churn < MAX_CHURN ? outcome : quarantined(outcome, 'context-churn', now)
}

function crashed(session: ExitedSession, failures: number, churn: number, now: number): ExitOutcome {
  const createdFor = session.createdFor ? [session.createdFor] : []
  return {
    ...ended(session, 'asleep', 'runtime-missing', session.origin !== 'ephemeral'),
    failures,
    churn,
    retryAt: now + backoff(Math.max(failures, 1)),
    crashed: true,
    blamedBeads: session.work.length > 0 ? session.work : createdFor,
  }
}

/** It is held for a while, and its counts begin anew then. */
const quarantined = (outcome: ExitOutcome, reason: string, now: number): ExitOutcome => ({
  ...outcome,
  state: 'quarantined',
  reason,
  failures: 0,
  churn: 0,
  quarantinedUntil: now + QUARANTINE,
})
