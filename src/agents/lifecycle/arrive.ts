import { isOnlyNamed, least } from './least.ts'
import { PARK_AFTER } from './limits.ts'
import type { AgentView, Demand, NamedView, SessionView } from './state.ts'
import type { Turn } from './turn.ts'

/** Starts what is wanted, as far as there is room: what people asked for first, then work in hand, then new work. */
export function arrive(turn: Turn): void {
  const { needed } = turn.waves
  startAsked(turn, ({ agent }) => turn.waves.needs(agent))
  for (const agent of needed) {
    raise(turn, agent)
    fill(turn, agent)
  }
  startAsked(turn, () => true)
  for (const named of turn.situation.named) keep(turn, named)
  for (const agent of turn.situation.agents) if (!needed.includes(agent)) fill(turn, agent)
}

function startAsked(turn: Turn, fits: (session: SessionView) => boolean): void {
  for (const session of turn.idle.filter((one) => asked(one) && fits(one)).sort(byRank)) start(turn, session)
}

const stopped = ({ state, key }: SessionView): boolean => !key && (state === 'start-pending' || state === 'asleep')

/** Whether someone or something wants this very session up. */
function asked(session: SessionView): boolean {
  if (!stopped(session)) return false
  if (session.wanted || session.work.length > 0 || session.messages > 0) return true
  return session.state === 'start-pending' && session.origin !== 'ephemeral'
}

const rank = (session: SessionView): number => {
  if (session.state === 'start-pending' && session.origin === 'manual') return 0
  if (session.wanted) return 1
  return session.work.length > 0 ? 2 : 3
}
const byRank = (a: SessionView, b: SessionView): number => rank(a) - rank(b)

/** Starts a stopped session, unless something forbids it or it has to wait. */
function start(turn: Turn, session: SessionView): boolean {
  const agent = turn.agentOf(session)
  if (turn.room.held(session.agent)) return false
  if (session.origin !== 'manual' && (!agent || agent.problem !== undefined)) return false
  if (session.origin === 'ephemeral' && agent && !turn.reached(agent.retryAt)) return false
  if (!turn.reached(session.retryAt) || !turn.room.fits(session.agent) || turn.waves.waits(agent)) return false
  turn.room.take(session.agent)
  turn.decide({ do: 'start', session: session.id })
  return true
}

/** Brings up a named session of an agent that others wait for; without one, its pool gets a session. */
function raise(turn: Turn, agent: AgentView): void {
  if (turn.waves.isPresent(agent.name)) return
  for (const named of turn.namedOf(agent.name)) if (bringUp(turn, named)) return
}

/** Keeps the one session of a named identity that is always to be up. */
function keep(turn: Turn, named: NamedView): void {
  const agent = turn.room.agent(named.agent)
  if (named.mode === 'always' && !(agent && lulls(turn, agent))) bringUp(turn, named)
}

/** Starts or makes the session of a named identity; false when it has one that cannot be started now. */
function bringUp(turn: Turn, named: NamedView): boolean {
  const own = bearer(turn, named)
  if (!own) return materialise(turn, named)
  return stopped(own) && turn.idle.includes(own) && start(turn, own)
}

const bearer = (turn: Turn, { name }: NamedView): SessionView | undefined =>
  turn.situation.sessions.find((session) => session.named === name && session.state !== 'closed')

function materialise(turn: Turn, named: NamedView): boolean {
  const agent = turn.room.agent(named.agent)
  if (!agent || bearer(turn, named) || turn.waves.isMade(named.name)) return false
  if (agent.problem !== undefined || turn.room.held(agent.name)) return false
  if (!turn.room.fits(agent.name) || turn.waves.waits(agent)) return false
  turn.room.take(agent.name)
  turn.decide({ do: 'create', agent: agent.name, slot: undefined, named: named.name, work: undefined })
  return true
}

/** Gives an agent the sessions that its unclaimed work and its minimum ask for, and closes those too many. */
function fill(turn: Turn, agent: AgentView): void {
  const open = offered(turn, agent)
  const own = turn.situation.sessions.filter(({ agent: of, state }) => of === agent.name && state !== 'closed')
  const pool = own.filter(({ origin }) => origin === 'ephemeral')
  const free = own.filter(({ state, work }) => work.length === 0 && (state === 'creating' || state === 'active'))
  const up = pool.filter((session) => turn.isUp(session))
  const waiting = pool.filter((session) => waits(turn, session))
  const kept = least(turn, agent)
  const lull = (kept > 0 || agent.scaled > 0) && lulls(turn, agent)
  const onlyNamed = isOnlyNamed(turn, agent)
  const unserved = (scaled: number) => Math.max(open.length, scaled) - free.filter(claims).length
  const lacking = (scaled: number, floor: number) => Math.max(onlyNamed ? 0 : unserved(scaled), floor - up.length, 0)
  if (onlyNamed) serve(turn, agent, unserved(lull ? 0 : agent.scaled))
  const missing = lull ? lacking(0, 0) : lacking(agent.scaled, kept)
  for (const session of waiting.slice(lacking(agent.scaled, kept))) {
    if (!session.busy && stopped(session)) turn.decide({ do: 'close', session: session.id, reason: 'no-wake-reason' })
  }
  for (const session of waiting.slice(0, missing)) if (stopped(session) && !session.busy) start(turn, session)
  const taken = new Set(pool.flatMap(({ madeFor, work }) => (madeFor && work.length === 0 ? [madeFor] : [])))
  const untaken = open.filter(({ bead }) => !taken.has(bead))
  create(turn, agent, pool, missing - waiting.length, untaken)
}

/** Whether an agent's sessions found nothing to do just now, and are let be for a while. */
const lulls = (turn: Turn, { lullUntil = 0 }: AgentView): boolean => !turn.reached(lullUntil)

/** Brings up named sessions of an agent that has no others, for work that waits for it. */
function serve(turn: Turn, agent: AgentView, unserved: number): void {
  if (!turn.reached(agent.retryAt)) return
  let left = unserved
  for (const named of turn.namedOf(agent.name)) if (left > 0 && bringUp(turn, named)) left--
}

/** A manual session talks with a person; it is not counted on to look for work. */
const claims = ({ origin }: SessionView): boolean => origin !== 'manual'

/** Stopped pool sessions that can take new work once they may start, those that may soonest first. */
const waits = (turn: Turn, session: SessionView): boolean =>
  session.work.length === 0 &&
  !session.wanted &&
  session.messages === 0 &&
  (session.state === 'quarantined' || (stopped(session) && (session.busy || turn.idle.includes(session))))

/** The beads that may be offered now: not those that took too many sessions down, the least harmful first. */
function offered(turn: Turn, agent: AgentView): Demand[] {
  const open: Demand[] = []
  for (const demand of agent.demand) {
    if (demand.deaths >= PARK_AFTER)
      turn.decide({ do: 'park', bead: demand.bead, agent: agent.name, deaths: demand.deaths })
    else if (turn.reached(demand.until)) open.push(demand)
  }
  return open.sort((a, b) => a.deaths - b.deaths)
}

function create(turn: Turn, agent: AgentView, pool: SessionView[], count: number, work: Demand[]): void {
  if (count <= 0 || agent.maxActive === 0 || agent.problem !== undefined || turn.room.held(agent.name)) return
  if (!turn.reached(agent.retryAt) || turn.waves.waits(agent)) return
  const slots = new Set(pool.flatMap(({ slot }) => slot ?? []))
  for (let made = 0; made < count && turn.room.fits(agent.name); made++) {
    const slot = firstFree(slots, agent.maxActive)
    if (slot === undefined) return
    slots.add(slot)
    turn.room.take(agent.name)
    turn.decide({ do: 'create', agent: agent.name, slot, named: undefined, work: work[made]?.bead })
  }
}

function firstFree(slots: ReadonlySet<number>, most = Number.POSITIVE_INFINITY): number | undefined {
  for (let slot = 1; slot <= most; slot++) if (!slots.has(slot)) return slot
  return undefined
}
