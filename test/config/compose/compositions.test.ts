import { describe, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { Config } from '../../../src/config/compose/config.ts'
import type { Layer } from '../../../src/config/compose/layers/layer.ts'
import { LAYERS } from '../../../src/config/compose/layers/layers.ts'
import { addProvider } from '../../../src/config/providers/edit.ts'
import { ConfigViews } from '../../../src/config/views/config-views.ts'
import type { Actor } from '../../../src/core/actor.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { cityFiles } from '../city-files.ts'

const OPERATOR: Actor = { kind: 'operator', name: 'operator' }
const CALLER = { kind: 'operator' } as const

const FILES = {
  'city.toml': '[workspace]\nprovider = "claude"\n[[rigs]]\nname = "shop"\npath = "/srv/shop"\n',
  'pack.toml': '[pack]\nname = "town"\nschema = 2\n',
  'agents/old/agent.toml': 'provider = "codex"\n',
}

/** A city whose compositions are counted by a layer, which each of them applies once. */
async function countedCity() {
  const city = cityFiles(FILES)
  let applied = 0
  const counter: Layer = {
    ...{ name: 'counter', isEditable: false },
    apply(lower) {
      applied++
      return lower
    },
  }
  const config = await Config.open(city.path, undefined, { layers: [...LAYERS, counter] })
  const compositions = async (act: () => unknown) => {
    const before = applied
    await act()
    return applied - before
  }
  return { ...city, config, compositions }
}

describe('the city is composed', () => {
  test('once for each edit, whose files are then in effect as they are on disk', async () => {
    using city = await countedCity()
    const { config, compositions } = city
    const edits = {
      addAgent: () => config.addAgent(OPERATOR, { name: 'new', prompt: 'work', keys: { provider: 'codex' } }),
      changeAgent: () => config.changeAgent(OPERATOR, 'new', { provider: 'claude' }),
      removeAgent: () => config.removeAgent(OPERATOR, 'new'),
      addAgentOfRig: () => config.addAgent(OPERATOR, { name: 'old', dir: 'shop', keys: {} }),
      addRig: () => config.addRig(OPERATOR, { name: 'lib', path: '/srv/lib' }),
      changeRig: () => config.changeRig(OPERATOR, 'lib', { prefix: 'lb' }),
      removeRig: () => config.removeRig(OPERATOR, 'shop'),
      addProvider: () => config.edit(OPERATOR, (base) => addProvider(base, 'mine', { command: 'x' })),
    }
    const counts: Record<string, number> = {}
    const changes: string[] = []
    config.onChange(({ files }) => changes.push(files.join()))
    for (const [name, edit] of Object.entries(edits)) {
      counts[name] = await compositions(edit)
      expect([name, await config.reload()]).toEqual([name, false])
    }
    expect(counts).toEqual(Object.fromEntries(Object.keys(edits).map((name) => [name, 1])))
    expect(changes).toHaveLength(Object.keys(edits).length)
    const fresh = await Config.open(city.path)
    expect(config.current.agents.map(({ qualified }) => qualified)).toEqual(
      fresh.current.agents.map(({ qualified }) => qualified),
    )
  })

  test('once for an edit that is rejected, and not for the next look at what it left unchanged', async () => {
    using city = await countedCity()
    const { config, compositions } = city
    const rejected = () =>
      expect(config.changeAgent(OPERATOR, 'old', { scope: 'nowhere' })).rejects.toThrow('agents/old/agent.toml')
    expect(await compositions(rejected)).toBe(1)
    expect(city.all()).toEqual(FILES)
    expect(await compositions(() => config.edit(OPERATOR, () => new Map()))).toBe(0)
  })

  test('once more for an edit of files that somebody saved without anybody noticing', async () => {
    using city = await countedCity()
    const { config, compositions } = city
    city.put('agents/saved/agent.toml', '')
    expect(await compositions(() => config.changeAgent(OPERATOR, 'saved', { provider: 'codex' }))).toBe(2)
    renameSync(city.pathOf('agents/saved'), city.pathOf('agents/moved'))
    expect(await compositions(() => config.changeAgent(OPERATOR, 'moved', { provider: 'claude' }))).toBe(2)
    expect(config.current.agents.map(({ name }) => name)).toEqual(['moved', 'old', 'claude', 'claude'])
  })

  test('once for drafts that are judged first and written afterwards, as imports are', async () => {
    using city = await countedCity()
    const { config, compositions } = city
    const text = `${FILES['city.toml']}[providers.mine]\ncommand = "x"\n`
    const write = async () => {
      expect(config.errorsOf(new Map())).toEqual([])
      expect(config.errorsOf(new Map([['city.toml', text]]))).toEqual([])
      city.put('city.toml', text)
      await config.applyWritten(OPERATOR)
    }
    expect(await compositions(write)).toBe(1)
    expect([...config.current.providers.keys()]).toEqual(['mine'])
  })

  test('once when unchanged files are reloaded, which names what was found in them', async () => {
    using city = await countedCity()
    const { config, compositions } = city
    const views = new ConfigViews({
      ...{ config, clock: systemClock, url: () => '' },
      suspensions: { isCitySuspended: () => false, isRigSuspended: () => false, isAgentSuspended: () => false },
      sessions: { keepThrough: async (change) => change() },
    })
    expect(await compositions(() => config.reload())).toBe(1)
    expect(
      await compositions(async () => expect(await views.reload(CALLER)).toMatchObject({ outcome: 'no_change' })),
    ).toBe(1)
    city.put('city.toml', '[workspace]\nprovider = 1\n')
    expect(
      await compositions(async () => {
        const errors = [expect.stringContaining('city.toml:2: [workspace] provider')]
        expect(await views.reload(CALLER)).toMatchObject({ outcome: 'invalid', errors })
      }),
    ).toBe(1)
  })

  test('no further when its files are seen to change by an edit that is in effect', async () => {
    using city = await countedCity()
    const { config, compositions } = city
    const deadlines = new Deadlines()
    config.watch(deadlines, (message) => expect.unreachable(message))
    try {
      await config.addAgent(OPERATOR, { name: 'new', keys: {} })
      const echo = async () => {
        for (let waited = 0; deadlines.size === 0 && waited < 3000; waited += 5) await Bun.sleep(5)
        expect(deadlines.size).toBe(1)
        while (deadlines.size > 0) await Bun.sleep(5)
      }
      expect(await compositions(echo)).toBe(0)
      city.put('agents/new/agent.toml', 'provider = "codex"\n')
      expect(await compositions(echo)).toBe(1)
      expect(config.agent('new').provider).toBe('codex')
    } finally {
      await config.close()
      deadlines.close()
    }
  })
})
