import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as rest } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Glob } from 'bun'

/** Shared parts of demonstrations: the binary, a temporary home, and everything started and shown. */

const ROOT = resolve(import.meta.dir, '../..')
const GC = join(ROOT, 'dist', 'gc')
const TIMEOUT_MS = 15_000
const runToEnd = promisify(execFile)

export const home = mkdtempSync(join(tmpdir(), 'gc-demo-'))
const env = cleanEnvironment()
const started: ChildProcess[] = []
const ended = new AbortController()

/** Runs a demonstration to its end, and ends what it started, whatever happens. */
export async function perform(demo: () => Promise<void>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ended.abort(new Error('it was interrupted')))
  }
  try {
    await build()
    await demo()
  } catch (error) {
    say('demo', `The demo failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  } finally {
    await cleanUp()
  }
}

/** Starts a supervisor with more in its environment, and waits until it answers. */
export async function serve(more: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
  Object.assign(env, more)
  const server = start('gc serve', ['serve', '--port', '0'])
  await until('the supervisor answers', () => existsSync(join(home, '.gc', 'supervisor.json')))
  return server
}

/** Builds the binary unless it is newer than its sources. */
async function build(): Promise<void> {
  const sources = [
    ...new Glob('{src,client,cli,tui}/**/*.{ts,tsx,sql}').scanSync(ROOT),
    'package.json',
    'package-lock.json',
  ]
  const newest = Math.max(...sources.map((path) => statSync(join(ROOT, path)).mtimeMs))
  if (existsSync(GC) && statSync(GC).mtimeMs > newest) return
  say('demo', 'building dist/gc')
  await runChecked(process.execPath, [join(ROOT, 'scripts/build.ts')], ROOT)
}

/** Runs a command of the binary and shows it with its output. */
export async function gc(...args: string[]): Promise<string> {
  say('$', `gc ${args.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ')}`)
  const out = await runChecked(GC, args, home)
  say('', out)
  return out
}

export async function runChecked(command: string, args: string[], cwd: string): Promise<string> {
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
export function start(
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

export function lines(child: ChildProcess, onLine: (line: string) => void): void {
  if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine)
}

export async function until(what: string, holds: () => boolean, ms = TIMEOUT_MS): Promise<void> {
  for (const began = performance.now(); !holds(); await rest(20)) {
    ended.signal.throwIfAborted()
    if (performance.now() - began > ms) throw new Error(`after ${ms / 1000} s it is not true that ${what}`)
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

export function say(who: string, text: string): void {
  for (const line of text.trimEnd().split('\n')) process.stdout.write(`${who.padStart(9)} │ ${line}\n`)
}
