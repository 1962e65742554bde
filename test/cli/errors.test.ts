import { describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync } from 'node:fs'
import { gc } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town

shareTown(async (opened) => {
  town = opened
  for (const name of ['shop/worker', 'mayor']) await town.gc(['agent', 'add', name, '--command', 'cat'])
  appendFileSync(town.at('town', 'city.toml'), '\n[[agent]]\nname = "worker"\nstart_command = "cat"\n')
  await town.gc(['reload'])
  await town.bead('Oil the hinge')
})

/** Nothing listens on the discard port of this machine. */
const nobody = { GC_URL: 'http://127.0.0.1:9' }

describe('a name that nothing has', () => {
  test.each([
    { args: ['agent', 'show', 'shop/wroker'], meant: 'shop/worker' },
    { args: ['session', 'new', 'mayer'], meant: 'mayor' },
    { args: ['session', 'show', 'shop/wroker'], meant: 'shop/worker' },
    { args: ['readiness', 'cluade'], meant: 'claude' },
    { args: ['sling', 'shop/workr', 'Sweep'], meant: 'shop/worker' },
    { args: ['rig', 'show', 'shp'], meant: 'shop' },
    { args: ['bead', 'list', '--rig', 'shpo'], meant: 'shop' },
    { args: ['--city', 'twon', 'status'], meant: 'town' },
    { args: ['stop', 'towm'], meant: 'town' },
  ])('is reported with the near one that was meant: $args', async ({ args, meant }) => {
    const { status, out, err } = await town.gc(args)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toEndWith(`; did you mean ${meant}?\n`)
  })

  test('is reported with the command that lists valid names when no name is near it', async () => {
    expect((await town.gc(['agent', 'show', 'zeppelin'])).err).toBe(
      'gc: agent zeppelin not found; `gc agent list` lists valid names\n',
    )
  })
})

test('an error of bd with --json is JSON on standard output, as the errors of its commands are, also of a wrong line', async () => {
  for (const args of [
    ['show', 'no-1'],
    ['shwo', 'x'],
    ['list', '--limit', 'x'],
    ['formula', 'show', 'none'],
    ['close'],
  ]) {
    const { status, out } = await town.bd([...args, '--json'])
    expect([args, status === 0, JSON.parse(out)]).toEqual([
      args,
      false,
      { error: expect.any(String), schema_version: 1 },
    ])
  }
})

describe('an error with --json', () => {
  test('is one line of JSON on standard error, anyone who found it', async () => {
    const report = async (args: string[], env: Record<string, string> = {}) => {
      const { status, out, err } = await town.gc(args, { env })
      expect([args, out]).toEqual([args, ''])
      const { schema_version, ok, error } = JSON.parse(err)
      expect({ schema_version, ok }).toEqual({ schema_version: '1', ok: false })
      expect(error).toMatchObject({ details: expect.any(Array), message: expect.stringMatching(/.{10,}/) })
      return { status, type: error.type, code: error.code, suggestion: error.suggestion }
    }
    expect(await report(['agent', 'show', 'mayer', '--json'])).toEqual({
      ...{ status: 1, type: 'api', code: 'agent-not-found', suggestion: 'mayor' },
    })
    expect(await report(['bead', 'list', '--json', '--limit', 'x'])).toMatchObject({
      ...{ status: 2, type: 'usage', code: 'invalid-argument' },
    })
    expect(await report(['sling', '--json'])).toMatchObject({ status: 2, type: 'usage', code: 'usage' })
    expect(await report(['bead', 'list', '--rig', 'zz', '--json'])).toMatchObject({
      ...{ status: 1, type: 'failure', code: 'rig-not-found' },
    })
    expect(await report(['rig', 'list', '--json'], nobody)).toMatchObject({
      ...{ status: 1, type: 'connection', code: 'unreachable' },
    })
  })
})

test('an agent without a session is said to have none where a session is named', async () => {
  const { status, err } = await town.gc(['session', 'show', 'mayor'])
  expect([status, err]).toEqual([
    1,
    'gc: session not found: "mayor"; that agent has no session; `gc session new mayor` starts one\n',
  ])
  await town.gc(['agent', 'add', 'scout', '--provider', 'auggie'])
  expect((await town.gc(['session', 'peek', 'scout'])).err).toContain('that agent cannot be started: ')
  await town.gc(['agent', 'remove', 'scout'])
})

describe('a wrong command line', () => {
  test('shows the help of its own command', async () => {
    const { status, out, err } = await gc(['rig', 'show', '--jsn', 'shop'], { env: nobody })
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(err).toStartWith(
      "gc: unknown option '--jsn'\n(Did you mean --json?)\n\nUsage: gc rig show [options] <rig>\n",
    )
    expect((await gc(['rig', 'lst'], { env: nobody })).err).toContain('\nUsage: gc rig ')
  })
})

describe('inside the folder of a rig', () => {
  test('a bare name is that of the rig’s agent, and outside that of the city’s', async () => {
    mkdirSync(`${town.rig}/below`, { recursive: true })
    const shown = async (args: string[], cwd: string) =>
      JSON.parse((await town.gc(['agent', 'show', ...args, '--json'], { cwd })).out).name
    expect(await shown(['worker'], `${town.rig}/below`)).toBe('shop/worker')
    expect(await shown(['worker'], town.city)).toBe('worker')
    expect(await shown(['mayor'], town.rig)).toBe('mayor')
    expect((await town.gc(['session', 'show', 'worker'], { cwd: town.rig })).err).toContain('"shop/worker"')
    expect((await town.gc(['session', 'show', 'worker'], { cwd: town.city })).err).toContain('"worker"')
    const { out } = await town.gc(['sling', 'worker', 'Sweep the floor'], { cwd: town.rig })
    expect(out).toContain('goes to shop/worker.')
  })
})

describe('the output of a command', () => {
  test('is the fields that --json= names, or each item by a template', async () => {
    expect((await town.gc(['agent', 'list', '--json=name,suspended'])).out).toBe(
      '[{"name":"worker","suspended":false},{"name":"mayor","suspended":false},{"name":"shop/worker","suspended":false}]\n',
    )
    expect((await town.gc(['rig', 'show', 'shop', '--json=name'])).out).toBe('{"name":"shop"}\n')
    const template = '{{.name}}{{if eq .rig "shop"}} in {{.rig}}{{end}}'
    expect((await town.gc(['agent', 'list', '--format', template])).out).toBe('worker\nmayor\nshop/worker in shop\n')
    const wrong = await town.gc(['agent', 'list', '--format', '{{.name'])
    expect({ status: wrong.status, out: wrong.out }).toEqual({ status: 2, out: '' })
    expect(wrong.err).toContain('a template looks like')
    const unknown = await town.gc(['agent', 'list', '--json=nmae'])
    expect(unknown.out).toBe('[{"nmae":null},{"nmae":null},{"nmae":null}]\n')
    expect(unknown.err).toContain('nothing here has the field nmae; there are name,')
  })
})
