import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { KEYS, Screen } from './screen.ts'

const BINARY = resolve(process.env.GC_BINARY ?? 'dist/gc')
const WAIT = 30_000

/** An agent program that is logged in, in place of claude. */
const AGENT = `#!/bin/sh
[ "$1 $2" = "auth status" ] && exec echo '{"loggedIn":true,"apiProvider":"firstParty","authMethod":"claude.ai"}'
echo at your service
exec sleep 600
`

/** A port that is free now. */
function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  server.stop(true)
  return server.port
}

/** A newcomer in the folder `shop`, which is a repository with a commit, or not. */
class Newcomer implements AsyncDisposable {
  readonly #folder = tempFolder()
  readonly home = this.#folder.at('user')
  readonly shop = this.#folder.at('user', 'shop')
  readonly env = {
    HOME: this.home,
    PATH: `${this.#folder.at('bin')}:/usr/bin:/bin`,
    TERM: 'xterm-256color',
    GC_PORT: String(freePort()),
  }

  constructor({ hasGit = false, hasProgram = false }) {
    for (const name of ['bin', 'user', 'user/shop']) mkdirSync(this.#folder.at(name))
    symlinkSync(BINARY, this.#folder.at('bin', 'gc'))
    if (hasProgram) writeFileSync(this.#folder.at('bin', 'claude'), AGENT, { mode: 0o755 })
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
    if (!hasGit) return
    for (const words of [
      ['init', '-q'],
      [...author, 'commit', '-q', '--allow-empty', '-m', 'begin'],
    ]) {
      Bun.spawnSync(['git', '-C', this.shop, ...words])
    }
  }

  /** A command on a terminal of its own. */
  open(...args: string[]): Screen {
    return new Screen(['gc', ...args], { cols: 110, rows: 90, cwd: this.shop, env: this.env })
  }

  run(...args: string[]): string {
    return Bun.spawnSync([BINARY, ...args], { env: this.env, cwd: this.shop, timeout: WAIT }).stdout.toString()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.run('down')
    this.#folder[Symbol.dispose]()
  }
}

/** Answers questions, each when it is asked. */
async function answer(
  screen: Screen,
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<void> {
  for (const [question, text] of answers) {
    await screen.shows(question, WAIT)
    screen.press(`${text}\r`)
  }
}

describe('gc alone in a terminal', () => {
  test('sets up the repository around it, starts, and gives the agent a first task in a worktree', async () => {
    await using user = new Newcomer({ hasGit: true, hasProgram: true })
    await using screen = user.open()
    await answer(screen, [
      ['Project folder, - for none [~/shop]', ''],
      ['Folder of the city [~/my-city]', ''],
      ['claude      ready', ''],
      ['A git worktree for each session? [Y/n]', '?'],
      ['A worktree is a copy of the project', ''],
      ['Sandbox', '3'],
      ['Permission mode', 'ask'],
      ['Daily budget', '5usd'],
    ])
    await screen.shows('Go ahead?', WAIT)
    expect(readdirSync(user.home)).toEqual(['shop'])
    screen.press(KEYS.enter)
    await answer(screen, [['First task, or Enter for none:', 'Add a test']])
    await screen.shows('sh-1 goes to shop/worker.\n\nNext:\n', WAIT)
    expect(await screen.exited).toBe(0)
    expect(readFileSync(`${user.home}/my-city/agents/worker/agent.toml`, 'utf8')).toBe(
      `dir = "shop"
provider = "claude"
worktree = true
option_defaults = { permission_mode = "ask" }
max_active_sessions = 1
confine = "off"
`,
    )
    expect(user.run('budget', 'list')).toContain('$5.00')
    await using again = user.open()
    await again.hears('gc help getting-started', WAIT)
    expect(await again.exited).toBe(0)
    expect(again.raw).not.toContain('Project folder')
  }, 90_000)

  test.each([
    ['ctrl-c', KEYS.ctrlC, 130],
    ['the end of the input', '\x04', 1],
  ])(
    'leaves no trace when %s comes at any question',
    async (_, key, status) => {
      await using user = new Newcomer({ hasProgram: true })
      for (let answered = 0; answered < 6; answered++) {
        await using screen = user.open()
        for (let at = 0; at <= answered; at++) {
          const prompts = () => screen.text.match(/\[[^\]\n]+\] *$/gm)?.length ?? 0
          await screen.shows('Project folder', WAIT)
          while (prompts() <= at) await Bun.sleep(20)
          screen.press(at < answered ? KEYS.enter : key)
        }
        await screen.shows('nothing was changed', WAIT)
        expect([answered, await screen.exited]).toEqual([answered, status])
      }
      expect(readdirSync(user.home)).toEqual(['shop'])
      expect(readdirSync(user.shop)).toEqual([])
    },
    90_000,
  )

  test('shows how to install a program where there is none, and finds it once it is installed', async () => {
    await using user = new Newcomer({})
    await using screen = user.open('init')
    await answer(screen, [
      ['Project folder', '-'],
      ['Folder of the city', ''],
      ['claude      not installed: npm install -g', ''],
      ['Sandbox', ''],
    ])
    screen.press(KEYS.ctrlC)
    expect(await screen.exited).toBe(130)
    await using later = user.open('init')
    await answer(later, [
      ['Project folder', '-'],
      ['Folder of the city', ''],
    ])
    await later.shows('No agent program is installed', WAIT)
    writeFileSync(`${user.env.PATH.split(':')[0]}/claude`, AGENT, { mode: 0o755 })
    later.press('r\r')
    await later.shows('claude      ready', WAIT)
    later.press(KEYS.ctrlC)
    expect(await later.exited).toBe(130)
    expect(readdirSync(user.home)).toEqual(['shop'])
  }, 60_000)
})
