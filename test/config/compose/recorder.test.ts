import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/core/clock.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'

const TOWN = '[[rigs]]\nname = "shop"\npath = "/srv/shop"\n'
const CHECK: Caller = { kind: 'process', city: 'c', name: 'scale_check of worker' }

async function openCity() {
  const town = scriptedTown(TOWN)
  const city = await town.open()
  const changes = () =>
    city.log
      .after(0, 1000)
      .filter(({ type }) => type === 'config.changed')
      .map(({ actor, payload }) => [actor, payload])
  return { town, city, changes, [Symbol.asyncDispose]: () => town[Symbol.asyncDispose]() }
}

const of = (...files: string[]) => ({ files, total: files.length })

test('every edit is recorded before it is answered, with who made it and which files differ', async () => {
  await using world = await openCity()
  const { city } = world
  await city.providerDeclarations.create(human, { name: 'own', command: 'own' })
  await city.agents.create(CHECK, { name: 'clerk', provider: 'own' })
  await city.patches.putAgent(human, { name: 'clerk', provider: 'claude' }, false)
  await city.patches.remove(human, 'agent', 'clerk', false)
  await city.rigs.change(human, 'shop', { prefix: 'sh' })
  await city.agents.remove(CHECK, 'clerk')
  await city.providerDeclarations.remove({ kind: 'operator' }, 'own')
  expect(world.changes()).toEqual([
    ['human', of('city.toml')],
    ['scale_check of worker', of('agents/clerk/agent.toml')],
    ['human', of('city.toml')],
    ['human', of('city.toml')],
    ['human', of('city.toml')],
    ['scale_check of worker', of('agents/clerk/agent.toml')],
    ['operator', of('city.toml')],
  ])
})

test('an edit that is refused, and one that changes nothing, record nothing', async () => {
  await using world = await openCity()
  const { city } = world
  await expect(city.agents.create(human, { name: 'clerk', provider: 'nobody' })).rejects.toThrow('nobody')
  expect(await city.configViews.reload(human)).toMatchObject({ outcome: 'no_change' })
  expect(world.changes()).toEqual([])
})

test('files that were edited on disk are recorded as read by gc, or by anyone who asked to read them', async () => {
  await using world = await openCity()
  const { town, city } = world
  town.declare(`${TOWN}[[rigs]]\nname = "lib"\npath = "/srv/lib"\n`)
  await city.configViews.reload(human)
  town.declare(TOWN)
  await city.config.reload()
  expect(world.changes()).toEqual([
    ['human', of('city.toml')],
    ['gc/config', of('city.toml')],
  ])
})

test('a reload that comes after its change was seen says since when that is in effect, and which files came then', async () => {
  await using world = await openCity()
  const { town, city } = world
  const opened = toTimestamp(town.clock.now())
  expect(await city.configViews.reload(human)).toMatchObject({ in_force_since: opened, files: [] })
  await town.clock.advance(60_000)
  town.declare(`${TOWN}[[rigs]]\nname = "lib"\npath = "/srv/lib"\n`)
  await city.config.reload()
  const seen = toTimestamp(town.clock.now())
  await town.clock.advance(60_000)
  expect(await city.configViews.reload(human)).toMatchObject({
    ...{ outcome: 'no_change', in_force_since: seen, files: ['city.toml'] },
  })
})

test('a change of very many files names the first hundred and says how many there are', async () => {
  await using world = await openCity()
  const { city } = world
  const drafts = new Map(
    Array.from({ length: 120 }, (_, n) => [`agents/a-${100 + n}/agent.toml`, 'provider = "claude"\n'] as const),
  )
  await city.config.edit({ kind: 'operator', name: 'operator' }, () => drafts)
  const [, payload] = world.changes()[0] ?? []
  expect(payload).toMatchObject({ total: 120 })
  expect((payload as { files: string[] }).files).toHaveLength(100)
})
