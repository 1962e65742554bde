import { PARK_AFTER } from './limits.ts'
import { hasOnlyNamedSessions, minimumSessions } from './minimum.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { AgentState, DemandedBead, NamedSessionState, SessionSnapshot } from './snapshot.ts'

/** Plans starts within the limits: first what people requested, then work in progress, then new work. */
export function planStarts(builder: PlanBuilder): void {
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

/** Whether somebody or something needs this very session. */
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

/** Whether every login of an agent has reached its usage limit or is dead. A person may start a session all the same. */
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
  return isStopped(own) && builder.idle.includes(own) && start(builder, own)
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

/** Whether an agent's last sessions found nothing to do, so that no others are started without work for a while. */
const isBackingOff = (builder: PlanBuilder, { idleBackoffUntil = 0 }: AgentState): boolean =>
  !builder.isDue(idleBackoffUntil)

/** Whether a session will look for work; a manual one talks with a person and does not. */
const isFreeForWork = ({ origin, state, work }: SessionSnapshot): boolean =>
  origin !== 'manual' && work.length === 0 && (state === 'creating' || state === 'active')

/** Starts named sessions of an agent that has no others, for work that waits for it. */
function startNamedForWork(builder: PlanBuilder, agent: AgentState, unserved: number): void {
  if (!builder.isDue(agent.retryAt)) return
  let remaining = unserved
  for (const named of builder.namedOf(agent.name)) if (remaining > 0 && startNamed(builder, named)) remaining--
}

/** Whether a stopped pool session can take new work once it may start. */
const isWaitingForWork = (builder: PlanBuilder, session: SessionSnapshot): boolean =>
  session.work.length === 0 &&
  !session.wakeRequested &&
  session.messages === 0 &&
  (session.state === 'quarantined' || (isStopped(session) && (session.busy || builder.idle.includes(session))))

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
