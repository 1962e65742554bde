import { describe, expect, test } from 'bun:test'
import { human } from '../../../src/http/guard.ts'
import { agent, CityWorld, WAITS } from '../../agents/sessions/world.ts'

const AGENTS = `${agent('mayor', WAITS, 'max_active_sessions = 1')}${agent('worker', WAITS)}
[[named_session]]
template = "mayor"
mode = "on_demand"
`

/** A city that starts nothing. */
async function quiet(): Promise<CityWorld> {
  const world = await CityWorld.open(AGENTS)
  await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', true, false))
  return world
}

describe('a session is found', () => {
  test('by id, run-time name and alias; a closed one only on request', async () => {
    await using world = await quiet()
    const { resolver, repository } = world.city.sessionServices
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker', alias: 'w' })
    const [row] = repository.live()
    const id = row?.id ?? ''
    for (const token of [id, row?.sessionName ?? '', 'w']) expect(resolver.resolve(token).id).toBe(id)
    expect(() => resolver.resolve('template:worker')).toThrow('not_found: session not found: "template:worker"')
    await world.city.sessions.running.close(id, human)
    for (const token of [id, 'w']) {
      expect(() => resolver.resolve(token)).toThrow('not_found')
      expect(resolver.resolve(token, { past: true }).id).toBe(id)
    }
  })

  test('by a configured identity, which is created on first use', async () => {
    await using world = await quiet()
    const { resolver, repository } = world.city.sessionServices
    expect(() => resolver.resolve('mayor')).toThrow('not_found')
    await world.city.sessions.messaging.message('mayor', human, { message: 'hello' })
    expect(repository.live()).toMatchObject([
      { origin: 'named', named: 'mayor', sessionName: 'mayor', state: 'start-pending' },
    ])
    await world.city.sessions.messaging.message('mayor', human, { message: 'again' })
    expect(repository.live()).toHaveLength(1)
    expect(await world.city.sessions.reading.get('mayor')).toMatchObject({
      configured_named_session: true,
      title: 'mayor',
    })
  })

  test('never by an ambiguous name', async () => {
    await using world = await quiet()
    const { resolver } = world.city.sessionServices
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker', alias: 'w' })
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker', alias: 'v' })
    await world.city.store.write((tx) => tx.orm.run("UPDATE sessions SET agent_name = 'twin' WHERE alias IS NOT NULL"))
    expect(() => resolver.resolve('twin')).toThrow(/^ambiguous: "twin" may mean mi-\d+, mi-\d+; say which$/)
  })
})

describe('an assignee', () => {
  test('is stored under the identity of its session', async () => {
    await using world = await quiet()
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker', alias: 'w' })
    const [row] = world.city.sessionRepository.live()
    const bead = await world.add({ title: 'a task' })
    expect(await world.city.beads.assign(human, bead.id, { assignee: row?.id ?? '' })).toMatchObject({
      assignee: 'w',
    })
    expect(await world.city.beads.assign(human, bead.id, { assignee: 'mayor' })).toMatchObject({
      assignee: 'mayor',
    })
    expect(world.city.sessionRepository.liveByName('named', 'mayor')).toHaveLength(1)
    expect(world.city.beads.assign(human, bead.id, { assignee: 'nobody' })).rejects.toThrow(
      '"nobody" is not an open session',
    )
  })
})
