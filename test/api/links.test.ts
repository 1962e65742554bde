import { describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { World } from '../support/world.ts'

const clerk = { name: 'clerk', provider: 'claude' }

/** Registers a folder and says why that failed. */
async function failureOf(world: World, path: string): Promise<string> {
  const accepted = await world.call('POST /v0/city/register', { body: { path } })
  if (accepted.status !== 202) return accepted.body.detail
  const { type, payload } = await world.outcome('/v0/events', accepted.body)
  expect(type).toBe('request.failed')
  return String(Object(payload).error_message)
}

describe('a link in the folder of a city', () => {
  test.each(['agents', 'agents/clerk', 'agents/clerk/agent.toml'])(
    'at %s is not written through',
    async (name) => {
      await using world = await World.open()
      const city = await world.city()
      const elsewhere = world.folder.at('elsewhere')
      mkdirSync(elsewhere)
      rmSync(join(city.path, 'agents'), { recursive: true })
      mkdirSync(join(city.path, name, '..'), { recursive: true })
      symlinkSync(name.endsWith('.toml') ? join(elsewhere, 'x') : elsewhere, join(city.path, name))
      const head = await city.head()
      const { status, body } = await city.call('POST ~/agents', { body: clerk })
      expect([status, body.detail]).toEqual([409, expect.stringContaining('is a link')])
      expect([readdirSync(elsewhere), await city.recorded(head)]).toEqual([[], []])
    },
    20_000,
  )

  test('at .gc, or in it, keeps the city from opening, and nothing is written', async () => {
    await using world = await World.open()
    const city = await world.city()
    await world.stop()
    const elsewhere = world.folder.at('elsewhere')
    for (const name of ['.gc', '.gc/city.db', '.gc/lock', '.gc/site.toml', '.gc/worktrees']) {
      cpSync(city.path, world.folder.at('moved'), { recursive: true })
      mkdirSync(elsewhere)
      const path = world.folder.at('moved', name)
      if (name.endsWith('worktrees')) mkdirSync(path)
      renameSync(path, join(elsewhere, 'goal'))
      symlinkSync(join(elsewhere, 'goal'), path)
      const before = readdirSync(elsewhere, { recursive: true })
      await world.start()
      writeFileSync(world.folder.at('moved', 'city.toml'), '[workspace]\nname = "moved"\n')
      expect(await failureOf(world, world.folder.at('moved'))).toContain(`${path} is a link`)
      await world.call('POST /v0/city/moved/unregister')
      await world.stop()
      expect(readdirSync(elsewhere, { recursive: true })).toEqual(before)
      for (const folder of [elsewhere, world.folder.at('moved')]) rmSync(folder, { recursive: true })
    }
  }, 60_000)

  test('is not followed when a city is created', async () => {
    await using world = await World.open()
    const elsewhere = world.folder.at('elsewhere')
    for (const name of ['.gc', 'agents']) {
      mkdirSync(elsewhere)
      mkdirSync(world.folder.at('fresh'))
      symlinkSync(elsewhere, world.folder.at('fresh', name))
      const { status, body } = await world.call('POST /v0/city', { body: { dir: world.folder.at('fresh') } })
      expect([status, body.detail]).toEqual([409, expect.stringContaining('is a link')])
      expect(readdirSync(elsewhere)).toEqual([])
      for (const folder of [elsewhere, world.folder.at('fresh')]) rmSync(folder, { recursive: true })
    }
  }, 20_000)
})
