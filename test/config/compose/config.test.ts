import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '../../../src/config/compose/config.ts'
import type { Actor } from '../../../src/core/actor.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { addBlock } from '../../../src/core/toml/edit.ts'
import { tempFolder } from '../../support/folder.ts'

const OPERATOR: Actor = { kind: 'operator', name: 'operator' }

const CITY = `# Our city. \r
\r
[workspace]   # who\r
name = "town"\r
provider = "claude"\r
\r
# the shop
[[rigs]]
name = "shop"   # sells
path = "/srv/shop"
# end
`

/** A city folder and what is declared in it. */
function city(files: Record<string, string>) {
  const folder = tempFolder()
  const at = (name: string) => folder.at('city', name)
  const put = (name: string, text: string) => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text)
  const all = () =>
    Object.fromEntries(
      readdirSync(folder.at('city'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('lock.edit'))
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(folder.at('city').length + 1), readFileSync(path, 'utf8')]),
    )
  const open = () => Config.open(folder.at('city'))
  return { path: folder.at('city'), at, put, all, open, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

describe('adding a rig', () => {
  test('declares it in city.toml and binds it in site.toml, and removing it undoes that byte for byte', async () => {
    using town = city({ 'city.toml': CITY, '.gc/site.toml': '# here\n' })
    const before = town.all()
    const config = await town.open()
    const changes: string[] = []
    config.onChange(({ current, previous, files, by }) => {
      changes.push(`${previous.rigs.length} → ${current.rigs.length} in ${files} by ${by.name}`)
    })
    expect(await config.addRig(OPERATOR, { name: 'lib', path: '/srv/lib', prefix: 'lb' })).toMatchObject({
      path: '/srv/lib',
      prefix: 'lb',
    })
    expect(town.all()['.gc/site.toml']).toBe('# here\n\n[[rig]]\nname = "lib"\npath = "/srv/lib"\n')
    expect(town.all()['city.toml']).toBe(`${CITY}\n[[rigs]]\nname = "lib"\nprefix = "lb"\n`)
    await config.removeRig(OPERATOR, 'lib')
    expect(town.all()).toEqual(before)
    expect(changes).toEqual([
      '1 → 2 in .gc/site.toml,city.toml by operator',
      '2 → 1 in .gc/site.toml,city.toml by operator',
    ])
  })

  test('gives it the imports of new rigs, with all that these say', async () => {
    const pack = '[pack]\nname = "crew"\nschema = 2\n'
    using town = city({
      'city.toml': `[defaults.rig.imports.crew]\nsource = "packs/crew"\nexport = true\nshadow = "silent"\n\n${CITY}`,
      'packs/crew/pack.toml': pack,
      'packs/crew/agents/a/agent.toml': 'scope = "rig"\nstart_command = "x"\n',
    })
    const before = town.all()
    const config = await town.open()
    await config.addRig(OPERATOR, { name: 'lib', path: '/srv/lib' })
    expect(town.all()['city.toml']).toEndWith(
      '\n[[rigs]]\nname = "lib"\n\n[rigs.imports.crew]\nsource = "packs/crew"\nexport = true\nshadow = "silent"\n',
    )
    expect(config.current.agents.map(({ qualified }) => qualified)).toContain('lib/crew.a')
    town.put('packs/crew/pack.toml', '[pack\n')
    await expect(config.addRig(OPERATOR, { name: 'other', path: '/srv/other' })).rejects.toMatchObject({
      code: 'conflict-wrong-state',
    })
    town.put('packs/crew/pack.toml', pack)
    await config.reload()
    await config.removeRig(OPERATOR, 'lib')
    expect(town.all()['city.toml']).toBe(before['city.toml'])
  })

  test('gives it the packs that new rigs include in the older way', async () => {
    using town = city({
      'city.toml': '[workspace]\ndefault_rig_includes = ["packs/crew"]\n',
      'packs/crew/pack.toml': '[pack]\nname = "crew"\nschema = 2\n',
      'packs/crew/agents/a/agent.toml': 'scope = "rig"\nstart_command = "x"\n',
    })
    const config = await town.open()
    await config.addRig(OPERATOR, { name: 'lib', path: '/srv/lib' })
    expect(town.all()['city.toml']).toEndWith('\n[[rigs]]\nname = "lib"\nincludes = ["packs/crew"]\n')
    expect(config.current.agents.map(({ qualified }) => qualified)).toEqual(['lib/a'])
    town.put('city.toml', '[workspace]\ndefault_rig_includes = ["packs/none"]\n')
    const none = config.addRig(OPERATOR, { name: 'bare', path: '/srv/bare' })
    await expect(none).rejects.toThrow('there is no pack.toml for import "packs/none"')
    expect(town.all()['city.toml']).not.toContain('[[rigs]]')
  })

  test('is rejected when the result would be invalid, and nothing is written', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    const before = town.all()
    await expect(config.addRig(OPERATOR, { name: 'shell', path: '/srv/shell', prefix: 'SH' })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    await expect(config.addRig(OPERATOR, { name: 'shop', path: '/x' })).rejects.toMatchObject({
      code: 'conflict-wrong-state',
    })
    await expect(config.addRig(OPERATOR, { name: '*', path: '/x' })).rejects.toThrow('stands for every rig')
    expect(town.all()).toEqual(before)
    expect(config.current.rigs.map(({ name }) => name)).toEqual(['shop'])
  })

  test('gets another prefix when the derived one is taken', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    await config.addRig(OPERATOR, { name: 'shell', path: '/srv/shell' })
    await config.addRig(OPERATOR, { name: 'sh', path: '/srv/sh' })
    expect(config.current.rigs.map(({ prefix }) => prefix)).toEqual(['sh', 'she', 'sh2'])
  })

  test('is rejected while the files on disk have errors, which are named', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    town.put('city.toml', `${CITY}x = `)
    await expect(config.addRig(OPERATOR, { name: 'lib', path: '/srv/lib' })).rejects.toThrow(
      'city.toml:12: is not TOML',
    )
    expect(town.all()['city.toml']).toBe(`${CITY}x = `)
  })

  test('twenty at the same time are all there, one after the other', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    const names = Array.from({ length: 20 }, (_, at) => `r${at}x`)
    await Promise.all(names.map((name) => config.addRig(OPERATOR, { name, path: `/srv/${name}`, prefix: name })))
    expect(config.current.rigs.map(({ name }) => name)).toEqual(['shop', ...names])
    await Promise.all(names.map((name) => config.removeRig(OPERATOR, name)))
    expect(town.all()).toEqual({ 'city.toml': CITY, '.gc/site.toml': '' })
  })

  test('follows a link to city.toml and keeps it', async () => {
    using town = city({ 'dotfiles/town.toml': '' })
    symlinkSync(town.at('dotfiles/town.toml'), town.at('city.toml'))
    await (await town.open()).addRig(OPERATOR, { name: 'lib', path: '/srv/lib' })
    expect(town.all()['dotfiles/town.toml']).toBe('[[rigs]]\nname = "lib"\n')
  })
})

describe('an edit', () => {
  test('starts again from the new text when a person saves in between', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    let attempts = 0
    await config.edit(OPERATOR, ({ files }) => {
      const text = files.city.text('city.toml') ?? ''
      if (++attempts === 1) town.put('city.toml', `${CITY}\n# a thought\n`)
      return new Map([
        [
          'city.toml',
          addBlock(text, '[[rigs]]', [
            ['name', 'lib'],
            ['path', '/lib'],
          ]),
        ],
      ])
    })
    expect(attempts).toBe(2)
    expect(town.all()['city.toml']).toBe(`${CITY}\n[[rigs]]\nname = "lib"\npath = "/lib"\n\n# a thought\n`)
  })

  test('ends with a conflict when somebody keeps writing', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    let attempts = 0
    const edit = config.edit(OPERATOR, () => {
      town.put('city.toml', `${CITY}# ${++attempts}\n`)
      return new Map([['city.toml', CITY]])
    })
    await expect(edit).rejects.toMatchObject({ code: 'conflict-concurrent-modify' })
    expect(town.all()['city.toml']).toBe(`${CITY}# ${attempts}\n`)
    expect(Object.keys(town.all())).toEqual(['city.toml'])
  })

  test('that fails does not stop the next one', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    const bad = config.removeRig(OPERATOR, 'nope')
    const good = config.addRig(OPERATOR, { name: 'lib', path: '/lib' })
    await expect(bad).rejects.toMatchObject({ code: 'rig-not-found' })
    expect((await good).name).toBe('lib')
  })
})

describe('changing a rig', () => {
  test('changes only the values that were named', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    await config.changeRig(OPERATOR, 'shop', { path: '/new', defaultBranch: 'main', suspendedOnStart: true })
    expect(town.all()).toEqual({
      'city.toml': CITY.replace('"/srv/shop"\n', '"/srv/shop"\ndefault_branch = "main"\nsuspended_on_start = true\n'),
      '.gc/site.toml': '[[rig]]\nname = "shop"\npath = "/new"\n',
    })
    expect(config.rig('shop')).toMatchObject({ path: '/new', defaultBranch: 'main', suspendedOnStart: true })
  })
})

describe('an agent', () => {
  test('is written to a folder of its own, changed there, and removed with it', async () => {
    using town = city({ 'city.toml': CITY })
    const before = town.all()
    const config = await town.open()
    const agent = await config.addAgent(OPERATOR, {
      name: 'worker',
      dir: 'shop',
      prompt: 'Work.',
      keys: { provider: 'codex', args: ['-x', '"y"'], env: { 'A B': '1' }, scope: undefined },
    })
    expect(agent).toMatchObject({
      qualified: 'shop/worker',
      provider: 'codex',
      args: ['-x', '"y"'],
      env: { 'A B': '1' },
      prompt: { file: 'agents/worker/prompt.template.md', text: 'Work.' },
    })
    expect(town.all()['agents/worker/agent.toml']).toBe(
      'dir = "shop"\nprovider = "codex"\nargs = ["-x", "\\"y\\""]\nenv = { "A B" = "1" }\n',
    )
    await config.changeAgent(OPERATOR, 'shop/worker', { provider: 'claude' })
    expect(config.agent('shop/worker').provider).toBe('claude')
    await config.removeAgent(OPERATOR, 'shop/worker')
    expect(town.all()).toEqual(before)
    expect(existsSync(town.at('agents/worker'))).toBe(false)
  })

  test('of a rig gets a folder with the rig in its name when the plain one is taken', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    await config.addAgent(OPERATOR, { name: 'worker', keys: {} })
    await config.addAgent(OPERATOR, { name: 'worker', dir: 'shop', keys: {} })
    await config.addAgent(OPERATOR, { name: 'shop--worker', dir: 'shop', keys: {} })
    expect(config.current.agents.map(({ qualified, block }) => [qualified, block.file])).toEqual([
      ['shop/shop--worker', 'agents/shop--shop--worker/agent.toml'],
      ['shop/worker', 'agents/shop--worker/agent.toml'],
      ['worker', 'agents/worker/agent.toml'],
    ])
    await expect(config.addAgent(OPERATOR, { name: 'worker', keys: {} })).rejects.toMatchObject({
      code: 'conflict-wrong-state',
    })
    await expect(config.addAgent(OPERATOR, { name: 'Worker', keys: {} })).rejects.toThrow(
      'the folder agents/Worker is taken',
    )
  })

  test('with an invalid name or an unknown rig is rejected and leaves nothing behind', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    await expect(config.addAgent(OPERATOR, { name: '../evil', keys: {} })).rejects.toThrow('cannot name an agent')
    await expect(config.addAgent(OPERATOR, { name: 'w', dir: 'nope', keys: {} })).rejects.toThrow(
      'there is no rig "nope"',
    )
    expect(town.all()).toEqual({ 'city.toml': CITY })
    expect(existsSync(town.at('agents'))).toBe(false)
  })

  test('in city.toml is changed and cut out there', async () => {
    const text = `${CITY}\n[[agent]]\nname = "a"\n\n[[agent]] # second\nname = "b"\nprovider = "codex" # why\n\n[[agent]]\nname = "c"\n`
    using town = city({ 'city.toml': text })
    const config = await town.open()
    await config.changeAgent(OPERATOR, 'b', { provider: 'claude' })
    expect(town.all()['city.toml']).toBe(text.replace('"codex" #', '"claude" #'))
    await config.removeAgent(OPERATOR, 'b')
    expect(town.all()['city.toml']).toBe(`${CITY}\n[[agent]]\nname = "a"\n\n[[agent]]\nname = "c"\n`)
  })

  test('goes when its rig goes, wherever it was declared', async () => {
    const inline = '\n[[agent]]\nname = "a"\ndir = "shop"\n\n[[agent]]\nname = "b"\n'
    using town = city({
      'city.toml': CITY + inline,
      'agents/w/agent.toml': 'dir = "shop"\n',
      'agents/w/notes.md': 'mine',
    })
    const config = await town.open()
    await config.removeRig(OPERATOR, 'shop')
    expect(config.current.agents.map(({ qualified }) => qualified)).toEqual(['b'])
    expect(town.all()).toEqual({
      'city.toml': `${CITY.slice(0, CITY.indexOf('[[rigs]]'))}# end\n\n[[agent]]\nname = "b"\n`,
      'agents/w/notes.md': 'mine',
    })
  })
})

describe('a running city', () => {
  test('keeps its last good configuration while the files are broken, and says why', async () => {
    using town = city({ 'city.toml': CITY })
    const config = await town.open()
    const good = config.current
    town.put('city.toml', CITY.replace('name = "town"', 'name = 1'))
    expect(await config.reload()).toBe(false)
    expect(config.current).toBe(good)
    expect(config.problem).toBe('city.toml:4: [workspace] name: must be a string in quotes, not 1')
    unlinkSync(town.at('city.toml'))
    expect(await config.reload()).toBe(false)
    expect(config.problem).toContain('city.toml:1: there is no such file')
    town.put('city.toml', CITY)
    expect(await config.reload()).toBe(false)
    expect(config.problem).toBeUndefined()
    town.put('city.toml', `${CITY}# more\n`)
    expect(await config.reload()).toBe(true)
  })

  test('notices every kind of change on its own, and nothing else', async () => {
    using town = city({ 'city.toml': CITY, '.gc/site.toml': '', 'agents/w/agent.toml': '' })
    const config = await town.open()
    const deadlines = new Deadlines()
    const reports: string[] = []
    const reported = Promise.withResolvers<void>()
    config.watch(deadlines, (message) => {
      reports.push(message.replace(town.path, ''))
      reported.resolve()
    })
    const settled = async (expected: number, act: () => void) => {
      const changed = Promise.withResolvers<void>()
      const unsubscribe = config.onChange(() => changed.resolve())
      act()
      await Promise.race([changed.promise, Bun.sleep(3000).then(() => expect.unreachable('no change was noticed'))])
      unsubscribe()
      expect(config.current.agents.length).toBe(expected)
    }
    try {
      await settled(1, () => town.put('city.toml', `${CITY}# 1\n`))
      await settled(1, () => {
        town.put('.city.toml.swp', `${CITY}# as editors do it\n`)
        renameSync(town.at('.city.toml.swp'), town.at('city.toml'))
      })
      await settled(1, () => town.put('.gc/site.toml', 'workspace_name = "other"\n'))
      await settled(1, () => town.put('.gc/site.toml', ''))
      await settled(1, () => town.put('agents/w/agent.toml', 'provider = "codex"\n'))
      await settled(1, () => town.put('agents/w/prompt.md', 'do'))
      await settled(2, () => town.put('agents/v/prompt.md', 'do'))
      await settled(2, () => town.put('agents/v/prompt.md', 'do more'))
      await settled(1, () => rmSync(town.at('agents/v'), { recursive: true }))
      expect(reports).toEqual([])
      town.put('city.toml', 'x = ')
      await Promise.race([reported.promise, Bun.sleep(3000)])
      expect(reports).toEqual([
        ' keeps its last good configuration:\ncity.toml:1: is not TOML: Unspecified values are invalid',
      ])
      expect(config.current.agents.length).toBe(1)
      town.put('.gc/city.db-wal', 'busy')
      town.put('work.txt', 'an agent at work')
      await Bun.sleep(50)
      expect(deadlines.size).toBe(0)
    } finally {
      config.close()
      deadlines.close()
    }
  })
})

describe('the warnings about a running city', () => {
  test('are reported when it is loaded, and again only when they change', async () => {
    using town = city({ 'city.toml': `${CITY}[doctor]\nskip = ["x"]\n` })
    const config = await town.open()
    const deadlines = new Deadlines()
    const reports: string[] = []
    config.watch(deadlines, (message) => reports.push(message.replace(town.path, '')))
    const doctor =
      'city.toml:12: doctor: has no effect: a check is a folder in doctor/; `gc doctor --check-timeout` bounds each'
    expect(reports).toEqual([` has warnings:\n${doctor}`])
    const saved = async (text: string) => {
      const changed = Promise.withResolvers<void>()
      const unsubscribe = config.onChange(() => changed.resolve())
      town.put('city.toml', text)
      await changed.promise
      unsubscribe()
      await Bun.sleep(1)
    }
    try {
      await saved(`${CITY}[doctor]\nskip = ["y"]\n`)
      expect(reports).toHaveLength(1)
      await saved(`${CITY}[doctor]\n[api]\n`)
      expect(reports[1]).toStartWith(` has warnings:\n${doctor}\ncity.toml:13: api: has no effect`)
      await saved(CITY)
      expect(reports).toHaveLength(2)
    } finally {
      config.close()
      deadlines.close()
    }
  })
})

test('an order file that comes, changes or breaks is in effect or left out immediately, and anyone who follows hears of it', async () => {
  using town = city({ 'city.toml': CITY })
  const config = await town.open()
  const deadlines = new Deadlines()
  config.watch(deadlines, () => {})
  const saved = async (text: string) => {
    const changed = Promise.withResolvers<void>()
    const unsubscribe = config.onChange(() => changed.resolve())
    town.put('orders/tidy.toml', text)
    await changed.promise
    unsubscribe()
    return config.current.orders.all.map(({ trigger }) => trigger)
  }
  try {
    const order = (interval: string) => `[order]\ntrigger = "cooldown"\ninterval = "${interval}"\nexec = "true"\n`
    expect(await saved(order('5m'))).toEqual([{ kind: 'cooldown', interval: 300_000 }])
    expect(await saved(order('1m'))).toEqual([{ kind: 'cooldown', interval: 60_000 }])
    expect(await saved(order('never'))).toEqual([])
    expect(config.problem).toBeUndefined()
  } finally {
    config.close()
    deadlines.close()
  }
})
