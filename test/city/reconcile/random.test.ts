import { describe, expect, test } from 'bun:test'
import { plan } from '../../../src/city/reconcile/plan.ts'
import { occupies } from '../../../src/city/reconcile/room.ts'
import type { Action, SessionView, Situation } from '../../../src/city/reconcile/state.ts'
import { anySituation, carriedOut, dice } from './worlds.ts'

const SITUATIONS = 30_000

/** What must not be decided, whatever the situation. */
function wrong(before: Situation, actions: readonly Action[]): string[] {
  const faults: string[] = []
  const about = new Set<string>()
  const byId = new Map(before.sessions.map((session) => [session.id, session]))
  const isHeld = (name: string): boolean => {
    const agent = before.agents.find((one) => one.name === name)
    const rig = agent && before.rigs.get(agent.rig)
    return before.city.suspended || (agent?.suspended ?? false) || (rig?.suspended ?? false)
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
function isEarly({ agents, sessions }: Situation, name: string): boolean {
  const on = agents.find((agent) => agent.name === name)?.dependsOn ?? []
  const of = (agent: string) =>
    sessions.filter((session) => session.agent === agent && agents.some((a) => a.name === agent))
  const isUp = (agent: string) => of(agent).some(({ state, key }) => state === 'active' && key !== undefined)
  const comes = (agent: string) =>
    of(agent).some(({ state, key, busy }) => (busy && !(state === 'active' && key)) || state === 'creating')
  return on.some((agent) => !isUp(agent) && comes(agent))
}

/** Only suspension ends a session that works. */
function drainFaults(before: Situation, session: SessionView): string[] {
  const agent = before.agents.find(({ name }) => name === session.agent)
  const suspended = agent && (agent.suspended || before.rigs.get(agent.rig)?.suspended)
  return !suspended && (session.work.length > 0 || session.attached) ? [`drain of ${session.id}, which works`] : []
}

/** What must not come about: more sessions than before where a limit was reached, or two with one identity. */
function broken(before: Situation, after: Situation): string[] {
  const faults: string[] = []
  const count = (of: Situation, fits: (session: SessionView) => boolean) =>
    of.sessions.filter((one) => occupies(one) && fits(one)).length
  const limit = (what: string, most: number | undefined, fits: (session: SessionView) => boolean) => {
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

describe('any situation', () => {
  test(`is decided lawfully, and settles: ${SITUATIONS} of them`, () => {
    let settled = 0
    for (let seed = 1; seed <= SITUATIONS; seed++) {
      let situation = anySituation(dice(seed))
      for (let turn = 0; ; turn++) {
        const { actions, due } = plan(situation)
        const faults = wrong(situation, actions)
        if (due !== undefined && due <= situation.now) faults.push('it waits for a moment that has come')
        if (faults.length > 0) throw new Error(`seed ${seed}, turn ${turn}: ${faults.join('; ')}`)
        if (actions.length === 0) {
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
