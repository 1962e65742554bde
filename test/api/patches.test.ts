import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { changesProviders, errorOf, type Town, towns } from './town.ts'

const rejection = async (...request: Parameters<typeof errorOf>) => (await errorOf(...request)).split(':')[0]

const coverage = new OperationCoverage(({ tag, id }) => tag === 'patches' || changesProviders(id))
const openTown = towns(coverage)

const CITY = `# mine
[providers.sh]
command = "sh"
env = { A = "1" }
[[agent]]
name = "worker"
provider = "sh"
env = { A = "1", B = "2" }
[[rigs]]
name = "shop"
path = "."
[[agent]]
name = "helper"
dir = "shop"
provider = "sh"
`

const textOf = ({ city }: Town): string => readFileSync(join(city.path, 'city.toml'), 'utf8')
const put = ({ city }: Town, kind: 'agents' | 'rigs' | 'providers', body: Record<string, unknown>, forced = false) =>
  city.call(`PUT ~/patches/${kind}`, { body, ...(forced && { headers: { 'X-GC-Force': '1' } }) })

describe('a patch', () => {
  test('of an agent is a block of city.toml, is in force at once, and is seen as it was put', async () => {
    await using town = await openTown(CITY)
    const { city } = town
    const before = textOf(town)
    const head = await city.head()
    const saved = await put(town, 'agents', { name: 'worker', suspended: true, env: { B: '3' }, tmux_alias: 't' })
    expect([saved.status, saved.body]).toEqual([200, { status: 'ok', agent_patch: 'worker' }])
    expect(textOf(town)).toBe(
      `${before}\n[[patches.agent]] # put over the API\nname = "worker"\nsuspended = true\nenv = { B = "3" }\ntmux_alias = "t"\n`,
    )
    const patch = {
      Name: 'worker',
      Dir: '',
      Suspended: true,
      Env: { B: '3' },
      TmuxAlias: 't',
      Provider: null,
      Args: null,
    }
    expect((await city.call('GET ~/patches/agent/worker')).body).toMatchObject(patch)
    expect((await city.call('GET ~/patches/agents')).body).toMatchObject({ items: [patch], total: 1 })
    expect((await city.call('GET ~/agent/worker')).body).toMatchObject({ suspended: true })
    expect((await city.call('GET ~/config')).body).toMatchObject({ patches: { agent_count: 1 } })
    expect(await city.recorded(head)).toMatchObject([{ type: 'config.changed', actor: 'human' }])
    const deleted = await city.call('DELETE ~/patches/agent/worker')
    expect([deleted.status, deleted.body]).toEqual([200, { status: 'deleted', agent_patch: 'worker' }])
    expect(textOf(town)).toBe(before)
    expect(await rejection(city, 'GET ~/patches/agent/worker')).toBe('404 patch-not-found')
    expect(await rejection(city, 'DELETE ~/patches/agent/worker')).toBe('404 patch-not-found')
  })

  test('is replaced whole by the next one of its name', async () => {
    await using town = await openTown(CITY)
    await put(town, 'agents', { name: 'worker', suspended: true })
    await put(town, 'agents', { name: 'worker', env: { C: '1' } })
    const { body } = await town.city.call('GET ~/patches/agents')
    expect(body).toMatchObject({ items: [{ Suspended: null, Env: { C: '1' } }], total: 1 })
  })

  test('of an agent of a rig has the path of its rig', async () => {
    await using town = await openTown(CITY)
    const { city } = town
    expect((await put(town, 'agents', { dir: 'shop', name: 'helper', suspended: true })).body).toMatchObject({
      agent_patch: 'shop/helper',
    })
    expect((await city.call('GET ~/patches/agent/shop/helper')).body).toMatchObject({ Dir: 'shop', Name: 'helper' })
    expect((await city.call('DELETE ~/patches/agent/shop/helper')).status).toBe(200)
  })

  test('of a rig or of a provider is kept the same way', async () => {
    await using town = await openTown(CITY)
    const { city } = town
    expect((await put(town, 'rigs', { name: 'shop', prefix: 'zz', default_branch: 'trunk' })).body).toEqual({
      ...{ status: 'ok', rig_patch: 'shop' },
    })
    expect((await city.call('GET ~/rig/shop')).body).toMatchObject({ prefix: 'zz', default_branch: 'trunk' })
    expect((await city.call('GET ~/patches/rig/shop')).body).toMatchObject({ Prefix: 'zz', FormulaVars: {} })
    expect((await city.call('GET ~/patches/rigs')).body).toMatchObject({ total: 1 })
    expect((await city.call('DELETE ~/patches/rig/shop')).body).toEqual({ status: 'deleted', rig_patch: 'shop' })
    expect((await put(town, 'providers', { name: 'sh', args: ['-x'], env: { B: '2' } })).body).toEqual({
      ...{ status: 'ok', provider_patch: 'sh' },
    })
    expect((await city.call('GET ~/provider/sh')).body).toMatchObject({ args: ['-x'], env: { A: '1', B: '2' } })
    expect((await city.call('GET ~/patches/provider/sh')).body).toMatchObject({ Args: ['-x'], Replace: false })
    expect((await city.call('GET ~/patches/providers')).body).toMatchObject({ total: 1 })
    expect((await city.call('DELETE ~/patches/provider/sh')).status).toBe(200)
  })

  test.each([
    ['agents', { name: 'ghost', suspended: true }, 'there is no agent "ghost"'],
    ['agents', { provider: 'sh' }, 'name is required'],
    ['agents', { name: 'worker', scope: 'moon' }, 'must be city or rig, not "moon"'],
    ['rigs', { name: 'ghost' }, 'there is no rig "ghost"'],
    ['providers', { name: 'codex', command: 'x' }, 'provider "codex" is not declared'],
  ] as const)('of %s that cannot be applied is refused and changes nothing: %j', async (kind, body, message) => {
    await using town = await openTown(CITY)
    const before = textOf(town)
    const error = await errorOf(town.city, `PUT ~/patches/${kind}`, { body })
    expect(error).toStartWith('400 invalid-request: ')
    expect(error).toContain(message)
    expect(textOf(town)).toBe(before)
  })

  test('that a person wrote is replaced only by force', async () => {
    const own = '[[patches.agent]]\nname = "worker"\nargs = ["mine"]\n'
    await using town = await openTown(`${CITY}${own}`)
    const { city } = town
    const before = textOf(town)
    expect((await city.call('GET ~/patches/agent/worker')).body).toMatchObject({ Args: ['mine'] })
    const body = { name: 'worker', suspended: true }
    expect(await rejection(city, 'PUT ~/patches/agents', { body })).toBe('409 conflict-wrong-state')
    expect(await rejection(city, 'DELETE ~/patches/agent/worker')).toBe('409 conflict-wrong-state')
    expect(textOf(town)).toBe(before)
    expect((await put(town, 'agents', { name: 'worker', suspended: true }, true)).status).toBe(200)
    expect((await city.call('GET ~/patches/agent/worker')).body).toMatchObject({ Args: null, Suspended: true })
  })

  test("of any kind that is not there is not found, and a person's is a conflict", async () => {
    const own = [
      '[[patches.agent]]\ndir = "shop"\nname = "helper"\n',
      '[[patches.rigs]]\nname = "shop"\n',
      '[[patches.providers]]\nname = "sh"\n',
    ]
    await using town = await openTown(`${CITY}${own.join('')}`)
    const { city } = town
    for (const path of ['agent/shop/none', 'rig/none', 'provider/none']) {
      for (const verb of ['GET', 'DELETE']) {
        expect(await rejection(city, `${verb} ~/patches/${path}`)).toBe('404 patch-not-found')
      }
    }
    for (const path of ['agent/shop/helper', 'rig/shop', 'provider/sh']) {
      expect(await rejection(city, `DELETE ~/patches/${path}`)).toBe('409 conflict-wrong-state')
    }
    expect(await rejection(city, 'PUT ~/patches/rigs', { body: { name: 'shop' } })).toBe('409 conflict-wrong-state')
    expect(await rejection(city, 'PUT ~/patches/providers', { body: { name: 'sh' } })).toBe('409 conflict-wrong-state')
  })

  test('of pack.toml is shown, and taken out there', async () => {
    await using town = await openTown(CITY)
    const { city } = town
    const pack = '[pack]\nname = "p"\nschema = 1\n[[patches.agent]]\nname = "worker"\nsuspended = true\n'
    writeFileSync(join(city.path, 'pack.toml'), pack)
    await put(town, 'agents', { name: 'helper', dir: 'shop', suspended: true })
    expect((await city.call('GET ~/patches/agents')).body).toMatchObject({
      items: [{ Name: 'worker' }, { Name: 'helper' }],
    })
    expect(await rejection(city, 'DELETE ~/patches/agent/worker')).toBe('409 conflict-wrong-state')
  })
})

describe('a provider', () => {
  test('is declared in city.toml, changed and removed', async () => {
    await using town = await openTown(CITY)
    const { city } = town
    const head = await city.head()
    const before = textOf(town)
    const body = { name: 'mine', command: 'run', args: ['a'], env: { A: '1' } }
    const created = await city.call('POST ~/providers', { body })
    expect([created.status, created.body]).toEqual([201, { status: 'created', provider: 'mine' }])
    expect((await city.call('GET ~/provider/mine')).body).toMatchObject({ command: 'run', city_level: true })
    expect(await rejection(city, 'POST ~/providers', { body })).toBe('409 conflict-wrong-state')
    const changed = await city.call('PATCH ~/provider/mine', {
      body: { args: [], env: { B: '2' }, display_name: null },
    })
    expect([changed.status, changed.body]).toEqual([200, { status: 'updated' }])
    const { body: shown } = await city.call('GET ~/provider/mine')
    expect(shown).toEqual({ name: 'mine', builtin: false, city_level: true, command: 'run', env: { A: '1', B: '2' } })
    expect((await city.call('DELETE ~/provider/mine')).body).toEqual({ status: 'deleted' })
    expect(textOf(town)).toBe(before)
    expect((await city.recorded(head)).map(({ type }) => type)).toEqual(Array(3).fill('config.changed'))
  })

  test('keeps the table of its environment where it is', async () => {
    await using town = await openTown(`${CITY}[providers.mine]\ncommand = "x"\n[providers.mine.env]\nA = "1"\n`)
    expect((await town.city.call('PATCH ~/provider/mine', { body: { env: { B: '2' } } })).status).toBe(200)
    expect(textOf(town)).toEndWith('[providers.mine.env]\nA = "1"\nB = "2"\n')
  })

  test.each([
    ['without command or base', { name: 'x' }],
    ['with a name that has a colon', { name: 'a:b', command: 'x' }],
    ['with an unknown way to give prompts', { name: 'x', command: 'x', prompt_mode: 'telepathy' }],
    ['with a base that is not there', { name: 'x', base: 'builtin:none' }],
  ])('%s is refused', async (_, body) => {
    await using town = await openTown(CITY)
    const before = textOf(town)
    expect(await rejection(town.city, 'POST ~/providers', { body })).toBe('400 invalid-request')
    expect(textOf(town)).toBe(before)
  })

  test('that is built in or in use stays', async () => {
    await using town = await openTown(CITY)
    const { city } = town
    expect(await rejection(city, 'DELETE ~/provider/codex')).toBe('409 conflict-wrong-state')
    expect(await rejection(city, 'PATCH ~/provider/codex', { body: {} })).toBe('409 conflict-wrong-state')
    expect(await rejection(city, 'DELETE ~/provider/none')).toBe('404 provider-not-found')
    expect(await rejection(city, 'PATCH ~/provider/none', { body: {} })).toBe('404 provider-not-found')
    expect(await rejection(city, 'DELETE ~/provider/sh')).toBe('409 conflict-wrong-state')
    expect(await rejection(city, 'PATCH ~/provider/sh', { body: { command: '' } })).toBe('400 invalid-request')
  })
})

describe('the operations on patches', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })
})
