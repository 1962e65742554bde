import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PROGRAM, TestCity, World } from '../support/world.ts'
import { startSession } from './town.ts'

const CITY = resolve(import.meta.dir, '../support/cities/tools')

interface Result {
  status: number
  out: string
  err: string
}

interface Call {
  cwd?: string
  stdin?: string
  env?: Record<string, string>
}

/** Runs gc as a person in a folder would. */
async function gc(world: World, args: readonly string[], { cwd, stdin = '', env = {} }: Call = {}): Promise<Result> {
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: cwd ?? world.folder.at('office'),
    env: { PATH: process.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home, ...env },
    stdin: new TextEncoder().encode(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { status, out, err }
}

/** A copy of the example city, registered. */
async function office(): Promise<{ world: World; city: TestCity }> {
  const world = await World.open()
  cpSync(CITY, world.folder.at('office'), { recursive: true })
  const { status, err } = await gc(world, ['register', world.folder.at('office')])
  if (status !== 0) throw new Error(err)
  return { world, city: new TestCity(world, 'office', world.folder.at('office')) }
}

describe('a command that a pack ships', () => {
  let world: World
  let city: TestCity

  beforeAll(async () => {
    ;({ world, city } = await office())
  }, 20_000)
  afterAll(() => world[Symbol.asyncDispose]())

  test('runs in the caller’s folder with its words, its input and what packs expect in the environment', async () => {
    const folder = world.folder.at('office')
    mkdirSync(join(folder, 'deep'))
    const { status, out } = await gc(world, ['desk', 'env', '--flag', 'two words', '--help'], {
      cwd: join(folder, 'deep'),
      stdin: 'from a pipe\n',
    })
    expect(status).toBe(0)
    const pack = join(folder, 'packs/tools')
    expect(out.split('\n')).toEqual([
      `GC_CITY=${folder}`,
      `GC_CITY_PATH=${folder}`,
      'GC_CITY_NAME=office',
      `GC_CITY_RUNTIME_DIR=${join(folder, '.gc/runtime')}`,
      `GC_PACK_DIR=${pack}`,
      'GC_PACK_NAME=tools',
      `GC_PACK_STATE_DIR=${join(folder, '.gc/runtime/packs/tools')}`,
      `here=${realpathSync(join(folder, 'deep'))}`,
      'bin=yes',
      'state=yes',
      'word=--flag',
      'word=two words',
      'word=--help',
      'from a pipe',
      '',
    ])
    expect(await gc(world, ['desk', 'ends'])).toEqual({ status: 3, out: '', err: 'to the errors\n' })
    expect((await gc(world, ['--city', folder, 'desk', 'ends', '7'], { cwd: '/' })).status).toBe(7)
    expect((await gc(world, ['office', 'hours'])).out).toBe('nine to five\n')
  }, 30_000)

  test('has a token of its own, under whose name its changes are recorded, and which ends with it', async () => {
    const seq = await city.head()
    const { status, out, err } = await gc(world, ['desk', 'note', 'add', 'buy', 'paper'])
    expect([status, err]).toEqual([0, ''])
    const [, id = ''] = /^noted (\S+)\n$/.exec(out) ?? []
    expect((await city.recorded(seq)).map(({ type, subject, actor }) => [type, subject, actor])).toEqual([
      ['bead.created', id, 'command of desk: note add'],
    ])
    expect((await gc(world, ['desk', 'note', 'list'])).out).toContain('buy paper')
    writeFileSync(join(city.path, 'packs/tools/commands/env/run.sh'), '#!/bin/sh\nprintf %s "$GC_TOKEN"\n')
    const token = (await gc(world, ['desk', 'env'])).out
    expect(token).toStartWith('gcs_')
    expect((await city.call('GET ~', { token })).status).toBe(401)
    expect((await city.call('GET ~/command-token/stream?name=%00')).status).toBe(422)
    const session = await startSession(city, 'clerk')
    const denied = await city.call('GET ~/command-token/stream?name=x', { token: session.token })
    expect([denied.status, denied.body.code]).toEqual([403, 'forbidden'])
  }, 30_000)

  test('is listed and explained, and an unknown one is an error', async () => {
    for (const args of [['desk'], ['desk', '--help']]) {
      const { status, out } = await gc(world, args)
      expect([args, status]).toEqual([args, 0])
      expect(out).toContain('gc desk note list  list the notes')
    }
    expect((await gc(world, ['desk', 'note'])).out).not.toContain('gc desk env')
    expect((await gc(world, ['desk', 'note', 'add', '--help'])).out).toContain('gc desk note add buy paper')
    for (const args of [
      ['desk', 'nothing'],
      ['shelf', 'dust'],
    ]) {
      const { status, err } = await gc(world, args)
      expect([args, status, err]).toEqual([args, 2, expect.stringContaining('unknown command')])
    }
  }, 30_000)

  test('may be named by pack.toml, with its help in a file', async () => {
    expect((await gc(world, ['desk', 'clock', 'now'])).out).toBe('clock now\n')
    expect((await gc(world, ['desk', 'clock', '--help'])).out).toContain('What time it is.')
  }, 30_000)

  test('is in the help of gc, where there is a city', async () => {
    const { out } = await gc(world, ['--help'])
    expect(out).toMatch(/Packs of this city:\n {2}desk +.*note add/)
    expect(out).toMatch(/\n {2}office +hours/)
    expect((await gc(world, ['--help'], { cwd: '/', env: { GC_URL: 'http://127.0.0.1:9' } })).out).not.toContain(
      'Packs of',
    )
  }, 30_000)

  test('is completed word by word', async () => {
    const words = async (...args: string[]) =>
      (await gc(world, ['__complete', '--', ...args], { env: { GC_COMPLETION_MS: '10000' } })).out
        .split('\n')
        .map((line) => line.replace(/\t.*/, ''))
    expect(await words('')).toEqual(expect.arrayContaining(['desk', 'office', 'bead']))
    expect(await words('desk', '')).toEqual(expect.arrayContaining(['note', 'env', 'ends']))
    expect(await words('desk', 'note', '')).toEqual(['add', 'list', ''])
    expect(await words('bead', 'create', '--')).toContain('--priority')
    expect((await gc(world, ['completion', 'bash'])).out).toContain('complete -F _gc gc')
    expect((await gc(world, ['completion', 'csh'])).status).toBe(2)
  }, 30_000)

  test('stays inside its pack', async () => {
    const commands = join(world.folder.at('office'), 'packs/tools/commands')
    mkdirSync(join(commands, 'out'))
    writeFileSync(join(commands, 'out/command.toml'), 'run = "../../../../../outside.sh"\n')
    writeFileSync(world.folder.at('outside.sh'), '#!/bin/sh\necho outside\n', { mode: 0o755 })
    mkdirSync(join(commands, 'link'))
    symlinkSync(world.folder.at('outside.sh'), join(commands, 'link/run.sh'))
    mkdirSync(join(commands, 'a\u0007b'))
    writeFileSync(join(commands, 'a\u0007b/run.sh'), '#!/bin/sh\n')
    mkdirSync(join(commands, 'broken'))
    writeFileSync(join(commands, 'broken/command.toml'), 'run = [\n')
    for (const name of ['out', 'link', 'broken']) {
      const { status, out } = await gc(world, ['desk', name])
      expect([name, status, out]).toEqual([name, 2, ''])
    }
    expect((await gc(world, ['desk', 'ends', '5'])).status).toBe(5)
  }, 30_000)

  test('works without a supervisor, and a binding with the name of a command of gc is left out', async () => {
    await world.kill()
    expect((await gc(world, ['desk', 'ends', '4'])).status).toBe(4)
    const folder = world.folder.at('office')
    writeFileSync(
      join(folder, 'pack.toml'),
      '[pack]\nname = "office"\nschema = 2\n[imports.mail]\nsource = "packs/tools"\n',
    )
    expect((await gc(world, ['mail', '--help'])).out).toContain('Usage: gc mail')
    expect((await gc(world, ['desk', 'ends', '4'])).status).toBe(2)
  }, 30_000)
})

describe('gc doctor', () => {
  interface Report {
    passed: number
    failed: number
    fixed: number
    results: { name: string; status: string; message: string; fix_hint?: string; details?: string[]; fixed?: boolean }[]
  }

  const report = async (world: World, ...args: string[]): Promise<Report & { status: number }> => {
    const { status, out } = await gc(world, ['doctor', '--json', ...args])
    return { ...JSON.parse(out), status }
  }

  const resultOf = ({ results }: Report, name: string) => results.find((each) => each.name === name)

  test('runs the checks of packs, and fixes what they can fix', async () => {
    const { world } = await office()
    await using _ = world
    const before = await report(world)
    expect(before.status).toBe(1)
    expect(resultOf(before, 'tools:shelf')).toMatchObject({
      status: 'error',
      message: 'there is no shelf',
      details: [expect.stringContaining('looked in')],
      fix_hint: expect.stringContaining('--fix'),
    })
    expect(resultOf(before, 'tools:slow')).toMatchObject({ status: 'warning', message: 'it is a bit slow' })
    for (const [name, fix] of Object.entries({ stuck: 'true', torn: 'echo "no rights"; exit 3' })) {
      const folder = join(world.folder.at('office'), 'packs/tools/doctor', name)
      mkdirSync(folder)
      writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\necho bad; exit 2\n')
      writeFileSync(join(folder, 'fix.sh'), `#!/bin/sh\n${fix}\n`)
    }
    const mended = await report(world, '--fix')
    const hint = {
      status: 'error',
      message: 'bad',
      fix_attempted: true,
      fix_hint: expect.stringMatching(/^see .*fix\.sh$/),
    }
    expect(resultOf(mended, 'tools:stuck')).toMatchObject({
      ...hint,
      fix_error: 'the fix ran, and the check still fails',
    })
    expect(resultOf(mended, 'tools:torn')).toMatchObject({ ...hint, fix_error: 'no rights' })
    expect(resultOf(mended, 'tools:shelf')).toMatchObject({ status: 'ok', fixed: true })
    expect(resultOf(await report(world), 'tools:shelf')).toMatchObject({ status: 'ok', message: 'the shelf is there' })
    writeFileSync(join(world.folder.at('office'), 'packs/tools/doctor/slow/run.sh'), '#!/bin/sh\nexec sleep 60\n')
    expect(resultOf(await report(world, '--check-timeout', '1s'), 'tools:slow')).toMatchObject({
      status: 'error',
      message: 'it took longer than 1 s',
    })
  }, 40_000)

  test('runs what packs want to see before a start when a city is started, which it does not stop', async () => {
    const { world } = await office()
    await using _ = world
    expect((await gc(world, ['stop', 'office'])).status).toBe(0)
    const { status, err } = await gc(world, ['start', 'office'])
    expect([status, err]).toEqual([
      0,
      'gc: tools:ink: the ink is low; see PACK/scripts/ink.sh\n'.replace(
        'PACK',
        join(world.folder.at('office'), 'packs/tools'),
      ),
    ])
  }, 40_000)

  test('and gc readiness say what to do about the hooks that Codex asks a person to review', async () => {
    const { world, city } = await office()
    await using _ = world
    const readiness = async () => (await gc(world, ['readiness', 'codex'])).out
    expect(resultOf(await report(world), 'hooks')).toBeUndefined()
    expect(await readiness()).not.toContain('gc attention')
    mkdirSync(join(city.path, 'agents/reviewed'), { recursive: true })
    const agent = 'provider = "codex"\ninstall_agent_hooks = ["codex"]\n'
    writeFileSync(join(city.path, 'agents/reviewed/agent.toml'), agent)
    expect(resultOf(await report(world), 'hooks')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('`gc attention` shows the question'),
      details: ['reviewed'],
    })
    expect(await readiness()).toContain('`gc attention` shows the question')
  }, 40_000)

  test('checks the machine and the city, and says of each bad result what to do', async () => {
    const { world, city } = await office()
    await using _ = world
    const healthy = await report(world)
    for (const name of [
      'version',
      'supervisor',
      'home',
      'landings',
      'time',
      'limits',
      'confinement',
      'registered',
      'configuration',
      'packs',
      'rigs',
      'programs',
      'store',
    ])
      expect([name, resultOf(healthy, name)?.status]).toEqual([name, 'ok'])
    writeFileSync(join(city.path, 'city.toml'), '[[rigs]]\nname = "gone"\npath = "/nowhere/gone"\n[[agent]\n')
    const yard = join(world.home, 'land', 'one.git')
    mkdirSync(yard, { recursive: true })
    writeFileSync(join(yard, 'owner.json'), JSON.stringify({ city: '/gone', rig: 'shop' }))
    writeFileSync(join(yard, 'gone.json'), JSON.stringify({ since: 0, unlanded: ['refs/gc/land/ld-1/1'] }))
    const damaged = await report(world)
    expect(resultOf(damaged, 'landings')).toMatchObject({
      status: 'warning',
      details: [`rig shop of /gone: git -C ${yard} log -1 refs/gc/land/ld-1/1`],
    })
    expect(resultOf(damaged, 'configuration')).toMatchObject({
      status: 'error',
      details: [expect.stringContaining('city.toml')],
    })
    writeFileSync(join(city.path, 'city.toml'), '[[rigs]]\nname = "gone"\npath = "/nowhere/gone"\n')
    writeFileSync(
      join(city.path, 'pack.toml'),
      '[pack]\nname = "office"\nschema = 2\n[imports.far]\nsource = "https://example.com/far.git"\n',
    )
    const broken = await report(world)
    expect(broken.status).toBe(1)
    expect(resultOf(broken, 'packs')).toMatchObject({
      status: 'error',
      fix_hint: expect.stringContaining('gc import install'),
    })
    expect(resultOf(broken, 'rigs')).toMatchObject({ status: 'error', details: ['gone: /nowhere/gone is gone'] })
    for (const { name, status, fix_hint } of broken.results)
      expect([name, status === 'ok' || Boolean(fix_hint)]).toEqual([name, true])
    await world.kill()
    const alone = await report(world)
    expect(resultOf(alone, 'supervisor')).toMatchObject({
      status: 'warning',
      fix_hint: expect.stringContaining('gc up'),
    })
    rmSync(join(city.path, 'city.toml'))
    expect((await report(world)).results.map(({ name }) => name)).not.toContain('configuration')
  }, 40_000)
})
