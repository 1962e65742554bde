import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as rest } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Glob } from 'bun'

/** One piece of work from beginning to end, with nothing but the binary and git, as a person would do it. */

const ROOT = resolve(import.meta.dir, '..')
const GC = join(ROOT, 'dist', 'gc')
const PATIENCE_MS = 15_000
const runToEnd = promisify(execFile)

/** The agent: it asks for work, does it, closes it, and asks again until there is none. */
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
  say('demo', `It did not work: ${error instanceof Error ? error.message : String(error)}`)
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
  await gc('stop')
  await until('the supervisor has ended', () => server.exitCode !== null)
}

/** Builds the binary unless it is newer than everything it is made of. */
async function build(): Promise<void> {
  const sources = [...new Glob('{src,cli,tui}/**/*.{ts,tsx,sql}').scanSync(ROOT), 'package.json', 'package-lock.json']
  const newest = Math.max(...sources.map((path) => statSync(join(ROOT, path)).mtimeMs))
  if (existsSync(GC) && statSync(GC).mtimeMs > newest) return
  say('demo', 'building dist/gc')
  await must(process.execPath, [join(ROOT, 'cli/build.ts')], ROOT)
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
    await must('git', args, rig)
  }
}

/** Shows the city's events, and the screen of each session that starts; knows which beads were closed. */
function watch(): ReadonlySet<string> {
  const closed = new Set<string>()
  lines(start('gc events', ['events', '--follow', '--after', '0', '--json'], { read: true }), (text) => {
    const event = JSON.parse(text)
    say('event', [event.type, event.subject, event.payload?.bead?.status, event.message].filter(Boolean).join('  '))
    if (event.type === 'bead.closed') closed.add(event.subject)
    if (event.type === 'session.woke') look(event.session_id ?? event.subject)
  })
  return closed
}

function look(session: string): void {
  const seen = start('gc session attach', ['session', 'attach', session, '--read-only'], {
    read: true,
    stderr: 'ignore',
  })
  lines(seen, (text) => {
    const plain = Bun.stripANSI(text).trim()
    if (plain) say('agent', plain)
  })
}

async function show(bead: string): Promise<void> {
  await gc('bead', 'show', bead)
  say('git', await must('git', ['log', '--oneline', '--max-count=1'], rig))
  const text = readFileSync(join(rig, 'hello.txt'), 'utf8')
  say('hello.txt', text)
  if (!text.startsWith('Hello')) throw new Error('hello.txt does not say hello')
}

/** Runs a command of the binary to its end, shows it and what it said. */
async function gc(...args: string[]): Promise<string> {
  say('$', `gc ${args.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ')}`)
  const out = await must(GC, args, home)
  say('', out)
  return out
}

async function must(command: string, args: string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await runToEnd(command, args, { cwd, env, timeout: PATIENCE_MS, signal: ended.signal })
    return stdout
  } catch (error) {
    ended.signal.throwIfAborted()
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(output || `${command} ${args.join(' ')} did not end well: ${String(error)}`)
  }
}

/** Starts a command of the binary that goes on; its output is ours to read, or else shown as it comes. */
function start(
  name: string,
  args: string[],
  { read = false, stderr = 'inherit' as 'inherit' | 'ignore' } = {},
): ChildProcess {
  const child = spawn(GC, args, { cwd: home, env, stdio: ['ignore', read ? 'pipe' : 'inherit', stderr] })
  started.push(child)
  child.once('error', (fault) => ended.abort(new Error(`${name} could not be started: ${fault.message}`)))
  child.once('exit', (status) => {
    if (!read && status) ended.abort(new Error(`${name} ended with status ${status}`))
  })
  return child
}

function lines(child: ChildProcess, hear: (line: string) => void): void {
  if (child.stdout) createInterface({ input: child.stdout }).on('line', hear)
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const began = performance.now(); !holds(); await rest(20)) {
    ended.signal.throwIfAborted()
    if (performance.now() - began > PATIENCE_MS)
      throw new Error(`after ${PATIENCE_MS / 1000} s it is not so that ${what}`)
  }
}

/** Nothing of a gc that is in use here reaches the demo's own, and git needs no settings of the person's. */
function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(GC_|BEADS_|GIT_)/.test(name))
  const person = {
    GIT_AUTHOR_NAME: 'Demo',
    GIT_AUTHOR_EMAIL: 'demo@localhost',
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
  }
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
    ...person,
    GIT_COMMITTER_NAME: person.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: person.GIT_AUTHOR_EMAIL,
    PATH: [join(ROOT, 'dist'), process.env.PATH].join(delimiter),
    GC_HOME: join(home, '.gc'),
  }
}

/** Ends all that was started, whatever happened, and leaves nothing behind. */
async function cleanUp(): Promise<void> {
  if (existsSync(join(home, '.gc', 'supervisor.json'))) {
    await runToEnd(GC, ['stop', '--timeout', '10'], { env, timeout: PATIENCE_MS }).catch(() => undefined)
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
