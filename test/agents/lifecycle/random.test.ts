import { describe, expect, test } from 'bun:test'
import { occupiesSlot } from '../../../src/agents/lifecycle/capacity.ts'
import { plan } from '../../../src/agents/lifecycle/plan.ts'
import type { CitySnapshot, ReconcileAction, SessionSnapshot } from '../../../src/agents/lifecycle/snapshot.ts'
import { anySituation, carriedOut, dice } from './worlds.ts'

const SITUATIONS = 30_000

/** What must not be decided, whatever the situation. */
function wrong(before: CitySnapshot, actions: readonly ReconcileAction[]): string[] {
  const faults: string[] = []
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
    if (id !== undefined && about.has(id)) faults.push(`two decisions about ${id}`)
    if (id !== undefined) about.add(id)
    if (session?.busy) faults.push(`${action.do} for ${id}, which is busy`)
    if (
      (action.do === 'start' && session && isHeld(session.agent)) ||
      (action.do === 'create' && isHeld(action.agent))
    ) {
      faults.push(`${action.do} for a suspended agent`)
    }
    const starts = action.do === 'create' ? action.agent : action.do === 'start' ? session?.agent : undefined
    if (starts !== undefined && isEarly(before, starts)) faults.push(`${action.do} of ${starts} before its turn`)
    if (action.do === 'drain' && session) faults.push(...drainFaults(before, session))
    if (action.do === 'close' && session && session.key) faults.push(`close of ${id}, which runs`)
  }
  const starts = actions.filter((action) => action.do === 'start' || action.do === 'create').length
  if (starts > before.wakes) faults.push(`${starts} starts with a budget of ${before.wakes}`)
  return faults
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
function drainFaults(before: CitySnapshot, session: SessionSnapshot): string[] {
  const agent = before.agents.find(({ name }) => name === session.agent)
  const suspended = agent && (agent.suspended || before.rigs.get(agent.rig)?.suspended)
  return !suspended && (session.work.length > 0 || session.attached) ? [`drain of ${session.id}, which works`] : []
}

/** What must not come about: more sessions than before where a limit was reached, or two with one identity. */
function broken(before: CitySnapshot, after: CitySnapshot): string[] {
  const faults: string[] = []
  const count = (of: CitySnapshot, fits: (session: SessionSnapshot) => boolean) =>
    of.sessions.filter((one) => occupiesSlot(one) && fits(one)).length
  const limit = (what: string, most: number | undefined, fits: (session: SessionSnapshot) => boolean) => {
    if (most !== undefined && count(after, fits) > Math.max(most, count(before, fits)))
      faults.push(`more than ${most} in ${what}`)
  }
  const rigOf = (name: string) => before.agents.find((agent) => agent.name === name)?.rig ?? ''
  limit('the city', before.city.maxActive, () => true)
  for (const [name, { maxActive }] of before.rigs) limit(name, maxActive, ({ agent }) => rigOf(agent) === name)
  for (const { name, maxActive } of before.agents) limit(name, maxActive || undefined, ({ agent }) => agent === name)
  const identities = after.sessions
    .filter(({ state }) => state !== 'closed')
    .flatMap(({ named, agent, slot }) => named ?? (slot === undefined ? [] : `${agent}#${slot}`))
  if (new Set(identities).size < identities.length)
    faults.push(`two sessions with one identity: ${identities.join(', ')}`)
  return faults
}

/** Sessions that nothing more is decided about although they neither rest nor wait for a moment or a person. */
function stuck(settled: CitySnapshot, due: number | undefined): string[] {
  return settled.sessions
    .filter((session) => !session.busy && !accepted(settled, session, due))
    .map(({ id, state }) => `${id} stays ${state}`)
}

function accepted(settled: CitySnapshot, session: SessionSnapshot, due: number | undefined): boolean {
  const { state, key } = session
  const waits = (moment: number) => moment > settled.now && due !== undefined && due <= moment
  if (state === 'active') return key !== undefined && settled.hosted?.get(key)?.exit === undefined
  if (key !== undefined) return state === 'draining' && waits(session.drainAt + 300_000)
  if (state === 'quarantined') return waits(session.quarantinedUntil)
  if (state === 'draining' || state === 'creating') return false
  if (state === 'failed-create') return session.origin !== 'ephemeral'
  if (state === 'suspended' || state === 'archived') return true
  const wanted = session.wakeRequested || session.work.length > 0 || session.messages > 0
  const agent = settled.agents.find(({ name }) => name === session.agent)
  const retryAt = Math.max(session.retryAt, session.origin === 'ephemeral' ? (agent?.retryAt ?? 0) : 0)
  const asked = wanted || (state === 'start-pending' && session.origin !== 'ephemeral')
  return !asked || waits(retryAt) || cannotStart(settled, session)
}

/** Why a session that is asked for may stay down: it is held, cannot run, finds no place, or waits for another agent. */
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

describe('any situation', () => {
  test(`is decided lawfully, and settles in what it accepts: ${SITUATIONS} of them`, () => {
    let settled = 0
    for (let seed = 1; seed <= SITUATIONS; seed++) {
      let situation = anySituation(dice(seed))
      for (let turn = 0; ; turn++) {
        const { actions, due } = plan(situation)
        const faults = wrong(situation, actions)
        if (due !== undefined && due <= situation.now) faults.push('it waits for a moment that has come')
        if (faults.length > 0) throw new Error(`seed ${seed}, turn ${turn}: ${faults.join('; ')}`)
        if (actions.length === 0) {
          const left = stuck(situation, due)
          if (left.length > 0) throw new Error(`seed ${seed}, turn ${turn}: ${left.join('; ')}`)
          settled++
          break
        }
        if (turn > 40) throw new Error(`seed ${seed} never settles: ${JSON.stringify(actions)}`)
        const after = carriedOut(situation, actions)
        const damage = broken(situation, after)
        if (damage.length > 0)
          throw new Error(`seed ${seed}, turn ${turn}: ${damage.join('; ')}; ${JSON.stringify(actions)}`)
        situation = after
      }
    }
    expect(settled).toBe(SITUATIONS)
  })

  test('is decided the same way twice, and without changing what it was given', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const situation = anySituation(dice(seed))
      const before = JSON.stringify([situation, [...(situation.hosted ?? [])]])
      expect(plan(situation)).toEqual(plan(situation))
      expect(JSON.stringify([situation, [...(situation.hosted ?? [])]])).toBe(before)
    }
  })

  test('in which the host cannot be asked is left as it is', () => {
    for (let seed = 1; seed <= 500; seed++) {
      expect(plan({ ...anySituation(dice(seed)), hosted: undefined }).actions).toEqual([])
    }
  })
})
