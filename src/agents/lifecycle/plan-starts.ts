import { PARK_AFTER } from './limits.ts'
import { hasOnlyNamedSessions, minimumSessions } from './minimum.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { AgentState, DemandedBead, NamedSessionState, SessionSnapshot } from './snapshot.ts'

/** Starts what is wanted, as far as there is room: what people asked for first, then work in hand, then new work. */
export function planStarts(turn: PlanBuilder): void {
  const { needed } = turn.startOrder
  startRequested(turn, ({ agent }) => turn.startOrder.isNeeded(agent))
  for (const agent of needed) {
    startNeeded(turn, agent)
    fillPool(turn, agent)
  }
  startRequested(turn, () => true)
  for (const named of turn.state.named) keepNamedUp(turn, named)
  for (const agent of turn.state.agents) if (!needed.includes(agent)) fillPool(turn, agent)
}

function startRequested(turn: PlanBuilder, fits: (session: SessionSnapshot) => boolean): void {
  for (const session of turn.idle.filter((one) => isRequested(one) && fits(one)).sort(byRank)) start(turn, session)
}

const isStopped = ({ state, key }: SessionSnapshot): boolean =>
  !key && (state === 'start-pending' || state === 'asleep')

/** Whether someone or something wants this very session up. */
function isRequested(session: SessionSnapshot): boolean {
  if (!isStopped(session)) return false
  if (session.wanted || session.work.length > 0 || session.messages > 0) return true
  return session.state === 'start-pending' && session.origin !== 'ephemeral'
}

const rank = (session: SessionSnapshot): number => {
  if (session.state === 'start-pending' && session.origin === 'manual') return 0
  if (session.wanted) return 1
  return session.work.length > 0 ? 2 : 3
}
const byRank = (a: SessionSnapshot, b: SessionSnapshot): number => rank(a) - rank(b)

/** Starts a stopped session, unless something forbids it or it has to wait. */
function start(turn: PlanBuilder, session: SessionSnapshot): boolean {
  const agent = turn.agentOf(session)
  if (turn.capacity.isBlocked(session.agent)) return false
  if (session.origin !== 'manual' && (!agent || agent.problem !== undefined)) return false
  if (session.origin === 'ephemeral' && agent && !turn.isDue(agent.retryAt)) return false
  if (!turn.isDue(session.retryAt) || !turn.capacity.hasRoom(session.agent) || turn.startOrder.mustWait(agent))
    return false
  turn.capacity.reserve(session.agent)
  turn.add({ do: 'start', session: session.id })
  return true
}

/** Brings up a named session of an agent that others wait for; without one, its pool gets a session. */
function startNeeded(turn: PlanBuilder, agent: AgentState): void {
  if (turn.startOrder.isPresent(agent.name)) return
  for (const named of turn.namedOf(agent.name)) if (startNamed(turn, named)) return
}

/** Keeps the one session of a named identity that is always to be up. */
function keepNamedUp(turn: PlanBuilder, named: NamedSessionState): void {
  const agent = turn.capacity.agent(named.agent)
  if (named.mode === 'always' && !(agent && isBackingOff(turn, agent))) startNamed(turn, named)
}

/** Starts or makes the session of a named identity; false when it has one that cannot be started now. */
function startNamed(turn: PlanBuilder, named: NamedSessionState): boolean {
  const own = sessionOf(turn, named)
  if (!own) return createNamed(turn, named)
  return isStopped(own) && turn.idle.includes(own) && start(turn, own)
}

const sessionOf = (turn: PlanBuilder, { name }: NamedSessionState): SessionSnapshot | undefined =>
  turn.state.sessions.find((session) => session.named === name && session.state !== 'closed')

function createNamed(turn: PlanBuilder, named: NamedSessionState): boolean {
  const agent = turn.capacity.agent(named.agent)
  if (!agent || sessionOf(turn, named) || turn.startOrder.isCreated(named.name)) return false
  if (agent.problem !== undefined || turn.capacity.isBlocked(agent.name)) return false
  if (!turn.capacity.hasRoom(agent.name) || turn.startOrder.mustWait(agent)) return false
  turn.capacity.reserve(agent.name)
  turn.add({ do: 'create', agent: agent.name, slot: undefined, named: named.name, work: undefined })
  return true
}

/** Gives an agent the sessions that its unclaimed work and its minimum ask for, and closes those too many. */
function fillPool(turn: PlanBuilder, agent: AgentState): void {
  const open = offeredWork(turn, agent)
  const own = turn.state.sessions.filter(({ agent: of, state }) => of === agent.name && state !== 'closed')
  const pool = own.filter(({ origin }) => origin === 'ephemeral')
  const free = own.filter(({ state, work }) => work.length === 0 && (state === 'creating' || state === 'active'))
  const up = pool.filter((session) => turn.isUp(session))
  const waiting = pool.filter((session) => isWaitingForWork(turn, session))
  const kept = minimumSessions(turn, agent)
  const lull = (kept > 0 || agent.scaled > 0) && isBackingOff(turn, agent)
  const onlyNamed = hasOnlyNamedSessions(turn, agent)
  const unserved = (scaled: number) => Math.max(open.length, scaled) - free.filter(takesWork).length
  const lacking = (scaled: number, floor: number) => Math.max(onlyNamed ? 0 : unserved(scaled), floor - up.length, 0)
  if (onlyNamed) startNamedForWork(turn, agent, unserved(lull ? 0 : agent.scaled))
  const missing = lull ? lacking(0, 0) : lacking(agent.scaled, kept)
  for (const session of waiting.slice(lacking(agent.scaled, kept))) {
    if (!session.busy && isStopped(session)) turn.add({ do: 'close', session: session.id, reason: 'no-wake-reason' })
  }
  for (const session of waiting.slice(0, missing)) if (isStopped(session) && !session.busy) start(turn, session)
  const taken = new Set(pool.flatMap(({ madeFor, work }) => (madeFor && work.length === 0 ? [madeFor] : [])))
  const untaken = open.filter(({ bead }) => !taken.has(bead))
  createPooled(turn, agent, pool, missing - waiting.length, untaken)
}

/** Whether an agent's sessions found nothing to do just now, and are let be for a while. */
const isBackingOff = (turn: PlanBuilder, { idleBackoffUntil = 0 }: AgentState): boolean => !turn.isDue(idleBackoffUntil)

/** Brings up named sessions of an agent that has no others, for work that waits for it. */
function startNamedForWork(turn: PlanBuilder, agent: AgentState, unserved: number): void {
  if (!turn.isDue(agent.retryAt)) return
  let left = unserved
  for (const named of turn.namedOf(agent.name)) if (left > 0 && startNamed(turn, named)) left--
}

/** A manual session talks with a person; it is not counted on to look for work. */
const takesWork = ({ origin }: SessionSnapshot): boolean => origin !== 'manual'

/** Stopped pool sessions that can take new work once they may start, those that may soonest first. */
const isWaitingForWork = (turn: PlanBuilder, session: SessionSnapshot): boolean =>
  session.work.length === 0 &&
  !session.wanted &&
  session.messages === 0 &&
  (session.state === 'quarantined' || (isStopped(session) && (session.busy || turn.idle.includes(session))))

/** The beads that may be offered now: not those that took too many sessions down, the least harmful first. */
function offeredWork(turn: PlanBuilder, agent: AgentState): DemandedBead[] {
  const open: DemandedBead[] = []
  for (const demand of agent.demand) {
    if (demand.deaths >= PARK_AFTER)
      turn.add({ do: 'park', bead: demand.bead, agent: agent.name, deaths: demand.deaths })
    else if (turn.isDue(demand.until)) open.push(demand)
  }
  return open.sort((a, b) => a.deaths - b.deaths)
}

function createPooled(
  turn: PlanBuilder,
  agent: AgentState,
  pool: SessionSnapshot[],
  count: number,
  work: DemandedBead[],
): void {
  if (count <= 0 || agent.maxActive === 0 || agent.problem !== undefined || turn.capacity.isBlocked(agent.name)) return
  if (!turn.isDue(agent.retryAt) || turn.startOrder.mustWait(agent)) return
  const slots = new Set(pool.flatMap(({ slot }) => slot ?? []))
  for (let made = 0; made < count && turn.capacity.hasRoom(agent.name); made++) {
    const slot = firstFreeSlot(slots, agent.maxActive)
    if (slot === undefined) return
    slots.add(slot)
    turn.capacity.reserve(agent.name)
    turn.add({ do: 'create', agent: agent.name, slot, named: undefined, work: work[made]?.bead })
  }
}

function firstFreeSlot(slots: ReadonlySet<number>, most = Number.POSITIVE_INFINITY): number | undefined {
  for (let slot = 1; slot <= most; slot++) if (!slots.has(slot)) return slot
  return undefined
}
