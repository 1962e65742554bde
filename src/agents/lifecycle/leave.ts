import { LIVE } from './fingerprint.ts'
import { isOnlyNamed, least } from './least.ts'
import { IDLE_GRACE, ON_DEMAND_IDLE } from './limits.ts'
import type { AgentView, SessionView } from './state.ts'
import type { Turn } from './turn.ts'

/** Lets go of sessions that have nothing left to do, may not go on, or have been held long enough. */
export function leave(turn: Turn): void {
  for (const session of turn.idle) {
    if (session.state === 'quarantined' && turn.reached(session.quarantinedUntil)) {
      turn.decide({ do: 'release', session: session.id })
    }
    if (session.state === 'draining') endDrained(turn, session)
    if (session.state === 'active') drain(turn, session)
    if (session.state === 'active' && isOnlyLive(session)) refresh(turn, session)
    if (session.state === 'failed-create' && session.origin === 'ephemeral') {
      turn.decide({ do: 'close', session: session.id, reason: 'failed-create' })
    }
  }
}

/** A draining session ends when it says so, when it has no work, or when its time is over. */
function endDrained(turn: Turn, session: SessionView): void {
  if (!session.key) return
  const over = session.reason === 'drained' || session.work.length === 0
  const agent = turn.agentOf(session)
  const timeout = (session.reason === 'config-drift' ? agent?.driftDrainTimeout : agent?.drainTimeout) ?? 0
  if (over || turn.reached(session.drainAt + timeout)) turn.decide({ do: 'end', key: session.key, session: session.id })
}

/** Whether what changed since its start can be applied to it as it runs. */
const isOnlyLive = ({ drift }: SessionView): boolean => drift.length > 0 && drift.every((part) => part === LIVE)

function refresh(turn: Turn, session: SessionView): void {
  if (turn.idle.includes(session)) turn.decide({ do: 'refresh', session: session.id })
}

function drain(turn: Turn, session: SessionView): void {
  const reason = reasonToDrain(turn, session, turn.agentOf(session))
  if (reason) turn.decide({ do: 'drain', session: session.id, reason })
}

function reasonToDrain(turn: Turn, session: SessionView, agent: AgentView | undefined): string | undefined {
  if (suspended(turn, agent)) return 'user-hold'
  if (session.work.length > 0 || session.messages > 0 || session.attached) return undefined
  if (!turn.reached(session.busyUntil)) return undefined
  if (session.origin === 'manual' && isSleepy(turn, session)) return 'idle'
  if (!agent) return session.origin === 'manual' ? undefined : 'config-drift'
  const since = session.quietSince
  if (hasDrifted(turn, session, since)) return 'config-drift'
  const age = agent.maxAge === undefined ? undefined : agent.maxAge + session.luck * agent.maxAgeJitter
  if (age !== undefined && turn.reached(session.wokeAt + age)) return 'max-session-age'
  if (agent.idleTimeout !== undefined && turn.reached(since + agent.idleTimeout)) return 'idle-timeout'
  if (session.origin === 'ephemeral') {
    return spare(turn, session, agent) && turn.reached(since + IDLE_GRACE) ? 'no-wake-reason' : undefined
  }
  const sleepy = sleepsAfter(turn, session, agent)
  return sleepy !== undefined && turn.reached(since + sleepy) ? 'idle' : undefined
}

/** Whether a person's session has been idle for as long as its city lets such ones be. */
function isSleepy(turn: Turn, { quietSince, wokeAt }: SessionView): boolean {
  const { idle, grace } = turn.situation.chat
  return idle !== undefined && turn.reached(Math.max(quietSince + idle, wokeAt + grace))
}

/** What was declared anew is taken up by a session that has been idle for a while; a person's is left to the person. */
const hasDrifted = (turn: Turn, { drift, origin }: SessionView, since: number): boolean =>
  drift.some((part) => part !== LIVE) && origin !== 'manual' && turn.reached(since + IDLE_GRACE)

/** How long a session may be idle before it sleeps; undefined for one that is kept up. */
function sleepsAfter(turn: Turn, { agent: name, named }: SessionView, agent: AgentView): number | undefined {
  if (turn.waves.needs(name)) return undefined
  const identity = turn.namedOf(name).find((one) => one.name === named)
  if (!identity) return agent.sleepAfterIdle
  if (identity.mode === 'always') return undefined
  if (isOnlyNamed(turn, agent) && Math.max(agent.demand.length, agent.scaled) > 0) return undefined
  return agent.sleepAfterIdle ?? ON_DEMAND_IDLE
}

const suspended = (turn: Turn, agent: AgentView | undefined): boolean =>
  agent !== undefined && (agent.suspended || (turn.situation.rigs.get(agent.rig)?.suspended ?? false))

/** Whether enough others stay for the agent to keep as many as it has to. */
function spare(turn: Turn, session: SessionView, agent: AgentView): boolean {
  const others = turn.idle.filter(
    (other) =>
      other.id !== session.id && other.agent === agent.name && other.state === 'active' && other.origin === 'ephemeral',
  )
  return others.length >= least(turn, agent)
}
