import { LIVE } from '../../launch/index.ts'
import { AGENT_SUSPENDED, decideOutcome, HELD_BY_LOGIN, HELD_BY_PERSON, type ProcessExit } from './exit-rules.ts'
import { IDLE_GRACE, ON_DEMAND_IDLE, PARK_AFTER } from './limits.ts'
import { PlanBuilder } from './plan-builder.ts'
import type {
  AgentState,
  CitySnapshot,
  DemandedBead,
  NamedSessionState,
  ProcessState,
  ReconcileAction,
  ReconcilePlan,
  SessionSnapshot,
} from './snapshot.ts'

/**
 * Decides what to do next. A pure function: the same snapshot gives the same plan, and one in which everything is done
 * gives an empty plan.
 */
export function plan(snapshot: CitySnapshot): ReconcilePlan {
  if (!snapshot.hosted) return { actions: [], due: undefined }
  const builder = new PlanBuilder(snapshot, snapshot.hosted)
  matchProcesses(builder)
  planStops(builder)
  planStarts(builder)
  return builder.plan()
}

const RUNNING = new Set(['creating', 'active', 'draining'])

/** Matches rows with processes: adopts what runs, records what exited, and ends what is unknown or unwanted. */
function matchProcesses(builder: PlanBuilder): void {
  const knownKeys = new Set<string>()
  for (const { key } of builder.snapshot.sessions) if (key) knownKeys.add(key)
  for (const session of builder.idle) {
    const action = session.key ? actionFor(session, session.key, builder) : undefined
    if (action) builder.add(action)
  }
  for (const { key } of builder.hosted.values())
    if (!knownKeys.has(key)) builder.add({ do: 'end', key, session: undefined })
}

function actionFor(session: SessionSnapshot, key: string, { hosted, now }: PlanBuilder): ReconcileAction | undefined {
  const process = hosted.get(key)
  if (!process || process.exit) {
    const exit: ProcessExit = process?.exit ?? { how: 'lost' }
    return { do: 'record-exit', session: session.id, key, exit, outcome: decideOutcome(session, exit, now) }
  }
  if (!isSameProcess(session, process) || !RUNNING.has(session.state)) return { do: 'end', key, session: session.id }
  if (session.state !== 'creating') return undefined
  return { do: 'adopt', session: session.id, pid: process.pid, startedAt: process.startedAt }
}

/** Only the key of a session is known while it is being started. */
const isSameProcess = ({ pid, processStarted }: SessionSnapshot, process: ProcessState): boolean =>
  pid === undefined || (pid === process.pid && processStarted === process.startedAt)

/** Plans the end of sessions that have nothing left to do or may not continue, and of holds that are over. */
function planStops(builder: PlanBuilder): void {
  for (const session of builder.idle) {
    if (session.state === 'quarantined' && builder.isDue(heldUntil(session, builder.agentOf(session)))) {
      builder.add({ do: 'release', session: session.id })
    }
    if (isResumed(builder, session)) builder.add({ do: 'undrain', session: session.id })
    else if (session.state === 'draining') endDrained(builder, session)
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
const isLeftAlone = ({ asking, reason }: SessionSnapshot): boolean => asking && !HELD_BY_PERSON.has(reason)

/** True if a session drains because its agent was suspended, which it no longer is. */
const isResumed = (builder: PlanBuilder, session: SessionSnapshot): boolean =>
  session.state === 'draining' && session.reason === AGENT_SUSPENDED && !isSuspended(builder, builder.agentOf(session))

/** A draining session ends when it reports that it is done, when it has no work, or when its time is over. */
function endDrained(builder: PlanBuilder, session: SessionSnapshot): void {
  if (!session.key || isLeftAlone(session)) return
  const isDone = session.reason === 'drained' || session.work.length === 0
  const agent = builder.agentOf(session)
  const timeout = (session.reason === 'config-drift' ? agent?.driftDrainTimeout : agent?.drainTimeout) ?? 0
  if (isDone || builder.isDue(session.drainAt + timeout))
    builder.add({ do: 'end', key: session.key, session: session.id })
}

/** True if all that changed since its start can be applied while it runs. */
const canRefresh = ({ drift }: SessionSnapshot): boolean => drift.length > 0 && drift.every((part) => part === LIVE)

function refresh(builder: PlanBuilder, session: SessionSnapshot): void {
  if (builder.isIdle(session)) builder.add({ do: 'refresh', session: session.id })
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
  if (isSuspended(builder, agent)) return AGENT_SUSPENDED
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
    return isSpare(builder, agent) && builder.isDue(since + IDLE_GRACE) ? 'no-wake-reason' : undefined
  }
  const limit = idleLimit(builder, session, agent)
  return limit !== undefined && builder.isDue(since + limit) ? 'idle' : undefined
}

/** True if a session has not claimed what it was created for in the time that its program is given. */
const hasStartedInVain = (builder: PlanBuilder, session: SessionSnapshot, agent: AgentState): boolean =>
  session.origin === 'ephemeral' &&
  !session.worked &&
  session.leftUnclaimed &&
  isSpare(builder, agent) &&
  builder.isDue(Math.max(session.wokeAt, session.askedUntil) + agent.startupTimeout)

/** True if a person's session has been idle for as long as its city allows. */
function isChatIdle(builder: PlanBuilder, { quietSince, wokeAt }: SessionSnapshot): boolean {
  const { idle, grace } = builder.snapshot.chat
  return idle !== undefined && builder.isDue(Math.max(quietSince + idle, wokeAt + grace))
}

/** True if an idle session should be restarted because its declaration changed; a person's is left to the person. */
const hasDrifted = (builder: PlanBuilder, { drift, origin }: SessionSnapshot, since: number): boolean =>
  drift.some((part) => part !== LIVE) && origin !== 'manual' && builder.isDue(since + IDLE_GRACE)

/** Maximum time a session may be idle before it sleeps; undefined for one that stays up. */
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

/** True if enough others stay up for the minimum of an agent, one of whose active pool sessions is idle. */
const isSpare = (builder: PlanBuilder, agent: AgentState): boolean =>
  builder.activePooled(agent.name) > minimumSessions(builder, agent)

/** Plans starts within the limits: first what people requested, then work in progress, then new work. */
function planStarts(builder: PlanBuilder): void {
  const { needed } = builder.startOrder
  startRequested(builder, ({ agent }) => builder.startOrder.isNeeded(agent))
  for (const agent of needed) {
    startNeeded(builder, agent)
    fillPool(builder, agent)
  }
  startRequested(builder, () => true)
  for (const named of builder.snapshot.named) keepNamedUp(builder, named)
  for (const agent of builder.snapshot.agents) if (!needed.includes(agent)) fillPool(builder, agent)
}

function startRequested(builder: PlanBuilder, isIncluded: (session: SessionSnapshot) => boolean): void {
  const requested = builder.idle.filter((session) => isRequested(session) && isIncluded(session))
  for (const session of requested.sort(byRank)) start(builder, session)
}

const isStopped = ({ state, key }: SessionSnapshot): boolean =>
  !key && (state === 'start-pending' || state === 'asleep')

/** True if somebody or something needs this very session. */
function isRequested(session: SessionSnapshot): boolean {
  if (!isStopped(session)) return false
  if (session.wakeRequested || session.work.length > 0 || session.messages > 0) return true
  return session.state === 'start-pending' && session.origin !== 'ephemeral'
}

const rank = (session: SessionSnapshot): number => {
  if (session.state === 'start-pending' && session.origin === 'manual') return 0
  if (session.wakeRequested) return 1
  return session.work.length > 0 ? 2 : 3
}
const byRank = (a: SessionSnapshot, b: SessionSnapshot): number => rank(a) - rank(b)

/** Starts a stopped session, unless it is blocked or has to wait. */
function start(builder: PlanBuilder, session: SessionSnapshot): boolean {
  const agent = builder.agentOf(session)
  if (builder.capacity.isBlocked(session.agent)) return false
  if (session.origin !== 'manual' && (!agent || agent.problem !== undefined)) return false
  if (session.origin === 'ephemeral' && agent && !builder.isDue(agent.retryAt)) return false
  if (session.origin !== 'manual' && isLimited(builder, agent)) return false
  if (!builder.isDue(session.retryAt) || !builder.capacity.hasRoom(session.agent)) return false
  if (builder.startOrder.mustWait(agent)) return false
  builder.capacity.reserve(session.agent)
  builder.add({ do: 'start', session: session.id })
  return true
}

/**
 * True if every login of an agent has reached its usage limit or is dead. A person may start a session all the same.
 */
const isLimited = (builder: PlanBuilder, agent: AgentState | undefined): boolean =>
  !builder.isDue(agent?.limitedUntil ?? 0)

/** Starts a named session of an agent that others wait for; without one, its pool gets a session. */
function startNeeded(builder: PlanBuilder, agent: AgentState): void {
  if (builder.startOrder.isPresent(agent.name)) return
  for (const named of builder.namedOf(agent.name)) if (startNamed(builder, named)) return
}

/** Starts the session of a named identity that is always to be up. */
function keepNamedUp(builder: PlanBuilder, named: NamedSessionState): void {
  const agent = builder.capacity.agent(named.agent)
  if (named.mode === 'always' && !(agent && isBackingOff(builder, agent))) startNamed(builder, named)
}

/** Starts or creates the session of a named identity; false when it cannot be started now. */
function startNamed(builder: PlanBuilder, named: NamedSessionState): boolean {
  const own = sessionOf(builder, named)
  if (!own) return createNamed(builder, named)
  return isStopped(own) && builder.isIdle(own) && start(builder, own)
}

const sessionOf = (builder: PlanBuilder, { name }: NamedSessionState): SessionSnapshot | undefined =>
  builder.snapshot.sessions.find((session) => session.named === name && session.state !== 'closed')

function createNamed(builder: PlanBuilder, named: NamedSessionState): boolean {
  const agent = builder.capacity.agent(named.agent)
  if (!agent || sessionOf(builder, named) || builder.startOrder.isCreated(named.name)) return false
  if (agent.problem !== undefined || builder.capacity.isBlocked(agent.name)) return false
  if (isLimited(builder, agent)) return false
  if (!builder.capacity.hasRoom(agent.name) || builder.startOrder.mustWait(agent)) return false
  builder.capacity.reserve(agent.name)
  builder.add({ do: 'create', agent: agent.name, slot: undefined, named: named.name, work: undefined })
  return true
}

/** Gives an agent the sessions that its unclaimed work and its minimum call for, and closes those beyond that. */
function fillPool(builder: PlanBuilder, agent: AgentState): void {
  const offered = offeredWork(builder, agent)
  const own = builder.snapshot.sessions.filter(({ agent: name, state }) => name === agent.name && state !== 'closed')
  const pool = own.filter(({ origin }) => origin === 'ephemeral')
  const waiting = pool.filter((session) => isWaitingForWork(builder, session))
  const minimum = minimumSessions(builder, agent)
  const isPaused = (minimum > 0 || agent.scaleTarget > 0) && isBackingOff(builder, agent)
  const onlyNamed = hasOnlyNamedSessions(builder, agent)
  const freeCount = own.filter(isFreeForWork).length
  const upCount = pool.filter((session) => builder.isUp(session)).length
  const unserved = (target: number) => Math.max(offered.length, target) - freeCount
  const missing = (target: number, floor: number) => Math.max(onlyNamed ? 0 : unserved(target), floor - upCount, 0)
  if (onlyNamed) startNamedForWork(builder, agent, unserved(isPaused ? 0 : agent.scaleTarget))
  const missingNow = isPaused ? missing(0, 0) : missing(agent.scaleTarget, minimum)
  const stoppable = (session: SessionSnapshot) => isStopped(session) && !session.busy
  for (const session of waiting.slice(missing(agent.scaleTarget, minimum)).filter(stoppable)) {
    builder.add({ do: 'close', session: session.id, reason: 'no-wake-reason' })
  }
  for (const session of waiting.slice(0, missingNow).filter(stoppable)) start(builder, session)
  const reserved = new Set(
    pool.flatMap(({ createdFor, work }) => (createdFor && work.length === 0 ? [createdFor] : [])),
  )
  const unreserved = offered.filter(({ bead }) => !reserved.has(bead))
  createPooled(builder, agent, pool, missingNow - waiting.length, unreserved)
}

/** True if an agent's last sessions found nothing to do, so that no others are started without work for a while. */
const isBackingOff = (builder: PlanBuilder, { idleBackoffUntil = 0 }: AgentState): boolean =>
  !builder.isDue(idleBackoffUntil)

/** True if a session will look for work; a manual one talks with a person and does not. */
const isFreeForWork = ({ origin, state, work }: SessionSnapshot): boolean =>
  origin !== 'manual' && work.length === 0 && (state === 'creating' || state === 'active')

/** Starts named sessions of an agent that has no others, for work that waits for it. */
function startNamedForWork(builder: PlanBuilder, agent: AgentState, unserved: number): void {
  if (!builder.isDue(agent.retryAt)) return
  let remaining = unserved
  for (const named of builder.namedOf(agent.name)) if (remaining > 0 && startNamed(builder, named)) remaining--
}

/** True if a stopped pool session can take new work once it may start. */
const isWaitingForWork = (builder: PlanBuilder, session: SessionSnapshot): boolean =>
  session.work.length === 0 &&
  !session.wakeRequested &&
  session.messages === 0 &&
  (session.state === 'quarantined' || (isStopped(session) && (session.busy || builder.isIdle(session))))

/** The beads that may be offered now, those with the fewest failures first; one with too many is parked. */
function offeredWork(builder: PlanBuilder, agent: AgentState): DemandedBead[] {
  const open: DemandedBead[] = []
  for (const demand of agent.demand) {
    if (demand.deaths >= PARK_AFTER)
      builder.add({ do: 'park', bead: demand.bead, agent: agent.name, deaths: demand.deaths })
    else if (builder.isDue(demand.until)) open.push(demand)
  }
  return open.sort((a, b) => a.deaths - b.deaths)
}

function createPooled(
  builder: PlanBuilder,
  agent: AgentState,
  pool: SessionSnapshot[],
  count: number,
  work: DemandedBead[],
): void {
  if (count <= 0 || agent.maxActive === 0 || agent.problem !== undefined || builder.capacity.isBlocked(agent.name))
    return
  if (!builder.isDue(agent.retryAt) || isLimited(builder, agent) || builder.startOrder.mustWait(agent)) return
  const slots = new Set(pool.flatMap(({ slot }) => slot ?? []))
  for (let created = 0; created < count && builder.capacity.hasRoom(agent.name); created++) {
    const slot = firstFreeSlot(slots, agent.maxActive)
    if (slot === undefined) return
    slots.add(slot)
    builder.capacity.reserve(agent.name)
    builder.add({ do: 'create', agent: agent.name, slot, named: undefined, work: work[created]?.bead })
  }
}

function firstFreeSlot(slots: ReadonlySet<number>, max = Number.POSITIVE_INFINITY): number | undefined {
  for (let slot = 1; slot <= max; slot++) if (!slots.has(slot)) return slot
  return undefined
}

/** True if an agent's work goes to its named sessions because its limit leaves no room for others. */
const hasOnlyNamedSessions = (builder: PlanBuilder, { name, maxActive }: AgentState): boolean =>
  maxActive !== undefined && maxActive <= 1 && builder.namedOf(name).length > 0

/** Number of pool sessions that an agent keeps without work. */
function minimumSessions(builder: PlanBuilder, agent: AgentState): number {
  if (hasOnlyNamedSessions(builder, agent)) return 0
  const floor = builder.startOrder.isNeeded(agent.name) && !hasSubstitute(builder, agent) ? 1 : 0
  return Math.max(agent.minActive, floor)
}

/** True if a session outside the pool is up or starting, which satisfies those who depend on the agent. */
const hasSubstitute = (builder: PlanBuilder, { name }: AgentState): boolean =>
  builder.namedOf(name).some((named) => builder.startOrder.isCreated(named.name)) ||
  builder.snapshot.sessions.some(
    (session) => session.agent === name && session.origin !== 'ephemeral' && builder.isUp(session),
  )
