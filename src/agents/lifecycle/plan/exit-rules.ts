import type { LimitStatement } from '../../../programs/limits/index.ts'
import type { SessionState } from '../../../work/sessions/index.ts'
import { backoff, MAX_CHURN, MAX_FAILURES, PRODUCTIVE_AFTER, QUARANTINE, QUICK_EXIT, RESUME_EXIT } from './limits.ts'

/** Exit of a process. `lost`: no one saw it. `not-started`: it could not be started at all. */
export interface ProcessExit {
  how: 'exited' | 'signalled' | 'lost' | 'not-started'
  code?: number
  signal?: string
  /** Reason the kernel killed it for want of memory: it had its share, or the machine had no more. */
  memoryLack?: 'share' | 'machine'
  /** Usage limit that its program reported. */
  limit?: LimitStatement
  /** Rejected login that its program reported. */
  deadLogin?: string
}

/** Reason a session is held whose login is not accepted any more. */
export const DEAD_LOGIN = 'login'
/** Reason a session ended that the kernel killed for want of memory. */
export const OUT_OF_MEMORY = 'out-of-memory'
/** Reasons for which a session is held until one of its logins has room. */
export const HELD_BY_LOGIN: ReadonlySet<string> = new Set(['rate_limit', DEAD_LOGIN])

/** Facts that decide the outcome of an exit. */
export interface ExitedSession {
  state: SessionState
  reason: string
  origin: 'manual' | 'named' | 'ephemeral'
  /** Time of its last start; 0 if it never started. */
  wokeAt: number
  failures: number
  churn: number
  /** True if somebody asked for its start. */
  wakeRequested: boolean
  /** The beads assigned to it. */
  work: readonly string[]
  /** True if it claimed anything since its start. */
  worked: boolean
  /** The bead it was created for. */
  createdFor: string | undefined
  /** True if no one has claimed that bead. */
  leftUnclaimed: boolean
  /** True if it was created because a scale check asked for it. */
  fromScaleCheck: boolean
  /** True if it resumed an earlier conversation. */
  resumed: boolean
  /** True if a person answered a question of its program just before: what follows from that is no one's failure. */
  answered: boolean
  /** Until when a crash now holds it because it crashed too often; 0 for no hold. */
  crashHoldUntil: number
  /** Until when no login that it may run on has room; 0 when one has. */
  limitedUntil: number
}

/** Outcome for a session whose process is gone. */
export interface ExitOutcome {
  state: SessionState
  reason: string
  /** True if it is started again without a request. */
  restart: boolean
  retryAt: number
  quarantinedUntil: number
  failures: number
  churn: number
  /** True if no one wanted it to end. */
  crashed: boolean
  /**
   * True if it was ended by a signal from outside, which counts against nothing but a bead that it happens to
   * repeatedly.
   */
  killed: boolean
  /** Beads that the exit counts against. */
  blamedBeads: readonly string[]
  /** True if the exit counts as a failed start of its agent. */
  blamesAgent: boolean
  /** True if the conversation that it resumed is given up. */
  dropsConversation: boolean
}

/** Drain reasons with which a session is started again. */
/** The reason of a drain because the agent or its rig is suspended: the drain is canceled when that is over. */
export const AGENT_SUSPENDED = 'agent-suspended'
/** The reason of what a person stopped. */
const USER_HOLD = 'user-hold'
/** Reasons for which a session ends whatever it does. */
export const HELD_BY_PERSON: ReadonlySet<string> = new Set([USER_HOLD, AGENT_SUSPENDED])
const RESTART_REASONS = new Set(['idle-timeout', 'max-session-age', 'config-drift'])

/** Signals that a program raises by its own mistake. All others come from outside, such as from an out-of-memory killer. */
const FAULT_SIGNALS = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGTRAP', 'SIGSYS', 'SIGPIPE'])
/** The codes with which a shell exits whose program was ended by HUP, INT, KILL or TERM. */
const KILLED_CODES = new Set([129, 130, 137, 143])

/** True if a process was ended by a signal from outside. */
export const wasKilled = ({ how, code, signal = '' }: ProcessExit): boolean =>
  how === 'signalled' ? !FAULT_SIGNALS.has(signal) : how === 'exited' && code !== undefined && KILLED_CODES.has(code)

/** Decides the outcome of a session whose process is gone. */
export function decideOutcome(session: ExitedSession, exit: ProcessExit, now: number): ExitOutcome {
  const outcome = outcomeOf(session, exit, now)
  return session.answered ? { ...outcome, blamedBeads: [], blamesAgent: false } : outcome
}

function outcomeOf(session: ExitedSession, exit: ProcessExit, now: number): ExitOutcome {
  if (session.state === 'draining') return drained(session)
  if ((exit.limit || exit.deadLogin !== undefined) && (session.state === 'active' || session.state === 'creating')) {
    return withoutLogin(session, exit, now)
  }
  if (session.state === 'creating') return failedStart(session, exit, now)
  if (session.state !== 'active') return ended(session, session.state, session.reason)
  if (exit.how === 'lost') return lostProcess(session, now)
  if (exit.how === 'exited' && exit.code === 0) return cleanExit(session)
  return crashed(session, exit, now)
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
    killed: false,
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
    blamesAgent: !wasKilled(exit),
  }
  if (isFirst && (session.origin === 'manual' || failures >= MAX_FAILURES)) return { ...failed, state: 'failed-create' }
  return failures < MAX_FAILURES ? failed : giveUp(session, failed, 'quarantine', now + QUARANTINE)
}

/** It continues with another login when one has room, else it is held until one has. */
function withoutLogin(session: ExitedSession, { limit }: ProcessExit, now: number): ExitOutcome {
  const { limitedUntil, origin } = session
  const reason = limit ? 'rate_limit' : DEAD_LOGIN
  if (limitedUntil <= now) return ended(session, 'asleep', reason, origin !== 'ephemeral')
  const quarantinedUntil = Number.isFinite(limitedUntil) ? limitedUntil : 0
  return { ...ended(session, 'quarantined', reason, origin !== 'ephemeral'), quarantinedUntil }
}

function drained(session: ExitedSession): ExitOutcome {
  const reason = session.reason === AGENT_SUSPENDED ? USER_HOLD : session.reason || 'drained'
  if (session.origin !== 'ephemeral' || (reason !== 'config-drift' && RESTART_REASONS.has(reason))) {
    return ended(session, 'asleep', reason, RESTART_REASONS.has(reason) || session.wakeRequested)
  }
  const outcome = blameIfUnclaimed(session, ended(session, 'closed', reason))
  const isUseless = session.fromScaleCheck && !session.worked && reason === 'no-wake-reason'
  return isUseless ? { ...outcome, blamesAgent: true } : outcome
}

/** It ended with its host, which counts against nothing. */
function lostProcess(session: ExitedSession, now: number): ExitOutcome {
  return {
    ...ended(session, 'asleep', 'runtime-missing', session.origin !== 'ephemeral'),
    retryAt: now + backoff(1),
    crashed: true,
  }
}

/** It exited automatically without an error. That counts against work that it left unfinished. */
function cleanExit(session: ExitedSession): ExitOutcome {
  const state = session.origin === 'ephemeral' ? 'closed' : 'asleep'
  const outcome = ended(session, state, 'no-wake-reason')
  return blameIfUnclaimed(session, { ...outcome, failures: 0, churn: 0, blamedBeads: session.work })
}

/**
 * A session that never claimed the bead it was created for counts against both, or others would repeat it indefinitely.
 */
function blameIfUnclaimed(session: ExitedSession, outcome: ExitOutcome): ExitOutcome {
  if (!session.createdFor || !session.leftUnclaimed || HELD_BY_PERSON.has(session.reason)) return outcome
  const blamedBeads = [...outcome.blamedBeads, session.createdFor]
  return { ...outcome, blamesAgent: !session.worked, blamedBeads }
}

/**
 * It ended though no one wanted that: it waits longer each time, and is given up when it crashed automatically too
 * often.
 */
function crashed(session: ExitedSession, exit: ProcessExit, now: number): ExitOutcome {
  // After the clock was set back, the lifetime is unknown and taken for long.
  const uptime = now < session.wokeAt ? PRODUCTIVE_AFTER : now - session.wokeAt
  const killed = wasKilled(exit)
  if (session.resumed && uptime < RESUME_EXIT && !killed) {
    return { ...ended(session, 'asleep', 'runtime-missing', true), dropsConversation: true }
  }
  const failures = uptime < QUICK_EXIT ? session.failures + 1 : 0
  const isEarly = uptime >= QUICK_EXIT && uptime < PRODUCTIVE_AFTER
  const churn = uptime < PRODUCTIVE_AFTER ? session.churn + Number(isEarly) : 0
  const outcome: ExitOutcome = {
    ...ended(session, 'asleep', exit.memoryLack ? OUT_OF_MEMORY : 'runtime-missing', session.origin !== 'ephemeral'),
    ...{ failures, churn, killed, crashed: true, retryAt: now + backoff(Math.max(failures, 1)) },
    ...(killed ? { blamedBeads: session.work } : blameOf(session, uptime)),
  }
  if (killed) return outcome
  const holdUntil = session.crashHoldUntil
  if (churn >= MAX_CHURN) return giveUp(session, outcome, 'context-churn', Math.max(holdUntil, now + QUARANTINE))
  if (failures >= MAX_FAILURES) return giveUp(session, outcome, 'quarantine', Math.max(holdUntil, now + QUARANTINE))
  return holdUntil > now ? giveUp(session, outcome, 'quarantine', holdUntil) : outcome
}

/** A crash counts against the work in progress. Without any it counts against the start, and the bead it was meant for. */
function blameOf(session: ExitedSession, uptime: number): Pick<ExitOutcome, 'blamedBeads' | 'blamesAgent'> {
  if (session.work.length > 0) return { blamedBeads: session.work, blamesAgent: false }
  const { createdFor, leftUnclaimed, worked } = session
  const unclaimed = createdFor && leftUnclaimed ? [createdFor] : []
  return { blamedBeads: unclaimed, blamesAgent: !worked && (uptime < QUICK_EXIT || unclaimed.length > 0) }
}

/** A session that crashed too often is held for a while; in a pool another takes its place, so it is closed. */
const giveUp = (session: ExitedSession, outcome: ExitOutcome, reason: string, until: number): ExitOutcome => ({
  ...outcome,
  ...(session.origin === 'ephemeral'
    ? { state: 'closed', retryAt: 0 }
    : { state: 'quarantined', quarantinedUntil: until }),
  reason,
  failures: 0,
  churn: 0,
})
