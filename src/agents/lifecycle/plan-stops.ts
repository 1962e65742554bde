import { LIVE } from './fingerprint.ts'
import { IDLE_GRACE, ON_DEMAND_IDLE } from './limits.ts'
import { hasOnlyNamedSessions, minimumSessions } from './minimum.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { AgentState, SessionSnapshot } from './snapshot.ts'

/** Lets go of sessions that have nothing left to do, may not go on, or have been held long enough. */
export function planStops(turn: PlanBuilder): void {
  for (const session of turn.idle) {
    if (session.state === 'quarantined' && turn.isDue(session.quarantinedUntil)) {
      turn.add({ do: 'release', session: session.id })
    }
    if (session.state === 'draining') endDrained(turn, session)
    if (session.state === 'active') drain(turn, session)
    if (session.state === 'active' && canRefresh(session)) refresh(turn, session)
    if (session.state === 'failed-create' && session.origin === 'ephemeral') {
      turn.add({ do: 'close', session: session.id, reason: 'failed-create' })
    }
  }
}

/** A draining session ends when it says so, when it has no work, or when its time is over. */
function endDrained(turn: PlanBuilder, session: SessionSnapshot): void {
  if (!session.key) return
  const over = session.reason === 'drained' || session.work.length === 0
  const agent = turn.agentOf(session)
  const timeout = (session.reason === 'config-drift' ? agent?.driftDrainTimeout : agent?.drainTimeout) ?? 0
  if (over || turn.isDue(session.drainAt + timeout)) turn.add({ do: 'end', key: session.key, session: session.id })
}

/** Whether what changed since its start can be applied to it as it runs. */
const canRefresh = ({ drift }: SessionSnapshot): boolean => drift.length > 0 && drift.every((part) => part === LIVE)

function refresh(turn: PlanBuilder, session: SessionSnapshot): void {
  if (turn.idle.includes(session)) turn.add({ do: 'refresh', session: session.id })
}

function drain(turn: PlanBuilder, session: SessionSnapshot): void {
  const reason = drainReason(turn, session, turn.agentOf(session))
  if (reason) turn.add({ do: 'drain', session: session.id, reason })
}

function drainReason(turn: PlanBuilder, session: SessionSnapshot, agent: AgentState | undefined): string | undefined {
  if (isSuspended(turn, agent)) return 'user-hold'
  if (session.work.length > 0 || session.messages > 0 || session.attached) return undefined
  if (!turn.isDue(session.busyUntil)) return undefined
  if (session.origin === 'manual' && isChatIdle(turn, session)) return 'idle'
  if (!agent) return session.origin === 'manual' ? undefined : 'config-drift'
  const since = session.quietSince
  if (hasDrifted(turn, session, since)) return 'config-drift'
  const age = agent.maxAge === undefined ? undefined : agent.maxAge + session.luck * agent.maxAgeJitter
  if (age !== undefined && turn.isDue(session.wokeAt + age)) return 'max-session-age'
  if (agent.idleTimeout !== undefined && turn.isDue(since + agent.idleTimeout)) return 'idle-timeout'
  if (session.origin === 'ephemeral') {
    return isSpare(turn, session, agent) && turn.isDue(since + IDLE_GRACE) ? 'no-wake-reason' : undefined
  }
  const sleepy = idleLimit(turn, session, agent)
  return sleepy !== undefined && turn.isDue(since + sleepy) ? 'idle' : undefined
}

/** Whether a person's session has been idle for as long as its city lets such ones be. */
function isChatIdle(turn: PlanBuilder, { quietSince, wokeAt }: SessionSnapshot): boolean {
  const { idle, grace } = turn.state.chat
  return idle !== undefined && turn.isDue(Math.max(quietSince + idle, wokeAt + grace))
}

/** What was declared anew is taken up by a session that has been idle for a while; a person's is left to the person. */
const hasDrifted = (turn: PlanBuilder, { drift, origin }: SessionSnapshot, since: number): boolean =>
  drift.some((part) => part !== LIVE) && origin !== 'manual' && turn.isDue(since + IDLE_GRACE)

/** How long a session may be idle before it sleeps; undefined for one that is kept up. */
function idleLimit(turn: PlanBuilder, { agent: name, named }: SessionSnapshot, agent: AgentState): number | undefined {
  if (turn.startOrder.isNeeded(name)) return undefined
  const identity = turn.namedOf(name).find((one) => one.name === named)
  if (!identity) return agent.sleepAfterIdle
  if (identity.mode === 'always') return undefined
  if (hasOnlyNamedSessions(turn, agent) && Math.max(agent.demand.length, agent.scaled) > 0) return undefined
  return agent.sleepAfterIdle ?? ON_DEMAND_IDLE
}

const isSuspended = (turn: PlanBuilder, agent: AgentState | undefined): boolean =>
  agent !== undefined && (agent.suspended || (turn.state.rigs.get(agent.rig)?.suspended ?? false))

/** Whether enough others stay for the agent to keep as many as it has to. */
function isSpare(turn: PlanBuilder, session: SessionSnapshot, agent: AgentState): boolean {
  const others = turn.idle.filter(
    (other) =>
      other.id !== session.id && other.agent === agent.name && other.state === 'active' && other.origin === 'ephemeral',
  )
  return others.length >= minimumSessions(turn, agent)
}
