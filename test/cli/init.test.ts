import { beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordsOf } from './recorded.ts'
import type { Shell } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const PERSON = { interactive: true, width: 100 }

/** Runs gc init in a folder, as a user whose home is `user` and whose one agent program is `gemini`. */
const init = (args: readonly string[], shell: Shell = {}) =>
  town.gc(['init', ...args], {
    cwd: town.at('web'),
    ...shell,
    env: { PATH: `${town.at('bin')}:/usr/bin:/bin`, HOME: town.at('user') },
  })

/** The files of a city that people write. */
const filesOf = (city: string) => ({
  city: readFileSync(join(city, 'city.toml'), 'utf8').split('\n').slice(-5).join('\n'),
  agent: readFileSync(join(city, 'agents/worker/agent.toml'), 'utf8'),
})

const cities = async () => (await town.json<{ items: { name: string }[] }>(['cities'])).items.map(({ name }) => name)

beforeAll(() => {
  for (const name of ['bin', 'user', 'web', 'empty']) mkdirSync(town.at(name))
  writeFileSync(town.at('bin', 'gemini'), '#!/bin/sh\n')
  chmodSync(town.at('bin', 'gemini'), 0o755)
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
  for (const words of [
    ['init', '-q'],
    [...author, 'commit', '-q', '--allow-empty', '-m', 'begin'],
  ]) {
    Bun.spawnSync(['git', '-C', town.at('web'), ...words])
  }
})

const AGENT = `dir = "web"
provider = "gemini"
worktree = true
option_defaults = { permission_mode = "auto-edit" }
max_active_sessions = 1
confine = "off"
`

describe('gc init without arguments', () => {
  test('in a terminal changes nothing when the input ends, ctrl-c comes, or the answer is no', async () => {
    const before = await cities()
    const ends: readonly [Shell, number][] = [
      [{ stdin: '\n\n\n' }, 1],
      [{ stdin: '\n\n\n\n\n\n\nn\n' }, 1],
      [{ signal: AbortSignal.abort() }, 130],
    ]
    for (const [shell, status] of ends) {
      expect([shell.stdin, (await init([], { ...PERSON, ...shell })).status]).toEqual([shell.stdin, status])
    }
    expect(await cities()).toEqual(before)
    expect(readdirSync(town.at('user'))).toEqual([])
  })

  test('sets up the repository around it by Enter alone, and slings a first task', async () => {
    const { status, out } = await init([], { ...PERSON, stdin: `${'\n'.repeat(8)}Add a test\n` })
    expect([status, out]).toEqual([0, expect.stringContaining('This folder is in a git repository')])
    const city = town.at('user', 'my-city')
    expect(filesOf(city)).toEqual({ city: expect.stringContaining('[[rigs]]\nname = "web"\n'), agent: AGENT })
    for (const text of Object.values(filesOf(city))) {
      for (const line of text.trim().split('\n')) expect(out).toContain(`  ${line}`.trimEnd())
    }
    expect(out).toContain('City my-city is up at ')
    expect(out).toContain('Gemini CLI is not ready: run `gemini` and log in.\n')
    expect(out).toMatch(/web-1 goes to web\/worker\.\n\nNext:\n( {2}gc .*\n){3}$/)
    const types = ['controller.started', 'bead.created', 'bead.updated', 'bead.created', 'convoy.created']
    expect((await recordsOf(town, 'my-city')).slice(0, types.length)).toEqual(types)
  })

  test('explains, rejects wrong answers, and takes no project and a budget', async () => {
    const answers = ['?', 'nowhere', '-', town.city, town.at('user', 'second'), '', '', '', 'much', '5 usd', '', '']
    const { status, out } = await init([], { ...PERSON, cwd: town.at('empty'), stdin: answers.join('\n') })
    expect([status, out]).toEqual([0, expect.stringContaining('This folder is not in a git repository')])
    for (const text of [
      'which gc calls a rig',
      'nowhere is not a folder',
      'already initialized',
      'must look like 5usd',
    ])
      expect(out).toContain(text)
    expect(readFileSync(town.at('user/second/agents/worker/agent.toml'), 'utf8')).not.toContain('dir =')
    expect((await town.gc(['--city', 'second', 'budget', 'list'])).out).toContain('$5.00')
  })

  test('proposes no project in a home folder that is a repository', async () => {
    const shell = { ...PERSON, cwd: town.at('web'), stdin: '', env: { HOME: town.at('web') } }
    expect((await town.gc(['init'], shell)).out).toContain('Project folder, - for none [-]')
  })

  test('without a terminal makes a city of the current folder, as before', async () => {
    expect((await init([], { cwd: town.at('empty') })).out).toStartWith(`City empty is up at ${town.at('empty')}.\n`)
    expect(await init([], { ...PERSON, cwd: town.at('empty') })).toMatchObject({ status: 2 })
  })
})

describe('gc init with options of a first agent', () => {
  test('asks nothing, and declares what they say', async () => {
    const settings = ['--rig', '.', '--program', 'gemini', '--permission-mode', 'plan', '--max', '3', '--no-worktree']
    const { status, out } = await init([town.at('third'), ...settings, '--confine', 'network', '--budget', '2M'])
    expect([status, out]).toEqual([0, expect.stringContaining('City third is up at ')])
    expect(filesOf(town.at('third')).agent).toBe(
      AGENT.replace('true', 'false').replace('auto-edit', 'plan').replace('= 1', '= 3').replace('"off"', '"network"'),
    )
    expect((await town.gc(['--city', 'third', 'budget', 'list'])).out).toContain('2.0M tokens')
  })

  test('takes the default of everything with --yes, and only writes with --no-start', async () => {
    const folder = town.at('fourth')
    const answer = JSON.parse((await init([folder, '--rig', '.', '--yes', '--no-start', '--json'])).out)
    expect(answer).toMatchObject({ city_path: folder, city_name: 'fourth', agent: 'web/worker', started: false })
    expect(filesOf(folder).agent).toBe(AGENT)
    expect(await cities()).not.toContain('fourth')
  })

  test('fails with what is missing or wrong, and writes nothing', async () => {
    const folder = town.at('fifth')
    const wrong: readonly [string[], string][] = [
      [['--rig', '.'], 'give the folder of the city and --program or --command, or --yes for the defaults'],
      [[folder, '--rig', 'nowhere', '--yes'], 'nowhere is not a folder'],
      [[folder, '--rig', town.at('empty'), '--program', 'gemini', '--worktree'], 'needs a rig that git tracks'],
      [[folder, '--program', 'gemnii'], 'did you mean "gemini"'],
      [[folder, '--program', 'gemini', '--permission-mode', 'bold'], 'cannot be "bold"'],
      [[folder, '--program', 'gemini', '--max', '1001'], 'must be'],
      [[folder, '--program', 'gemini', '--budget', '5'], 'needs a unit'],
      [[folder, '--program', 'gemini', '--name', 'a b'], 'cannot name a city'],
      [[folder, '--program', 'gemini', '--name', 'town'], 'city town already exists'],
      [[folder, '--program', 'gemini', '--template', 'gastown'], 'go without the options of a first agent'],
      [[town.city, '--program', 'gemini'], 'already initialized'],
    ]
    for (const [args, reason] of wrong)
      expect([args, (await init(args)).err]).toEqual([args, expect.stringContaining(reason)])
    expect(existsSync(folder)).toBe(false)
  })

  test('names the programs to install where there is none', async () => {
    const { status, err } = await town.gc(['init', town.at('sixth'), '--rig', '-', '--yes'], {
      env: { PATH: '/nonexistent', HOME: town.at('empty') },
    })
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('  Claude Code: npm install -g @anthropic-ai/claude-code'),
    ])
    expect(existsSync(town.at('sixth'))).toBe(false)
  })
})
