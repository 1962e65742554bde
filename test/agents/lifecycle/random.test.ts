import { describe, expect, test } from 'bun:test'
import { occupiesSlot } from '../../../src/agents/lifecycle/plan/capacity.ts'
import { plan } from '../../../src/agents/lifecycle/plan/plan.ts'
import type { CitySnapshot, ReconcileAction, SessionSnapshot } from '../../../src/agents/lifecycle/plan/snapshot.ts'
import { execute, randomSnapshot, seededRandom } from './snapshots.ts'

const SNAPSHOTS = 30_000

/** The actions that are never allowed, whatever the snapshot. */
function violations(before: CitySnapshot, actions: readonly ReconcileAction[]): string[] {
  const errors: string[] = []
  const about = new Set<string>()
  const byId = new Map(before.sessions.map((session) => [session.id, session]))
  const isHeld = (name: string): boolean => {
    const agent = before.agents.find((one) => one.name === name)
    const rig = agent && before.rigs.get(agent.rig)
    return before.city.suspended || (agent && (agent.suspended || agent.blocked)) || (rig?.suspended ?? false)
  }
  for (const action of actions) {
    const id = 'session' in action ? action.session : undefined
    const session = id === undefined ? undefined : byId.get(id)
    if (id !== undefined && about.has(id)) errors.push(`two decisions about ${id}`)
    if (id !== undefined) about.add(id)
    if (session?.busy) errors.push(`${action.do} for ${id}, which is busy`)
    if (
      (action.do === 'start' && session && isHeld(session.agent)) ||
      (action.do === 'create' && isHeld(action.agent))
    ) {
      errors.push(`${action.do} for a suspended agent`)
    }
    const starts = action.do === 'create' ? action.agent : action.do === 'start' ? session?.agent : undefined
    if (starts !== undefined && isEarly(before, starts)) errors.push(`${action.do} of ${starts} too early`)
    if (action.do === 'drain' && session) errors.push(...drainErrors(before, session))
    if (action.do === 'close' && session && session.key) errors.push(`close of ${id}, which runs`)
  }
  const starts = actions.filter((action) => action.do === 'start' || action.do === 'create').length
  if (starts > before.wakes) errors.push(`${starts} starts with a budget of ${before.wakes}`)
  return errors
}

/** An agent waits while one that it depends on is on its way up. */
function isEarly({ agents, sessions }: CitySnapshot, name: string): boolean {
  const on = agents.find((agent) => agent.name === name)?.dependsOn ?? []
  const of = (agent: string) =>
    sessions.filter((session) => session.agent === agent && agents.some((a) => a.name === agent))
  const isUp = (agent: string) => of(agent).some(({ state, key }) => state === 'active' && key !== undefined)
  const comes = (agent: string) =>
    of(agent).some(({ state, key, busy }) => (busy && !(state === 'active' && key)) || state === 'creating')
  return on.some((agent) => !isUp(agent) && comes(agent))
}

/** Only suspension ends a session that works. */
function drainErrors(before: CitySnapshot, session: SessionSnapshot): string[] {
  const agent = before.agents.find(({ name }) => name === session.agent)
  const suspended = agent && (agent.suspended || before.rigs.get(agent.rig)?.suspended)
  return !suspended && (session.work.length > 0 || session.attached || session.asking)
    ? [`drain of ${session.id}, which works`]
    : []
}

/** Violated invariants: more sessions than before at a limit, or two with one identity. */
function brokenInvariants(before: CitySnapshot, after: CitySnapshot): string[] {
  const errors: string[] = []
  const count = (of: CitySnapshot, fits: (session: SessionSnapshot) => boolean) =>
    of.sessions.filter((one) => occupiesSlot(one) && fits(one)).length
  const limit = (what: string, most: number | undefined, fits: (session: SessionSnapshot) => boolean) => {
    if (most !== undefined && count(after, fits) > Math.max(most, count(before, fits)))
      errors.push(`more than ${most} in ${what}`)
  }
  const rigOf = (name: string) => before.agents.find((agent) => agent.name === name)?.rig ?? ''
  limit('the city', before.city.maxActive, () => true)
  for (const [name, { maxActive }] of before.rigs) limit(name, maxActive, ({ agent }) => rigOf(agent) === name)
  for (const { name, maxActive } of before.agents) limit(name, maxActive || undefined, ({ agent }) => agent === name)
  const identities = after.sessions
    .filter(({ state }) => state !== 'closed')
    .flatMap(({ named, agent, slot }) => named ?? (slot === undefined ? [] : `${agent}#${slot}`))
  if (new Set(identities).size < identities.length)
    errors.push(`two sessions with one identity: ${identities.join(', ')}`)
  return errors
}

/** Sessions that nothing more is decided about although they neither rest nor wait for a moment or a person. */
function stuckSessions(settled: CitySnapshot, due: number | undefined): string[] {
  return settled.sessions
    .filter((session) => !session.busy && !accepted(settled, session, due))
    .map(({ id, state }) => `${id} stays ${state}`)
}

function accepted(settled: CitySnapshot, session: SessionSnapshot, due: number | undefined): boolean {
  const { state, key, asking } = session
  const waits = (at: number) => at > settled.now && due !== undefined && due <= at
  if (state === 'active') return key !== undefined && settled.hosted?.get(key)?.exit === undefined
  if (key !== undefined) return state === 'draining' && (asking || waits(session.drainAt + 300_000))
  if (state === 'quarantined') return waits(session.quarantinedUntil)
  if (state === 'draining' || state === 'creating') return false
  if (state === 'failed-create') return session.origin !== 'ephemeral'
  if (state === 'suspended' || state === 'archived') return true
  const isWanted = session.wakeRequested || session.work.length > 0 || session.messages > 0
  const agent = settled.agents.find(({ name }) => name === session.agent)
  const retryAt = Math.max(session.retryAt, session.origin === 'ephemeral' ? (agent?.retryAt ?? 0) : 0)
  const isRequested = isWanted || (state === 'start-pending' && session.origin !== 'ephemeral')
  return !isRequested || waits(retryAt) || cannotStart(settled, session)
}

/** Reason a requested session may stay down: it is held, cannot run, has no room, or waits for another agent. */
function cannotStart(settled: CitySnapshot, { agent: name, origin }: SessionSnapshot): boolean {
  const agent = settled.agents.find((one) => one.name === name)
  const rig = agent && settled.rigs.get(agent.rig)
  if (settled.wakes === 0 || settled.city.suspended || isEarly(settled, name)) return true
  if (!agent) return origin !== 'manual' || full(settled, settled.city.maxActive, () => true)
  if (agent.suspended || agent.blocked || rig?.suspended) return true
  if (agent.problem !== undefined && origin !== 'manual') return true
  const inRig = (session: SessionSnapshot) =>
    settled.agents.find((one) => one.name === session.agent)?.rig === agent.rig
  return (
    full(settled, agent.maxActive || undefined, (session) => session.agent === name) ||
    full(settled, agent.rig ? rig?.maxActive : undefined, inRig) ||
    full(settled, settled.city.maxActive, () => true)
  )
}

const full = (
  { sessions }: CitySnapshot,
  most: number | undefined,
  fits: (session: SessionSnapshot) => boolean,
): boolean => most !== undefined && sessions.filter((session) => occupiesSlot(session) && fits(session)).length >= most

describe('a plan', () => {
  test(`keeps the invariants and converges, for ${SNAPSHOTS} random snapshots`, () => {
    let settled = 0
    for (let seed = 1; seed <= SNAPSHOTS; seed++) {
      let snapshot = randomSnapshot(seededRandom(seed))
      for (let round = 0; ; round++) {
        const { actions, due } = plan(snapshot)
        const errors = violations(snapshot, actions)
        if (due !== undefined && due <= snapshot.now) errors.push('it is due at a time that has passed')
        if (errors.length > 0) throw new Error(`seed ${seed}, round ${round}: ${errors.join('; ')}`)
        if (actions.length === 0) {
          const left = stuckSessions(snapshot, due)
          if (left.length > 0) throw new Error(`seed ${seed}, round ${round}: ${left.join('; ')}`)
          settled++
          break
        }
        if (round > 40) throw new Error(`seed ${seed} never settles: ${JSON.stringify(actions)}`)
        const after = execute(snapshot, actions)
        const damage = brokenInvariants(snapshot, after)
        if (damage.length > 0)
          throw new Error(`seed ${seed}, round ${round}: ${damage.join('; ')}; ${JSON.stringify(actions)}`)
        snapshot = after
      }
    }
    expect(settled).toBe(SNAPSHOTS)
  })

  test('is the same for the same snapshot, which it does not change', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const snapshot = randomSnapshot(seededRandom(seed))
      const before = JSON.stringify([snapshot, [...(snapshot.hosted ?? [])]])
      expect(plan(snapshot)).toEqual(plan(snapshot))
      expect(JSON.stringify([snapshot, [...(snapshot.hosted ?? [])]])).toBe(before)
    }
  })

  test('is empty while the host does not answer', () => {
    for (let seed = 1; seed <= 500; seed++) {
      expect(plan({ ...randomSnapshot(seededRandom(seed)), hosted: undefined }).actions).toEqual([])
    }
  })
})
