import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

type Json = Record<string, unknown>
const json = (...args: string[]) => town.json<Json>(args)

describe('the JSON that scripts of packs read', () => {
  test('rigs, with the city among them', async () => {
    const output = await json('rig', 'list')
    expect(output).toMatchObject({
      schema_version: '1',
      ok: true,
      city_path: town.city,
      city_name: 'town',
      rigs: [
        { name: 'town', path: town.city, prefix: 'to', hq: true },
        { name: 'shop', path: town.rig, prefix: 'sh', hq: false, suspended: false },
      ],
      summary: { total: 1, suspended: 0, running: 0 },
      items: [{ name: 'shop' }],
      total: 1,
    })
    expect(await json('rig', 'status', 'shop')).toMatchObject({ rig: { name: 'shop', path: town.rig }, agents: [] })
  })

  test('agents, sessions, convoys and the status of the city', async () => {
    await json('agent', 'add', 'shop/smith', '--command', 'exec sleep 600')
    const started = await json('session', 'new', 'smith', '--alias', 'sam', '--no-attach', '--rig', 'shop')
    expect(started).toMatchObject({ session_id: started.id, template: 'shop/smith', alias: 'sam', attached: false })
    expect(await json('session', 'list')).toMatchObject({
      filters: {},
      sessions: [{ id: started.id, name: 'sam', agent_name: 'shop/smith', closed: false }],
      summary: { total: 1, active: 1 },
      items: [{ id: started.id }],
      total: 1,
    })
    expect(await town.json<Json>(['--rig', 'shop', 'session', 'list'])).toMatchObject({ sessions: [{ alias: 'sam' }] })
    expect(await json('agent', 'list')).toMatchObject({
      agents: [{ name: 'smith', qualified_name: 'shop/smith', dir: 'shop', scope: 'rig' }],
      items: [{ name: 'shop/smith' }],
    })
    expect(await json('rig', 'status', 'shop')).toMatchObject({
      agents: [{ qualified_name: 'shop/smith', status: 'running' }],
    })
    expect(await json('status')).toMatchObject({
      name: 'town',
      city_name: 'town',
      city_path: town.city,
      controller: { running: true },
      agents: [{ qualified_name: 'shop/smith' }],
      rigs: [{ name: 'shop', prefix: 'sh' }],
      summary: { total_agents: 1, running_agents: 1 },
    })
    const { id } = await town.bead('In a convoy')
    const convoy = await json('convoy', 'create', 'Fleet', id, '--owner', 'kim')
    expect(convoy).toMatchObject({ convoy_id: convoy.id, issue_ids: [id], title: 'Fleet' })
    expect(await json('convoy', 'list')).toMatchObject({
      convoys: [{ id: convoy.id, progress: { closed: 0, total: 1 }, fields: { owner: 'kim' } }],
      summary: { total: 1 },
    })
  }, 15_000)

  test('cities', async () => {
    const cities = [{ name: 'town', path: town.city }]
    expect(await json('cities')).toMatchObject({ cities, items: cities, total: 1 })
    expect(await json('cities', 'list')).toMatchObject({ cities })
    expect((await town.gc(['cities'])).out).toContain('town')
  })

  test('ready work of all rigs is a plain list', async () => {
    const [here, there] = [await town.bead('Here', '--rig', ''), await town.bead('There', '--rig', 'shop')]
    const ids = (await town.json<{ id: string }[]>(['ready'])).map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([here.id, there.id]))
    expect(await town.json<object[]>(['ready', '--metadata-field', 'k=v'])).toEqual([])
    expect((await town.gc(['ready', '--status', 'opne'])).status).toBe(2)
  })

  test('the graph of beads', async () => {
    const root = await town.bead('Root', '--type', 'epic')
    const first = await town.bead('First "of" two', '--parent', root.id)
    const second = await town.bead('Second', '--parent', root.id, '--needs', first.id)
    expect(await json('graph', root.id)).toMatchObject({
      input: [root.id],
      nodes: expect.arrayContaining([
        expect.objectContaining({ id: second.id, open_blockers: [first.id], ready: false, parent_id: root.id }),
      ]),
      summary: { total: 3, closed: 0, ready: 2, blocked: 1 },
    })
    expect((await town.gc(['graph', root.id, '--tree'])).out).toContain(`\n  ${first.id}  ready`)
    expect((await town.gc(['graph', root.id, '--mermaid'])).out).toContain(`  ${first.id} --> ${second.id}\n`)
  })
})

describe('addresses', () => {
  test('may end in a slash', async () => {
    await json('agent', 'add', 'mayor', '--command', 'exec sleep 600')
    expect(await json('mail', 'send', 'mayor/', '-s', 'Hello')).toMatchObject({ message: { to: 'mayor' } })
    expect(await json('mail', 'inbox', '--address', 'mayor/')).toMatchObject({ messages: [{ subject: 'Hello' }] })
    expect((await town.gc(['session', 'nudge', 'sam/', '--message', 'wake up'])).out).toBe('Sent to sam/.\n')
    expect((await town.gc(['sling', 'mayor/', 'Look around'])).out).toContain('goes to mayor.')
    expect((await town.gc(['mail', 'send', 'nobody/', '-s', 'x'])).status).toBe(1)
  })
})

describe('gc sling', () => {
  test('runs the default formula of the agent, unless the command leaves it out', async () => {
    writeFileSync(
      join(town.city, 'city.toml'),
      `${readFileSync(join(town.city, 'city.toml'), 'utf8')}\n[[agent]]\nname = "formal"\nstart_command = "cat"\nsuspended = true\ndefault_sling_formula = "polish"\n`,
    )
    expect((await town.gc(['reload'])).status).toBe(0)
    const missing = await town.gc(['sling', 'formal', 'Shine'])
    expect([missing.status, missing.err]).toEqual([1, expect.stringContaining('polish')])
    const { status, out, err } = await town.gc(['sling', 'formal', 'Shine', '--no-formula'])
    expect([status, out]).toEqual([0, expect.stringContaining('goes to formal.')])
    expect(err).not.toContain('polish')
    mkdirSync(join(town.city, 'formulas'), { recursive: true })
    const polish = '[requires]\nformula_compiler = ">=2.0.0"\n[[steps]]\nid = "rub"\ntitle = "Rub"\n'
    writeFileSync(join(town.city, 'formulas/polish.toml'), `formula = "polish"\n${polish}`)
    expect((await town.gc(['sling', 'formal', 'Shine'])).status).toBe(0)
    expect((await town.gc(['run', 'list'])).out).toContain('polish')
  })

  test('says that a formula is not there, and does not take its words for work', async () => {
    const { id } = await town.bead('Work')
    for (const args of [
      ['mayor', 'mol-x', '--formula', '--var', 'a=b'],
      ['mayor', id, '--on', 'mol-x', '--var', 'a=b'],
      ['--target', 'mayor', id, '--on', 'mol-x'],
    ]) {
      const { status, err } = await town.gc(['sling', ...args])
      expect([args, status, err]).toEqual([args, 1, expect.stringContaining('mol-x')])
    }
    expect((await town.gc(['sling', 'mayor', 'words', '--var', 'a=b'])).status).toBe(2)
    expect(await json('sling', 'mayor', id, '--dry-run')).toMatchObject({ dry_run: true, routed: false, bead_id: id })
    expect((await town.gc(['sling', 'nobody', id, '--dry-run'])).status).toBe(1)
  })
})

test('a session waits for beads in the words of packs', async () => {
  const { id } = await town.bead('Awaited')
  const { out } = await town.gc([
    'session',
    'wait',
    'sam',
    '--on-beads',
    id,
    '--any',
    '--note',
    'then go on',
    '--sleep',
  ])
  expect(out).toMatch(/^Wait \S+ of \S+ is pending\.\nEnd your turn now/)
  expect((await town.gc(['session', 'wait', 'sam'])).status).toBe(2)
})

describe('gc reload', () => {
  test('says whether something changed, and why files cannot be applied', async () => {
    expect(await json('reload', '--soft', '--async')).toMatchObject({ city_path: town.city, async: true, soft: true })
    const file = join(town.city, 'city.toml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, `${text}\n[[agent]\n`)
    const { status, err } = await town.gc(['reload'])
    expect([status, err]).toEqual([1, expect.stringContaining('keeps its last good configuration')])
    writeFileSync(file, text)
    expect((await town.gc(['reload'])).status).toBe(0)
    mkdirSync(join(town.city, 'agents/later'), { recursive: true })
    writeFileSync(join(town.city, 'agents/later/agent.toml'), 'start_command = "cat"\n')
    await town.gc(['reload'])
    expect((await town.gc(['reload'])).out).toMatch(
      /^Nothing has changed in town since [-0-9]{10} [:0-9]{8}, when agents\/later\/agent\.toml was applied\.\n$/,
    )
    rmSync(join(town.city, 'agents/later'), { recursive: true })
  })
})

describe('gc stop, start and restart', () => {
  test('act on one city', async () => {
    expect((await town.gc(['stop'])).out).toStartWith('City town is stopped; `gc start town`')
    expect((await town.gc(['cities'])).out).toContain('stopped')
    for (const words of [
      ['bead', 'list'],
      ['prime', 'clerk'],
    ]) {
      const { status, out, err } = await town.gc(words)
      expect([status, out]).toEqual([1, ''])
      expect(err).toContain('it is stopped; `gc start town` starts it')
    }
    expect((await town.gc(['start', '--dry-run'])).out).toBe('City town would be started.\n')
    expect(await json('start', 'town')).toMatchObject({ ok: true, city_name: 'town', city_path: town.city })
    expect((await town.gc(['start', town.city])).out).toBe(`City town runs at ${town.city}.\n`)
    expect((await town.gc(['restart', '--timeout', '30s'])).out).toBe(`City town is up at ${town.city}.\n`)
    expect((await town.gc(['start', '/nowhere'])).err).toContain('no city.toml in /nowhere')
  }, 15_000)
})

describe('gc init', () => {
  test('writes a city without starting it, which gc start registers', async () => {
    const path = town.at('village')
    const written = await json('init', path, '--name', 'hamlet', '--providers', 'claude,codex', '--no-start', '--yes')
    expect(written).toMatchObject({ city_path: path, city_name: 'hamlet', started: false })
    expect(readFileSync(join(path, 'city.toml'), 'utf8')).toContain('[providers."codex"]\nbase = "builtin:codex"')
    expect(await json('start', path)).toMatchObject({ city_name: 'hamlet' })
    expect((await town.gc(['init', path, '--name', 'again'])).status).toBe(2)
  })

  test('copies a city without its state and links', async () => {
    const [from, to] = [town.at('village'), town.at('copy')]
    mkdirSync(join(from, 'agents/idle'), { recursive: true })
    writeFileSync(join(from, 'agents/idle/agent.toml'), 'start_command = "cat"\n')
    symlinkSync('/etc', join(from, 'etc'))
    await json('init', to, '--from', from, '--name', 'copy')
    expect((await town.gc(['--city', 'copy', 'agent', 'list'])).out).toContain('idle')
    expect(existsSync(join(to, 'etc'))).toBe(false)
    expect((await town.gc(['init', town.at('x'), '--from', town.rig])).err).toContain('is not a city')
  })

  test('takes a file, and names what a template needs', async () => {
    writeFileSync(town.at('mine.toml'), '[[agent]]\nname = "solo"\nstart_command = "cat"\n')
    await json('init', town.at('filed'), '--file', town.at('mine.toml'))
    expect((await town.gc(['--city', 'filed', 'agent', 'list'])).out).toContain('solo')
    const { out } = await town.gc(['init', town.at('old'), '--template', 'gastown', '--no-start'])
    expect(out).toContain('gc import install')
    expect(readFileSync(town.at('old', 'pack.toml'), 'utf8')).toContain('[imports.gastown]')
    for (const args of [
      ['--template', 'castle'],
      ['--from', 'a', '--file', 'b'],
    ])
      expect((await town.gc(['init', town.at('y'), ...args])).status).toBe(2)
  })
})

test('commands for parts that gc does not have answer truly', async () => {
  for (const args of [
    ['formula', 'show', 'x', '--json'],
    ['order', 'run', 'x'],
    ['workflow', 'delete-source', 'x', '--apply'],
  ])
    expect([args, (await town.gc(args)).status]).toEqual([args, 1])
  for (const args of [
    ['order', 'sweep-tracking', '--stale-after', '10m', '--quiet'],
    ['dolt', 'health'],
    ['dolt-cleanup', '--apply'],
    ['convoy', 'autoclose', 'x'],
    ['beads', 'health'],
  ])
    expect([args, (await town.gc(args)).status]).toEqual([args, 0])
  expect(JSON.parse((await town.gc(['dolt', 'health', '--json'])).out)).toMatchObject({ ok: true, storage: 'sqlite' })
})

test('gc prints its version by an option as well', async () => {
  expect((await town.gc(['--version'])).out).toBe((await town.gc(['version'])).out)
})

test('the supervisor reported no unexpected errors', () => {
  expect(
    town.reports.filter((report) => !report.includes('keeps its last good') && !report.includes('default_sling')),
  ).toEqual([])
})
