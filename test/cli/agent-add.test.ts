import { beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasPerson } from '../../cli/setup/talk.ts'
import { eventually } from '../support/until.ts'
import { recordsOf } from './recorded.ts'
import { recorder, type Shell } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const PERSON = { interactive: true, width: 100 }

/** The declaration of an agent of the town. */
const declared = (name: string) => readFileSync(join(town.city, 'agents', name, 'agent.toml'), 'utf8')

const add = (args: readonly string[], shell: Shell = {}) =>
  town.gc(['agent', 'add', ...args], {
    ...shell,
    env: { PATH: `${town.at('bin')}:/usr/bin:/bin`, HOME: town.at('user') },
  })

/** The events that a command recorded, oldest first. */
async function recorded(command: () => Promise<unknown>): Promise<string[]> {
  const before = await recordsOf(town, 'town')
  await command()
  return (await recordsOf(town, 'town')).slice(before.length)
}

beforeAll(async () => {
  mkdirSync(town.at('bin'))
  mkdirSync(town.at('user'))
  writeFileSync(town.at('bin', 'gemini'), '#!/bin/sh\n')
  chmodSync(town.at('bin', 'gemini'), 0o755)
  const web = town.at('web')
  mkdirSync(web)
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
  for (const words of [
    ['init', '-q'],
    [...author, 'commit', '-q', '--allow-empty', '-m', 'begin'],
  ]) {
    Bun.spawnSync(['git', '-C', web, ...words])
  }
  await town.gc(['rig', 'add', web])
})

describe('gc agent add', () => {
  test('without a terminal asks nothing and declares what it declared before', async () => {
    const { status, out } = await add(['web/plain', '--provider', 'gemini'])
    expect([status, out]).toEqual([0, expect.stringMatching(/^Agent web\/plain was added.*\n$/)])
    expect(declared('plain')).toBe('dir = "web"\nprovider = "gemini"\nmax_active_sessions = 1\n')
  })

  test('in a terminal takes the default of each question by Enter, and prints the file', async () => {
    const types = await recorded(async () => {
      const { status, out } = await add(['web/ann'], { ...PERSON, stdin: '\n\n\n\n\n\n\n' })
      expect([status, out]).toEqual([0, expect.stringContaining('Agent web/ann was added')])
      expect(out).toContain('agents/ann/agent.toml:\n  dir = "web"\n  provider = "gemini"\n  worktree = true\n')
    })
    expect(types).toEqual(['config.changed'])
    expect(declared('ann')).toBe(
      `dir = "web"
provider = "gemini"
worktree = true
option_defaults = { permission_mode = "auto-edit" }
max_active_sessions = 1
confine = "off"
`,
    )
  })

  test('explains a question, rejects a wrong answer, and takes numbers and words', async () => {
    const stdin = ['?', '9', 'gemini', 'maybe', 'n', '3', 'plan', '4', ''].join('\n')
    const { status, out } = await add(['web/bob'], { ...PERSON, stdin })
    expect([status, out]).toEqual([0, expect.stringContaining('`gc readiness` shows this list again')])
    expect(out).toContain('  Type y or n')
    const lines = ['worktree = false', 'option_defaults = { permission_mode = "plan" }', 'max_active_sessions = 4']
    for (const line of lines) expect(declared('bob')).toContain(`\n${line}\n`)
  })

  test('changes nothing when the input ends, or ctrl-c comes', async () => {
    const ends: readonly [Shell, number, string][] = [
      [{ ...PERSON, stdin: '\n' }, 1, 'gc: the input ended; nothing was changed\n'],
      [{ ...PERSON, signal: AbortSignal.abort() }, 130, ''],
    ]
    for (const [shell, status, err] of ends) {
      const types = await recorded(async () => {
        const ended = await add(['web/carl'], shell)
        if (status === 1) expect([ended.status, ended.err]).toEqual([status, err])
        else expect(ended.status).toBe(status)
      })
      expect(types).toEqual([])
    }
    expect(existsSync(join(town.city, 'agents/carl'))).toBe(false)
  })

  test('takes settings as flags, with --yes the defaults of the rest', async () => {
    const flags = ['--permission-mode', 'plan', '--confine', 'off', '--max', '2', '--no-worktree']
    const { status, out } = await add(['web/dora', '--provider', 'gemini', ...flags])
    expect([status, out]).toEqual([0, expect.stringContaining('  worktree = false\n')])
    await add(['web/eve', '--yes'])
    expect(declared('eve')).toBe(declared('ann'))
    expect((await add(['web/fay', '--command', 'cat'], PERSON)).status).toBe(0)
    expect(declared('fay')).toBe('dir = "web"\nstart_command = "cat"\nmax_active_sessions = 1\n')
  })

  test('rejects what the configuration would reject, and writes nothing', async () => {
    const wrong: readonly [string[], string][] = [
      [
        ['web/x', '--provider', 'gemini', '--permission-mode', 'bold'],
        'option "permission_mode" of gemini cannot be "bold"',
      ],
      [['web/x', '--provider', 'gemini', '--confine', 'loose'], "argument 'loose' is invalid"],
      [['shop/x', '--provider', 'gemini', '--worktree'], 'a worktree needs a rig that git tracks'],
      [['web/x', '--provider', 'gemini', '--max', '1001'], 'must be'],
    ]
    const types = await recorded(async () => {
      for (const [args, reason] of wrong)
        expect([args, (await add(args)).err]).toEqual([args, expect.stringContaining(reason)])
    })
    expect(types).toEqual([])
    expect(existsSync(join(town.city, 'agents/x'))).toBe(false)
  })

  test('reports in one answer that the agent was added and cannot start', async () => {
    const { out, err } = await add(['web/gus', '--provider', 'amp'])
    expect(out).toStartWith('Agent web/gus was added, but cannot start: ')
    expect(err).toBe('')
    const answer = JSON.parse((await add(['web/hal', '--provider', 'amp', '--json'])).out)
    expect(answer).toMatchObject({ status: 'created', agent: 'web/hal', unavailable_reason: expect.any(String) })
  })

  test('reports a program that cannot reach gc with the fix, as `gc doctor` and `gc attention` do', async () => {
    const old = town.at('old-codex')
    writeFileSync(old, '#!/bin/sh\necho codex-cli 0.99.0\n')
    chmodSync(old, 0o755)
    appendFileSync(join(town.city, 'city.toml'), `\n[providers.old]\nbase = "builtin:codex"\ncommand = "${old}"\n`)
    await town.gc(['reload'])
    const reason = 'Codex 0.99.0 is older than 0.105.0, and its sessions cannot reach gc'
    const fix = 'npm install -g @openai/codex@latest'
    const { status, err } = await add(['web/ida', '--provider', 'old', '--suspended'])
    expect([status, err]).toEqual([0, `gc: ${reason}; to fix it: ${fix}\n`])
    const list = () => town.gc(['attention'])
    const isListed = ({ out }: { out: string }) => out.replace(/\s+/g, ' ').includes('Codex 0.99.0 is older')
    await eventually('it is listed', 10_000, list, isListed)
    const checks = JSON.parse((await town.gc(['doctor', '--json'])).out).results
    expect(checks.find(({ name }: { name: string }) => name === 'protocol')).toMatchObject({
      status: 'error',
      details: [`${reason} (web/ida). → ${fix}`],
    })
  })

  test('asks nothing of a session, whose terminal no person may watch', () => {
    for (const name of ['GC_SESSION_ID', 'GC_TOKEN'])
      expect(hasPerson(recorder({ ...PERSON, env: { [name]: 'x' } }).io)).toBe(false)
    expect(hasPerson(recorder(PERSON).io)).toBe(true)
  })
})
