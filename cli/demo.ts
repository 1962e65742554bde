import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as rest } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Glob } from 'bun'

/** Shows one piece of work from beginning to end with the binary and git, as a user would do it. */

const ROOT = resolve(import.meta.dir, '..')
const GC = join(ROOT, 'dist', 'gc')
const TIMEOUT_MS = 15_000
const runToEnd = promisify(execFile)

/** The agent: it claims work, does it and closes it, until there is none. */
const AGENT = `#!/bin/sh
set -eu
while :; do
  next=$(gc hook --claim --drain-ack --json)
  case $next in *'"action":"work"'*) ;; *) echo "nothing left to do"; exit 0 ;; esac
  bead=$(printf '%s' "$next" | sed 's/.*"bead_id":"\\([^"]*\\)".*/\\1/')
  echo "$GC_AGENT works on $bead"
  printf 'Hello from %s.\\n' "$GC_AGENT" > hello.txt
  git add hello.txt
  git commit --quiet --message "$bead: say hello"
  git log --oneline --max-count=1
  bd close "$bead" --reason 'hello.txt is written and committed'
done
`

const home = mkdtempSync(join(tmpdir(), 'gc-demo-'))
const rig = join(home, 'shop')
const env = cleanEnvironment()
const started: ChildProcess[] = []
const ended = new AbortController()

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => ended.abort(new Error('it was interrupted')))
}
try {
  await demo()
} catch (error) {
  say('demo', `The demo failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  await cleanUp()
}

async function demo(): Promise<void> {
  await build()
  const server = start('gc serve', ['serve', '--port', '0'])
  await until('the supervisor answers', () => existsSync(join(home, '.gc', 'supervisor.json')))
  await gc('init', join(home, 'town'))
  await makeRepository()
  await gc('rig', 'add', rig)
  await gc('agent', 'add', 'shop/greeter', '--command', join(home, 'greeter.sh'))
  const closed = watch()
  const { bead_id: bead } = JSON.parse(await gc('sling', 'shop/greeter', 'Say hello in hello.txt', '--json'))
  await until(`${bead} is closed`, () => closed.has(bead))
  await show(bead)
  await gc('down')
  await until('the supervisor has ended', () => server.exitCode !== null)
}

/** Builds the binary unless it is newer than its sources. */
async function build(): Promise<void> {
  const sources = [...new Glob('{src,cli,tui}/**/*.{ts,tsx,sql}').scanSync(ROOT), 'package.json', 'package-lock.json']
  const newest = Math.max(...sources.map((path) => statSync(join(ROOT, path)).mtimeMs))
  if (existsSync(GC) && statSync(GC).mtimeMs > newest) return
  say('demo', 'building dist/gc')
  await runChecked(process.execPath, [join(ROOT, 'cli/build.ts')], ROOT)
}

async function makeRepository(): Promise<void> {
  mkdirSync(rig)
  writeFileSync(join(home, 'greeter.sh'), AGENT)
  chmodSync(join(home, 'greeter.sh'), 0o755)
  writeFileSync(join(rig, 'README.md'), '# A shop\n')
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--quiet', '--message=Begin'],
  ]) {
    await runChecked('git', args, rig)
  }
}

/** Shows the city's events and the screen of each session; returns the set of closed beads. */
function watch(): ReadonlySet<string> {
  const closed = new Set<string>()
  lines(start('gc events', ['events', '--follow', '--after', '0', '--json'], { read: true }), (text) => {
    const event = JSON.parse(text)
    say('event', [event.type, event.subject, event.payload?.bead?.status, event.message].filter(Boolean).join('  '))
    if (event.type === 'bead.closed') closed.add(event.subject)
    if (event.type === 'session.woke') showScreen(event.session_id ?? event.subject)
  })
  return closed
}

function showScreen(session: string): void {
  const screen = start('gc session attach', ['session', 'attach', session, '--read-only'], {
    read: true,
    stderr: 'ignore',
  })
  lines(screen, (text) => {
    const plain = Bun.stripANSI(text).trim()
    if (plain) say('agent', plain)
  })
}

async function show(bead: string): Promise<void> {
  await gc('bead', 'show', bead)
  say('git', await runChecked('git', ['log', '--oneline', '--max-count=1'], rig))
  const text = readFileSync(join(rig, 'hello.txt'), 'utf8')
  say('hello.txt', text)
  if (!text.startsWith('Hello')) throw new Error('hello.txt does not say hello')
}

/** Runs a command of the binary and shows it with its output. */
async function gc(...args: string[]): Promise<string> {
  say('$', `gc ${args.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ')}`)
  const out = await runChecked(GC, args, home)
  say('', out)
  return out
}

async function runChecked(command: string, args: string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await runToEnd(command, args, { cwd, env, timeout: TIMEOUT_MS, signal: ended.signal })
    return stdout
  } catch (error) {
    ended.signal.throwIfAborted()
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(output || `${command} ${args.join(' ')} failed: ${String(error)}`)
  }
}

/** Starts a command of the binary that keeps running; its output is piped, or else shown. */
function start(
  name: string,
  args: string[],
  { read = false, stderr = 'inherit' as 'inherit' | 'ignore' } = {},
): ChildProcess {
  const child = spawn(GC, args, { cwd: home, env, stdio: ['ignore', read ? 'pipe' : 'inherit', stderr] })
  started.push(child)
  child.once('error', (error) => ended.abort(new Error(`${name} could not be started: ${error.message}`)))
  child.once('exit', (status) => {
    if (!read && status) ended.abort(new Error(`${name} ended with status ${status}`))
  })
  return child
}

function lines(child: ChildProcess, onLine: (line: string) => void): void {
  if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine)
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const began = performance.now(); !holds(); await rest(20)) {
    ended.signal.throwIfAborted()
    if (performance.now() - began > TIMEOUT_MS)
      throw new Error(`after ${TIMEOUT_MS / 1000} s it is not true that ${what}`)
  }
}

/** An environment without the variables of another gc or git, and with an author for git. */
function cleanEnvironment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(GC_|BEADS_|GIT_)/.test(name))
  const person = {
    GIT_AUTHOR_NAME: 'Demo',
    GIT_AUTHOR_EMAIL: 'demo@localhost',
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
  }
  return {
    ...Object.fromEntries(inherited.map(([name, value]) => [name, value ?? ''])),
    ...person,
    GIT_COMMITTER_NAME: person.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: person.GIT_AUTHOR_EMAIL,
    PATH: [join(ROOT, 'dist'), process.env.PATH].join(delimiter),
    GC_HOME: join(home, '.gc'),
  }
}

/** Ends every process that was started and removes the temporary folder. */
async function cleanUp(): Promise<void> {
  if (existsSync(join(home, '.gc', 'supervisor.json'))) {
    await runToEnd(GC, ['down', '--timeout', '10'], { env, timeout: TIMEOUT_MS }).catch(() => undefined)
  }
  const left = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  for (const child of left) child.kill('SIGTERM')
  const all = Promise.all(left.map((child) => new Promise((resolve) => child.once('exit', resolve))))
  await Promise.race([all, rest(3000, undefined, { ref: false })])
  for (const child of left) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

function say(who: string, text: string): void {
  for (const line of text.trimEnd().split('\n')) process.stdout.write(`${who.padStart(9)} │ ${line}\n`)
}
