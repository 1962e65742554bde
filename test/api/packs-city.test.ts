import { expect, test } from 'bun:test'
import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { TestCity, World } from '../support/world.ts'

const CITY = resolve(import.meta.dir, '../support/cities/derived')

test('a city of a base pack and a derived one is registered, shown as it is patched, and runs its agents', async () => {
  await using world = await World.open()
  const path = world.folder.at('derived')
  cpSync(CITY, path, { recursive: true })
  mkdirSync(join(path, 'yard'))
  const accepted = await world.call('POST /v0/city/register', { body: { path } })
  await world.outcome('/v0/events', accepted.body)
  const city = new TestCity(world, 'derived', path)
  expect((await city.call('GET ~/config/validate')).body).toMatchObject({ valid: true, errors: [] })
  const { body: explained } = await city.call('GET ~/config/explain')
  expect(explained.agents.map(({ dir, name, origin }: Record<string, string>) => [dir, name, origin])).toEqual([
    [undefined, 'crew.lead', 'pack-derived'],
    [undefined, 'crew.keeper', 'pack-derived'],
    ['yard', 'crew.builder', 'pack-derived'],
    ['yard', 'crew.mason', 'pack-derived'],
    [undefined, 'host', 'pack-derived'],
    [undefined, 'sh', 'pack-derived'],
    ['yard', 'sh', 'pack-derived'],
  ])
  expect(explained.patches).toEqual({ agents: 2, rigs: 1, providers: 1 })
  expect((await city.call('GET ~/rig/yard')).body).toMatchObject({ prefix: 'yd', agent_count: 2 })
  expect((await city.call('GET ~/provider/sh')).body).toMatchObject({ args: ['-c'] })
  const { body: agents } = await city.call('GET ~/agents?rig=yard')
  const builders = agents.items.filter(({ pool }: { pool?: string }) => pool === 'yard/crew.builder')
  expect(builders.map(({ name }: { name: string }) => name)).toEqual([1, 2, 3, 4].map((n) => `yard/crew.builder-${n}`))
  expect(builders[0]).toMatchObject({ pack_derived: true, pack: 'base' })
  const { body: host } = await city.call('GET ~/agent/host')
  expect([host.pack_derived, host.pack]).toEqual([true, undefined])
  expect((await city.call('PATCH ~/agent/crew.lead', { body: { provider: 'sh' } })).status).toBe(409)
  const accepted2 = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'crew.lead' } })
  const outcome = await city.outcome(accepted2.body)
  expect(outcome.type).toBe('request.result.session.create')
  const { body: session } = await city.call(`GET ~/session/${outcome.subject}`)
  expect(session).toMatchObject({ template: 'crew.lead' })
  await city.call('POST ~/unregister')
}, 20_000)
