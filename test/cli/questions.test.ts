import { beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasPerson } from '../../cli/setup/talk.ts'
import { trustsRig } from '../../src/agents/confinement/accepted-dialogs.ts'
import { alive } from '../host/world.ts'
import { recordsOf } from './recorded.ts'
import { recorder, type Shell } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const PERSON = { interactive: true, width: 100 }

/** The events that a command recorded, oldest first. */
async function recorded(command: () => Promise<unknown>): Promise<string[]> {
  const before = await recordsOf(town, 'town')
  await command()
  return (await recordsOf(town, 'town')).slice(before.length)
}

/** A new folder with an empty repository, as far as its name is concerned. */
function project(name: string, files: Readonly<Record<string, string>> = {}): string {
  const path = town.at(name)
  mkdirSync(join(path, '.git'), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

describe('gc agent add', () => {
  /** The declaration of an agent of the town. */
  const declared = (name: string) => readFileSync(join(town.city, 'agents', name, 'agent.toml'), 'utf8')

  const add = (args: readonly string[], shell: Shell = {}) =>
    town.gc(['agent', 'add', ...args], {
      ...shell,
      env: { PATH: `${town.at('bin')}:/usr/bin:/bin`, HOME: town.at('user') },
    })

  beforeAll(async () => {
    for (const name of ['bin', 'user', 'web']) mkdirSync(town.at(name))
    writeFileSync(town.at('bin', 'gemini'), '#!/bin/sh\n')
    chmodSync(town.at('bin', 'gemini'), 0o755)
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
    for (const words of [
      ['init', '-q'],
      [...author, 'commit', '-q', '--allow-empty', '-m', 'begin'],
    ]) {
      Bun.spawnSync(['git', '-C', town.at('web'), ...words])
    }
    await town.gc(['rig', 'add', town.at('web')])
  })

  test('takes the default of each question by Enter, and prints the file', async () => {
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

  test('asks nothing about an agent that runs a command', async () => {
    expect((await add(['web/fay', '--command', 'cat'], PERSON)).status).toBe(0)
    expect(declared('fay')).toBe('dir = "web"\nstart_command = "cat"\nmax_active_sessions = 1\n')
  })

  test('asks nothing of a session, whose terminal no person may watch', () => {
    for (const name of ['GC_SESSION_ID', 'GC_TOKEN'])
      expect(hasPerson(recorder({ ...PERSON, env: { [name]: 'x' } }).io)).toBe(false)
    expect(hasPerson(recorder(PERSON).io)).toBe(true)
  })
})

describe('gc rig add', () => {
  test('asks nothing where the folder is not a repository', async () => {
    mkdirSync(town.at('plain'))
    const added = await town.gc(['rig', 'add', town.at('plain')], PERSON)
    expect(added).toMatchObject({ err: '', out: 'Rig plain was added to town.\n' })
  })

  test('asks how branches land, and suggests the tests of the project', async () => {
    const path = project('mill', { 'package.json': '{"scripts":{"test":"true"}}' })
    const { out } = await town.gc(['rig', 'add', path], { ...PERSON, stdin: '?\n2\n\n' })
    expect(out).toContain('How do finished branches of mill land?')
    expect(out).toContain('[npm test]')
    expect(out).toEndWith('Its branches land by push; `gc rig land mill` shows and changes how.\n')
    expect(await town.json(['rig', 'land', 'mill', '--json'])).toMatchObject({ mode: 'push', check: ['npm', 'test'] })
  })

  test('leaves landing off by Enter', async () => {
    expect((await town.gc(['rig', 'add', project('inn')], { ...PERSON, stdin: '\n' })).status).toBe(0)
    expect(await town.json(['rig', 'land', 'inn', '--json'])).toMatchObject({ declared: false, mode: 'off' })
  })

  test('asks whether programs trust the folder, unless an option decides it', async () => {
    const question = 'Trust it? Programs ask in each session otherwise. [y/N] '
    const add = (name: string, flags: readonly string[], shell: Shell = PERSON) => {
      Bun.spawnSync(['git', 'init', '-q', town.at(name)])
      return town.gc(['rig', 'add', town.at(name), '--land', 'off', ...flags], shell)
    }
    const types = await recorded(async () => {
      expect((await add('asked', [], { ...PERSON, stdin: 'y\n' })).err).toContain(question)
      expect((await add('denied', [], { ...PERSON, stdin: '\n' })).err).toContain(question)
      expect((await add('unasked', ['--no-trust'])).err).not.toContain(question)
    })
    const isTrusted = (name: string) => trustsRig(town.city, { rig: name, workDir: town.at(name) }, town.at(name))
    expect(['asked', 'denied', 'unasked'].filter(isTrusted)).toEqual(['asked'])
    expect(types.filter((type) => type.startsWith('rig.'))).toEqual(['rig.trusted'])
  })
})

test('gc rig token add takes a token that is typed, and does not print it', async () => {
  const secret = 'f00dfeedf00dfeedf00dfeed'
  const typed = await town.gc(['rig', 'token', 'add', '--host', 'github.com'], { ...PERSON, stdin: `${secret}\n` })
  expect([typed.status, `${typed.out}${typed.err}`]).toEqual([0, expect.not.stringContaining(secret)])
})

test('gc session sweep ends nothing unless a person says yes', async () => {
  /** Starts a process that looks as if a session had left it; its pid. */
  const detach = (): number => {
    const env = { PATH: process.env.PATH ?? '', GC_HOME: town.home, GC_CITY: town.city, GC_SESSION_ID: 'to-7' }
    const { stdout } = Bun.spawnSync(['sh', '-c', 'setsid sleep 300 >/dev/null 2>&1 & echo $!'], { env })
    return Number(stdout.toString())
  }
  expect(await town.gc(['session', 'sweep'])).toMatchObject({ status: 0, out: 'No process has left its session.\n' })
  const pid = detach()
  const asked = await town.gc(['session', 'sweep'], { interactive: true, stdin: 'no' })
  expect(asked).toMatchObject({ status: 1, err: 'End 1 process? [y/N] gc: nothing was stopped\n' })
  expect(asked.out).toContain(`${pid}`)
  expect(alive(pid)).toBe(true)
  const confirmed = await town.gc(['session', 'sweep'], { interactive: true, stdin: 'y' })
  expect(confirmed).toMatchObject({ status: 0, err: 'End 1 process? [y/N] ' })
  expect(confirmed.out).toEndWith('1 process ended.\n')
  expect(alive(pid)).toBe(false)
  expect(town.reports).toEqual([])
})

test('the dashboard does not open a city that does not exist', async () => {
  const { err, status } = await town.gc(['--city', 'nowhere', 'tui'], { width: 80, interactive: true })
  expect([status, err]).toEqual([1, expect.stringContaining('nowhere')])
})
