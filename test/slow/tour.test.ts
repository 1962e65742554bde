import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { KEYS, Screen } from './screen.ts'

const BINARY = resolve(process.env.GC_BINARY ?? 'dist/gc')
const WAIT = 60_000

/** A machine without a network but its loopback; where a container does not permit one, the tour has a port of its own. */
const BARE = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const isRefused = Bun.spawnSync([...BARE, 'true'], { stderr: 'ignore' }).exitCode !== 0
const machine = isRefused ? [] : BARE

/** The blocks of commands in the README's tour: the tour, the commands that end it, and those for an agent program. */
function readBlocks(): string[] {
  const readme = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8')
  const [, section = ''] = readme.split('## A two-minute tour\n')
  return [...(section.split('\n## ')[0] ?? '').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) =>
    block.trimEnd(),
  )
}

const [tour = '', ending = '', ...program] = readBlocks()

/** An agent program in place of claude. */
const AGENT = `#!/bin/sh
[ "$1" = --version ] && exec echo 2.0
echo at your service
exec sleep 600
`

/** A port that is free now. */
function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  server.stop(true)
  return server.port
}

const SHELLS: Readonly<Record<string, readonly string[]>> = {
  bash: ['bash', '--norc', '-i'],
  zsh: ['zsh', '-f', '-i'],
}

/** A user on a machine that has gc, a shell and the system's own programs. */
class Visitor implements AsyncDisposable {
  readonly #folder: TempFolder = tempFolder()
  readonly env: Record<string, string>
  readonly screen: Screen

  constructor(shell: string) {
    for (const name of ['bin', 'user']) mkdirSync(this.#folder.at(name))
    symlinkSync(BINARY, this.#folder.at('bin', 'gc'))
    this.env = {
      HOME: this.#folder.at('user'),
      PATH: `${this.#folder.at('bin')}:/usr/bin:/bin:/usr/sbin:/sbin`,
      TERM: 'xterm-256color',
      PS1: 'ready: ',
      PS2: 'more: ',
      ...(isRefused && { GC_PORT: String(freePort()) }),
    }
    const options = { cols: 160, rows: 50, cwd: this.env.HOME, env: this.env }
    this.screen = new Screen([...machine, ...(SHELLS[shell] ?? [])], options)
  }

  /** Puts a program on the user's PATH. */
  install(name: string, text: string): void {
    writeFileSync(this.#folder.at('bin', name), text, { mode: 0o755 })
  }

  /** Runs a command in the shell, and waits for its prompt. */
  async enter(line: string): Promise<void> {
    const before = this.screen.raw.length
    this.screen.press(`${line}\r`)
    await this.prompt(before)
  }

  /** Waits for a prompt in what was written after `from` characters. */
  prompt(from = 0): Promise<string> {
    const written = async () => Bun.stripANSI(this.screen.raw.slice(from))
    return eventually('the shell waits for a command', WAIT, written, (text) => /(?:ready|more): $/.test(text))
  }

  /** The result of the tour: its bead, the file that the agent wrote, and who closed the bead. */
  async result(): Promise<unknown> {
    await this.enter('gc bead list --all --type task --json=id,title,status,assignee > beads.json')
    await this.enter('gc events --type bead.closed --json > events.json')
    const read = (path: string) => readFileSync(this.#folder.at('user', path), 'utf8')
    const events = read('my-city/events.json')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const [closed] = events.filter(({ subject }) => subject === 'mp-1')
    return { beads: JSON.parse(read('my-city/beads.json')), hello: read('my-project/hello.txt'), closer: closed?.actor }
  }

  /** The processes that were started with this user's home folder. */
  processes(): number[] {
    const isOwn = (pid: string) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${this.env.HOME}`)
      } catch {
        return false
      }
    }
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isOwn(name))
      .map(Number)
  }

  /** Ends what a failed tour leaves running. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.processes()) process.kill(pid, 'SIGKILL')
    await this.screen[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}

/** Ways in which terminals deliver pasted text. */
const WAYS: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  'as a bracketed paste': async ({ screen }) => screen.press(`\x1b[200~${tour}\x1b[201~`, '\r'),
  'as plain typed lines': async ({ screen }) => screen.press(`${tour.replaceAll('\n', '\r')}\r`),
  'line by line': async (visitor) => {
    for (const line of tour.split('\n')) await visitor.enter(line)
  },
}

/** Result of the tour, for every way of input. */
const RESULT = {
  beads: [{ id: 'mp-1', title: 'Write a greeting to hello.txt', status: 'closed', assignee: 'my-project/scribe' }],
  hello: 'Hello from my-project/scribe\n',
  closer: 'my-project/scribe',
}

const cases = [
  ...Object.keys(WAYS).map((way) => ({ shell: 'bash', way })),
  ...(Bun.which('zsh') ? [{ shell: 'zsh', way: 'as plain typed lines' }] : []),
]

/** Programs that take the terminal, with what leaves each again. */
const LEAVING: readonly { begins: string; shows: string | RegExp; key: string }[] = [
  { begins: 'gc tui', shows: /live *$/m, key: 'q' },
  { begins: 'gc session attach', shows: 'at your service', key: KEYS.detach },
]

/** Enters each line of a block, and leaves what takes the terminal. */
async function follow(visitor: Visitor, block: string): Promise<void> {
  for (const line of block.split('\n')) {
    const leaving = LEAVING.find(({ begins }) => line.startsWith(begins))
    const entered = visitor.enter(line)
    if (leaving) {
      await visitor.screen.shows(leaving.shows, WAIT)
      visitor.screen.press(leaving.key)
    }
    await entered
  }
}

describe('the tour of the README', () => {
  test.concurrent.each(cases)(
    'pasted into $shell $way closes its bead and leaves nothing running',
    async ({ shell, way }) => {
      await using visitor = new Visitor(shell)
      const { screen } = visitor
      await visitor.prompt()
      await WAYS[way]?.(visitor)
      await screen.shows(/^Hello from my-project\/scribe$/m, WAIT)
      await visitor.prompt()
      expect(await visitor.result()).toEqual(RESULT)
      await follow(visitor, ending)
      expect(screen.text).toContain('Everything has stopped.')
      expect(visitor.processes()).toEqual([screen.pid])
      expect(screen.modes).toMatchObject({ alternate: false, mouse: false })
    },
    120_000,
  )

  test.concurrent('keeps the session of an agent program running when the user detaches', async () => {
    await using visitor = new Visitor('bash')
    visitor.install('claude', AGENT)
    await visitor.prompt()
    await follow(visitor, tour)
    await follow(visitor, program.join('\n'))
    await visitor.enter('gc session list')
    expect(visitor.screen.text).toMatch(/active .*my-project\/worker/)
    await visitor.enter('gc down')
    expect(visitor.processes()).toEqual([visitor.screen.pid])
  }, 120_000)
})
