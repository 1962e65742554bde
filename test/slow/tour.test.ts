import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { KEYS, Screen } from './screen.ts'

const BINARY = resolve(process.env.GC_BINARY ?? 'dist/gc')
const WAIT = 30_000

/** A machine without a network but its loopback; where a container does not permit one, the tour has a port of its own. */
const BARE = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const isRefused = Bun.spawnSync([...BARE, 'true'], { stderr: 'ignore' }).exitCode !== 0
const machine = isRefused ? [] : BARE

/** A port that nobody has. */
function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  server.stop(true)
  return server.port
}

/** What stands in the README to be pasted, as it is: the tour, a line a command, and an agent that is a script. */
function readBlocks(): string[] {
  const readme = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8')
  const [, section = ''] = readme.split('## A two-minute tour\n')
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trimEnd())
}

const readTour = (): string[] => readBlocks()[0]?.split('\n') ?? []

/** What a person does with the commands that wait for one. */
const WAITING: readonly { begins: string; leave(screen: Screen): Promise<void> }[] = [
  {
    begins: 'gc events --follow',
    async leave(screen) {
      await screen.shows('bead.created', WAIT)
      screen.press(KEYS.ctrlC)
    },
  },
  {
    begins: 'gc session attach',
    async leave(screen) {
      await screen.shows('at your service', WAIT)
      screen.press(KEYS.detach)
    },
  },
  {
    begins: 'gc tui',
    async leave(screen) {
      await screen.shows(/live *$/m, WAIT)
      screen.press('q')
    },
  },
]

/** What stands in for claude: it says so, and notes something each second. */
const AGENT = `#!/bin/sh
[ "$1" = --version ] && exec echo 2.0
echo at your service
while sleep 1; do bd create "Seen on the way" > /dev/null; done
`

/** The processes that were started with a home folder. */
function processesOf(home: string): number[] {
  const isOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOf(name))
    .map(Number)
}

test('the tour of the README is pasted on a bare machine, does what it says, and leaves nothing behind', async () => {
  using folder = tempFolder()
  mkdirSync(folder.at('bin'))
  mkdirSync(folder.at('user'))
  symlinkSync(BINARY, folder.at('bin', 'gc'))
  writeFileSync(folder.at('bin', 'claude'), AGENT, { mode: 0o755 })
  const env = {
    HOME: folder.at('user'),
    PATH: `${folder.at('bin')}:/usr/bin:/bin:/usr/sbin:/sbin`,
    TERM: 'xterm-256color',
    PS1: '[\\#:$?] ',
    ...(isRefused && { GC_PORT: String(freePort()) }),
  }
  const shell = [...machine, 'bash', '--norc', '--noediting', '-i']
  await using screen = new Screen(shell, { cols: 160, rows: 50, cwd: folder.at('user'), env })
  await screen.shows('[1:0] ', WAIT)
  const statuses: unknown[] = []
  for (const [at, line] of readTour().entries()) {
    screen.press(`${line}\r`)
    await WAITING.find(({ begins }) => line.startsWith(begins))?.leave(screen)
    await screen.shows(new RegExp(`\\[${at + 2}:\\d+\\] $`, 'm'), WAIT)
    statuses.push([line, /\[\d+:(\d+)\] $/.exec(screen.text.trimEnd().concat(' '))?.[1]])
  }
  expect(statuses).toEqual(readTour().map((line) => [line, '0']))
  expect(screen.text).toContain('Everything has stopped.')
  expect(processesOf(folder.at('user'))).toEqual([screen.pid])
  expect(screen.modes).toEqual({ alternate: false, mouse: false, paste: false })
}, 120_000)

test('the script that the README shows as an agent does the work that it is given', () => {
  using folder = tempFolder()
  mkdirSync(folder.at('bin'))
  mkdirSync(folder.at('user'))
  symlinkSync(BINARY, folder.at('bin', 'gc'))
  const env = {
    HOME: folder.at('user'),
    PATH: `${folder.at('bin')}:/usr/bin:/bin:/usr/sbin:/sbin`,
    ...(isRefused && { GC_PORT: String(freePort()) }),
  }
  const pasted = readBlocks()[1]?.replace(
    /^(gc bead list .*) --watch.*$/m,
    `until $1 | grep 'Look around'; do sleep 0.2; done`,
  )
  const script = `set -e
    gc init ~/my-city && cd ~/my-city && git init -q ~/my-project && gc rig add ~/my-project
    ${pasted}
    gc down`
  const { exitCode, stdout, stderr } = Bun.spawnSync([...machine, 'bash', '-c', script], { env, timeout: 60_000 })
  expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([
    0,
    expect.stringMatching(/closed .*my-project\/scribe .*Look around\nEverything has stopped\.\n$/),
    '',
  ])
}, 90_000)
