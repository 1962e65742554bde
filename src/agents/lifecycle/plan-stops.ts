import { HELD_BY_LOGIN } from './exit-rules.ts'
import { LIVE } from './fingerprint.ts'
import { IDLE_GRACE, ON_DEMAND_IDLE } from './limits.ts'
import { hasOnlyNamedSessions, minimumSessions } from './minimum.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { AgentState, SessionSnapshot } from './snapshot.ts'

/** The reason of a drain that a person asked for by suspending its agent. */
const USER_HOLD = 'user-hold'

/** Plans the end of sessions that have nothing left to do or may not go on, and of holds that are over. */
export function planStops(builder: PlanBuilder): void {
  for (const session of builder.idle) {
    if (session.state === 'quarantined' && builder.isDue(heldUntil(session, builder.agentOf(session)))) {
      builder.add({ do: 'release', session: session.id })
    }
    if (session.state === 'draining') endDrained(builder, session)
    if (session.state === 'active') drain(builder, session)
    if (session.state === 'active' && canRefresh(session)) refresh(builder, session)
    if (session.state === 'failed-create' && session.origin === 'ephemeral') {
      builder.add({ do: 'close', session: session.id, reason: 'failed-create' })
    }
  }
}

/** A session without a login that has room is held until one of its logins has room. */
const heldUntil = ({ reason, quarantinedUntil }: SessionSnapshot, agent: AgentState | undefined): number =>
  HELD_BY_LOGIN.has(reason) && agent?.limitedUntil !== undefined ? agent.limitedUntil : quarantinedUntil

/** A person who suspended its agent ends a session also while it asks; nothing else does. */
const isLeftAlone = ({ asking, reason }: SessionSnapshot): boolean => asking && reason !== USER_HOLD

/** A draining session ends when it reports that it is done, when it has no work, or when its time is over. */
function endDrained(builder: PlanBuilder, session: SessionSnapshot): void {
  if (!session.key || isLeftAlone(session)) return
  const isDone = session.reason === 'drained' || session.work.length === 0
  const agent = builder.agentOf(session)
  const timeout = (session.reason === 'config-drift' ? agent?.driftDrainTimeout : agent?.drainTimeout) ?? 0
  if (isDone || builder.isDue(session.drainAt + timeout))
    builder.add({ do: 'end', key: session.key, session: session.id })
}

/** Whether all that changed since its start can be applied while it runs. */
const canRefresh = ({ drift }: SessionSnapshot): boolean => drift.length > 0 && drift.every((part) => part === LIVE)

function refresh(builder: PlanBuilder, session: SessionSnapshot): void {
  if (builder.idle.includes(session)) builder.add({ do: 'refresh', session: session.id })
}

function drain(builder: PlanBuilder, session: SessionSnapshot): void {
  const reason = drainReason(builder, session, builder.agentOf(session))
  if (reason) builder.add({ do: 'drain', session: session.id, reason })
}

function drainReason(
  builder: PlanBuilder,
  session: SessionSnapshot,
  agent: AgentState | undefined,
): string | undefined {
  if (isSuspended(builder, agent)) return USER_HOLD
  if (session.asking) return undefined
  if (session.work.length > 0 || session.attached || !builder.isDue(session.busyUntil)) return undefined
  if (agent && hasStartedInVain(builder, session, agent)) return 'no-wake-reason'
  if (session.messages > 0) return undefined
  if (session.origin === 'manual' && isChatIdle(builder, session)) return 'idle'
  if (!agent) return session.origin === 'manual' ? undefined : 'config-drift'
  const since = session.quietSince
  if (hasDrifted(builder, session, since)) return 'config-drift'
  const age = agent.maxAge === undefined ? undefined : agent.maxAge + session.jitter * agent.maxAgeJitter
  if (age !== undefined && builder.isDue(session.wokeAt + age)) return 'max-session-age'
  if (agent.idleTimeout !== undefined && builder.isDue(since + agent.idleTimeout)) return 'idle-timeout'
  if (session.origin === 'ephemeral') {
    return isSpare(builder, session, agent) && builder.isDue(since + IDLE_GRACE) ? 'no-wake-reason' : undefined
  }
  const limit = idleLimit(builder, session, agent)
  return limit !== undefined && builder.isDue(since + limit) ? 'idle' : undefined
}

/** Whether a session has not claimed what it was created for in the time that its program is given. */
const hasStartedInVain = (builder: PlanBuilder, session: SessionSnapshot, agent: AgentState): boolean =>
  session.origin === 'ephemeral' &&
  !session.worked &&
  session.leftUnclaimed &&
  isSpare(builder, session, agent) &&
  builder.isDue(Math.max(session.wokeAt, session.askedUntil) + agent.startupTimeout)

/** Whether a person's session has been idle for as long as its city allows. */
function isChatIdle(builder: PlanBuilder, { quietSince, wokeAt }: SessionSnapshot): boolean {
  const { idle, grace } = builder.snapshot.chat
  return idle !== undefined && builder.isDue(Math.max(quietSince + idle, wokeAt + grace))
}

/** Whether an idle session is to be restarted because its declaration changed; a person's is left to the person. */
const hasDrifted = (builder: PlanBuilder, { drift, origin }: SessionSnapshot, since: number): boolean =>
  drift.some((part) => part !== LIVE) && origin !== 'manual' && builder.isDue(since + IDLE_GRACE)

/** How long a session may be idle before it sleeps; undefined for one that stays up. */
function idleLimit(
  builder: PlanBuilder,
  { agent: name, named }: SessionSnapshot,
  agent: AgentState,
): number | undefined {
  if (builder.startOrder.isNeeded(name)) return undefined
  const identity = builder.namedOf(name).find(({ name }) => name === named)
  if (!identity) return agent.sleepAfterIdle
  if (identity.mode === 'always') return undefined
  if (hasOnlyNamedSessions(builder, agent) && Math.max(agent.demand.length, agent.scaleTarget) > 0) return undefined
  return agent.sleepAfterIdle ?? ON_DEMAND_IDLE
}

const isSuspended = (builder: PlanBuilder, agent: AgentState | undefined): boolean =>
  agent !== undefined && (agent.suspended || (builder.snapshot.rigs.get(agent.rig)?.suspended ?? false))

/** Whether enough others stay up for the agent's minimum. */
function isSpare(builder: PlanBuilder, session: SessionSnapshot, agent: AgentState): boolean {
  const others = builder.idle.filter(
    (other) =>
      other.id !== session.id && other.agent === agent.name && other.state === 'active' && other.origin === 'ephemeral',
  )
  return others.length >= minimumSessions(builder, agent)
}
