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

/** How a process ended. `lost`: nobody saw it. `refused`: it could not be started at all. */
export interface ProcessExit {
  how: 'exited' | 'signalled' | 'lost' | 'refused'
  code?: number
  signal?: string
  /** Its screen said that the usage limit of its model is reached. */
  limited?: boolean
}

/** What matters of a session when its process is gone. */
export interface ExitedSession {
  state: SessionState
  reason: string
  origin: 'manual' | 'named' | 'ephemeral'
  /** When it was last started; 0 when it never was. */
  wokeAt: number
  failures: number
  churn: number
  /** Whether someone wants it up again. */
  wanted: boolean
  /** Beads that are its to work on. */
  work: readonly string[]
  /** The bead it was made for. */
  madeFor: string | undefined
  /** Whether that bead still waits for someone: it never took it. */
  untouched: boolean
  /** Whether it was made because a scale check asked for it. */
  scaled: boolean
  /** Whether it went on with an earlier conversation. */
  resumed: boolean
  /** Until when it is left alone if it falls now, since its agent has fallen too often; 0 when it may fall. */
  heldUntil: number
}

/** What becomes of a session whose process is gone. */
export interface ExitOutcome {
  state: SessionState
  reason: string
  /** Whether it is to be started again without anyone asking. */
  restart: boolean
  retryAt: number
  quarantinedUntil: number
  failures: number
  churn: number
  /** Whether it ended against anyone's will. */
  crashed: boolean
  /** Beads it had in its hands, against which that counts. */
  blamed: readonly string[]
  /** Whether its agent, rather than its work, is suspect. */
  suspect: boolean
  /** Whether the conversation it went on with is given up. */
  fresh: boolean
}

/** Reasons for draining after which a session comes back by itself. */
const RESTARTING = new Set(['idle-timeout', 'max-session-age', 'config-drift'])

/** Decides what becomes of a session whose process was seen gone. */
export function decideOutcome(session: ExitedSession, exit: ProcessExit, now: number): ExitOutcome {
  if (session.state === 'draining') return drained(session, now)
  if (exit.limited && (session.state === 'active' || session.state === 'creating')) return limited(session, now)
  if (session.state === 'creating') return notStarted(session, exit, now)
  if (session.state !== 'active') return calm(session, session.state, session.reason)
  if (exit.how === 'lost') return lost(session, now)
  return exit.how === 'exited' && exit.code === 0 ? finished(session) : restrained(session, fell(session, now), now)
}

/** Whose agent falls too often in a while is left alone until that is over. */
function restrained(session: ExitedSession, after: ExitOutcome, now: number): ExitOutcome {
  if (!after.crashed || session.heldUntil <= now) return after
  const held = quarantined(after, after.state === 'quarantined' ? after.reason : 'quarantine', now)
  return { ...held, quarantinedUntil: Math.max(session.heldUntil, after.quarantinedUntil) }
}

/** It was told to end, or ended when it was done. */
function calm(session: ExitedSession, state: SessionState, reason: string, restart = false): ExitOutcome {
  return {
    state,
    reason,
    restart,
    retryAt: 0,
    quarantinedUntil: 0,
    failures: session.failures,
    churn: session.churn,
    crashed: false,
    blamed: [],
    suspect: false,
    fresh: false,
  }
}

/** A first start that fails leaves a person's session as it is; others are tried a few times. */
function notStarted(session: ExitedSession, exit: ProcessExit, now: number): ExitOutcome {
  const first = session.wokeAt === 0
  const after = calm(session, first ? 'start-pending' : 'asleep', 'runtime-missing', session.origin !== 'ephemeral')
  if (exit.how === 'lost') return after
  const failures = session.failures + 1
  const tried = { ...after, failures, retryAt: now + backoff(failures), reason: 'failed-create', suspect: true }
  if (first && (session.origin === 'manual' || failures >= MAX_FAILURES)) return { ...tried, state: 'failed-create' }
  return failures < MAX_FAILURES ? tried : quarantined(tried, 'quarantine', now)
}

/** It can do nothing until its model can be used again, and neither can others of its agent. */
const limited = (session: ExitedSession, now: number): ExitOutcome => ({
  ...calm(session, 'quarantined', 'rate_limit', session.origin !== 'ephemeral'),
  quarantinedUntil: now + USAGE_HOLD,
})

function drained(session: ExitedSession, now: number): ExitOutcome {
  const reason = session.reason || 'drained'
  if (session.origin === 'ephemeral' && (reason === 'config-drift' || !RESTARTING.has(reason))) {
    const after = useless(session, calm(session, 'closed', reason))
    return { ...after, suspect: after.suspect || (session.scaled && now - session.wokeAt < 2 * IDLE_GRACE) }
  }
  return calm(session, 'asleep', reason, RESTARTING.has(reason) || session.wanted)
}

/** It went down with its host, which is not its fault. */
function lost(session: ExitedSession, now: number): ExitOutcome {
  return {
    ...calm(session, 'asleep', 'runtime-missing', session.origin !== 'ephemeral'),
    retryAt: now + backoff(1),
    crashed: true,
  }
}

/** It left by itself without an error. Work it leaves unfinished counts against that work. */
function finished(session: ExitedSession): ExitOutcome {
  const state = session.origin === 'ephemeral' ? 'closed' : 'asleep'
  const after = { ...calm(session, state, 'no-wake-reason'), failures: 0, churn: 0, blamed: session.work }
  return useless(session, after)
}

/** A session that was made for a bead and never took it makes both suspect, or the next would do the same for ever. */
function useless(session: ExitedSession, after: ExitOutcome): ExitOutcome {
  if (!session.madeFor || !session.untouched || session.reason === 'user-hold') return after
  return { ...after, suspect: true, blamed: [...after.blamed, session.madeFor] }
}

function fell(session: ExitedSession, now: number): ExitOutcome {
  // A clock that was set back since makes it unknown how long it lived, which is not held against it.
  const lived = now < session.wokeAt ? PRODUCTIVE_AFTER : now - session.wokeAt
  if (session.resumed && lived < RESUME_EXIT) {
    return { ...calm(session, 'asleep', 'runtime-missing', true), fresh: true }
  }
  if (lived < QUICK_EXIT) return quick(session, now)
  if (lived < PRODUCTIVE_AFTER) return early(session, now)
  return crashed(session, 0, 0, now)
}

function quick(session: ExitedSession, now: number): ExitOutcome {
  const after = { ...crashed(session, session.failures + 1, session.churn, now), suspect: session.work.length === 0 }
  return after.failures < MAX_FAILURES ? after : quarantined(after, 'quarantine', now)
}

function early(session: ExitedSession, now: number): ExitOutcome {
  const after = crashed(session, 0, session.churn + 1, now)
  return after.churn < MAX_CHURN ? after : quarantined(after, 'context-churn', now)
}

function crashed(session: ExitedSession, failures: number, churn: number, now: number): ExitOutcome {
  const madeFor = session.madeFor ? [session.madeFor] : []
  return {
    ...calm(session, 'asleep', 'runtime-missing', session.origin !== 'ephemeral'),
    failures,
    churn,
    retryAt: now + backoff(Math.max(failures, 1)),
    crashed: true,
    blamed: session.work.length > 0 ? session.work : madeFor,
  }
}

/** It is left alone for a while, and begins with a clean record then. */
const quarantined = (after: ExitOutcome, reason: string, now: number): ExitOutcome => ({
  ...after,
  state: 'quarantined',
  reason,
  failures: 0,
  churn: 0,
  quarantinedUntil: now + QUARANTINE,
})
