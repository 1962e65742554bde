import { describe, expect, test } from 'bun:test'
import { existsSync, rmSync, statSync } from 'node:fs'
import { Config } from '../../../src/config/compose/config.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { cityFiles } from '../city-files.ts'

const LAST_GOOD = { lastGoodFile: '.gc/last-good.json' }
const PACK = '[pack]\nname = "crew"\nschema = 2\n'
const FILES = {
  '.gc/site.toml': '',
  'city.toml': '[imports.c]\nsource = "packs/crew"\n',
  'packs/crew/pack.toml': PACK,
  'packs/crew/agents/worker/agent.toml': 'start_command = "x"\n',
  'packs/crew/agents/worker/prompt.md': 'work',
}

/** Opens a city and watches it, until the end of the test. */
async function watched(path: string) {
  const config = await Config.open(path, undefined, LAST_GOOD)
  const deadlines = new Deadlines()
  const reports: string[] = []
  config.watch(deadlines, (message) => reports.push(message))
  const changed = async (act: () => void) => {
    const change = Promise.withResolvers<void>()
    const unsubscribe = config.onChange(() => change.resolve())
    act()
    await Promise.race([change.promise, Bun.sleep(5000).then(() => expect.unreachable('no change was noticed'))])
    unsubscribe()
  }
  return {
    ...{ config, deadlines, reports, changed },
    async [Symbol.asyncDispose]() {
      config.close()
      deadlines.close()
      await config.settle()
    },
  }
}

describe('the last good configuration', () => {
  test('is kept, and a city whose packs are broken runs on it and says that it starts nothing new', async () => {
    using city = cityFiles(FILES)
    {
      await using good = await watched(city.path)
      expect(good.config.current.held).toBeUndefined()
    }
    expect(statSync(city.pathOf('.gc/last-good.json')).mode & 0o777).toBe(0o600)
    city.put('packs/crew/pack.toml', `${PACK}nonsense = 1\n`)
    rmSync(city.pathOf('packs/crew/agents'), { recursive: true })
    await using town = await watched(city.path)
    const { config, reports, changed } = town
    expect(config.current.agents.map(({ name, prompt }) => [name, prompt?.text])).toEqual([['c.worker', 'work']])
    expect(config.current.held).toContain('packs/crew/pack.toml:4: [pack] nonsense: is not a key of this section')
    expect(config.problem).toContain('[pack] nonsense')
    expect(reports[0]).toContain('runs on its last good configuration, and starts nothing new')
    await changed(() => city.put('packs/crew/pack.toml', PACK))
    expect([config.current.held, config.problem, config.current.agents]).toEqual([undefined, undefined, []])
  })

  test('does not help a city that never had one, or whose kept files cannot be read', async () => {
    using city = cityFiles({ ...FILES, 'city.toml': 'x = \n' })
    expect(Config.open(city.path, undefined, LAST_GOOD)).rejects.toThrow('is not TOML')
    city.put('.gc/last-good.json', '{"version": 1, "roots": 3}')
    expect(Config.open(city.path, undefined, LAST_GOOD)).rejects.toThrow('is not TOML')
  })

  test('is that of the city wherever it is moved', async () => {
    using city = cityFiles(FILES)
    await using town = await watched(city.path)
    await town.config.settle()
    const kept = await Bun.file(city.pathOf('.gc/last-good.json')).text()
    expect(kept).not.toContain(city.path)
    expect(existsSync(city.pathOf('.gc/last-good.json.new'))).toBe(false)
  })
})

describe('a city that runs', () => {
  test('notices what changes in its local packs, and nothing else in them', async () => {
    using city = cityFiles({ ...FILES, 'packs/crew/assets/x.md': 'x', 'packs/crew/node_modules/a/b.js': '' })
    await using town = await watched(city.path)
    const { config, deadlines, changed } = town
    const agents = () => config.current.agents.map(({ name, prompt }) => [name, prompt?.text])
    await changed(() => city.put('packs/crew/agents/worker/prompt.md', 'work harder'))
    expect(agents()).toEqual([['c.worker', 'work harder']])
    await changed(() => city.put('packs/crew/agents/second/prompt.md', 'rest'))
    expect(agents().map(([name]) => name)).toEqual(['c.second', 'c.worker'])
    await changed(() => city.put('packs/crew/agents/second/prompt.md', 'sleep'))
    expect(agents()[0]).toEqual(['c.second', 'sleep'])
    await changed(() => city.put('packs/crew/pack.toml', `${PACK}[agent_defaults]\nprovider = "claude"\n`))
    expect(config.current.agents[0]?.provider).toBe('claude')
    city.put('packs/crew/assets/x.md', 'y')
    city.put('packs/crew/assets/new.md', 'y')
    city.put('packs/crew/node_modules/a/b.js', 'y')
    city.put('packs/crew/README.md', 'y')
    await Bun.sleep(50)
    expect(deadlines.size).toBe(0)
  })

  test('keeps running on its last good configuration while a pack is broken', async () => {
    using city = cityFiles(FILES)
    await using town = await watched(city.path)
    const { config } = town
    city.put('packs/crew/pack.toml', '[pack\n')
    expect(await config.reload()).toBe(false)
    expect(config.problem).toContain('packs/crew/pack.toml:1: is not TOML')
    expect(config.current.agents).toHaveLength(1)
    expect(config.current.held).toBeUndefined()
  })
})
