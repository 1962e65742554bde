import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { version } from '../../cli/context/version.ts'
import { tempFolder } from '../support/folder.ts'
import { bd, gc } from './shell.ts'

/** Nothing listens on the discard port of this machine. */
const nobody = { GC_URL: 'http://127.0.0.1:9' }

describe('a wrong command line', () => {
  test.each([
    { args: ['statu'], says: 'Did you mean status?' },
    { args: ['rig', 'lst'], says: 'Did you mean list?' },
    { args: ['rig', 'list', '--jsn'], says: 'Did you mean --json?' },
    { args: ['frobnicate'], says: "unknown command 'frobnicate'" },
    { args: ['trase', 'show'], says: "unknown command 'trase'; did you mean trace?" },
    { args: ['config', 'chek'], says: 'did you mean check?' },
    { args: ['bead', 'create', 'x', '--priority', '9'], says: '0 to 4' },
    { args: ['sling'], says: 'name the agent' },
    { args: ['agent', 'add', 'a', '--provider', 'x', '--command', 'y'], says: 'not both' },
  ])('ends with status 2 and says what was meant: $args', async ({ args, says }) => {
    const { status, out, err } = await gc(args, { env: nobody })
    expect(status).toBe(2)
    expect(out).toBe('')
    expect(err).toStartWith('gc: ')
    expect(err).toContain(says)
  })

  test('is reported by bd, too', async () => {
    const { status, err } = await bd(['redy'], { env: nobody })
    expect(status).toBe(2)
    expect(err).toContain('Did you mean ready?')
    for (const [args, says] of [
      [['dep', 'tre', 'to-1'], "unknown command 'tre'; did you mean tree?"],
      [['human', 'dismis', 'to-1', '-r', 'x'], 'did you mean dismiss?'],
      [['recal', 'x'], 'Did you mean recall?'],
    ] as const) {
      expect((await bd(args, { env: nobody })).err).toContain(says)
    }
  })
})

describe('without a supervisor', () => {
  test('a command reports that none answers, and how to start one', async () => {
    const { status, out, err } = await gc(['rig', 'list'], { env: nobody })
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toBe(
      'gc: no supervisor answers at http://127.0.0.1:9 (connection refused); check GC_URL, or start one there with `gc serve`\n',
    )
  })

  test('gc init starts one only on this machine’s own address, and writes nothing where it may not', async () => {
    using folder = tempFolder()
    const { status, out, err } = await gc(['init', folder.at('city')], { env: nobody })
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toBe(
      'gc: no supervisor answers at http://127.0.0.1:9 (connection refused); check GC_URL, or start one there with `gc serve`\n',
    )
    expect(existsSync(folder.at('city'))).toBe(false)
  })

  test('bd reports it in its own format', async () => {
    expect(await bd(['ready'], { env: nobody })).toEqual({
      status: 1,
      out: '',
      err: 'Error: no supervisor answers at http://127.0.0.1:9 (connection refused); check GC_URL, or start one there with `gc serve`\n',
    })
    const { status, out } = await bd(['ready', '--json'], { env: nobody })
    expect(status).toBe(1)
    expect(JSON.parse(out)).toEqual({ error: expect.stringContaining('check GC_URL'), schema_version: 1 })
  })

  test('a command in a session fails without the session’s token', async () => {
    using folder = tempFolder()
    await Bun.write(folder.at('token'), 'gco_operator\n')
    const env = { ...nobody, GC_HOME: folder.path, GC_SESSION_ID: 'mp-7' }
    const { status, err } = await gc(['rig', 'list'], { env })
    expect(status).toBe(1)
    expect(err).toContain('this is session mp-7, but its GC_TOKEN is missing')
  })
})

describe('commands that need no supervisor', () => {
  test('version', async () => {
    expect(await gc(['version', '--json'])).toEqual({
      status: 0,
      out: `${JSON.stringify({ version, commit: 'dev' })}\n`,
      err: '',
    })
  })

  test('help lists the commands in groups, in any width', async () => {
    const wide = await gc(['--help'], { width: 100 })
    expect(wide.status).toBe(0)
    expect(wide.out).toContain('Agents:')
    expect(wide.out).toMatch(/\nAbout:\n( {2}.*\n)* {2}help \[topic\.\.\.\] .*\n\n`gc help getting-started` .*\n$/)
    expect(wide.out).not.toContain('Commands:')
    expect((await gc([], { width: 100 })).out).toBe(wide.out)
    const narrow = await gc(['--help'], { width: 80 })
    expect(narrow.out).not.toBe(wide.out)
  })

  test('bd version, in both output formats', async () => {
    const keys = async (env: Record<string, string>) => JSON.parse((await bd(['version', '--json'], { env })).out)
    expect(Object.keys(await keys({}))).toEqual(['branch', 'build', 'schema_version', 'version'])
    expect(Object.keys(await keys({ BD_JSON_ENVELOPE: '1' }))).toEqual(['data', 'schema_version'])
  })
})
