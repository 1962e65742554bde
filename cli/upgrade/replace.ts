import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { type Env, readSupervisorFile, resolveHome } from '../../src/client/home.ts'
import { isAlive } from '../../src/client/process.ts'
import { countOf } from '../../src/client/text.ts'
import { findUnconfinedNotice } from '../confine/unconfined-notice.ts'
import type { CommandContext } from '../context/context.ts'
import { type LaunchedSupervisor, launchSupervisor, waitForCities } from '../context/launch-supervisor.ts'
import { commit, version } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import { type Io, pause, printLine } from '../io/io.ts'
import { findManager } from '../unit/manager.ts'
import type { Plan } from './plan.ts'

/** Replaces the program, and the supervisor that runs; from here on ctrl-c is not heard. */
export async function replace(given: CommandContext, plan: Plan, target: string): Promise<void> {
  const context = given.printingTo({ ...given.io, signal: new AbortController().signal })
  const home = resolveHome(context.io.env)
  const running = findSupervisor(context.io)
  if (running && !running.start && plan.back.length > 0)
    throw failure(
      `end the supervisor (process ${running.pid}) with ctrl-c first: its databases go back. Nothing was changed`,
    )
  const sessions = running ? await countSessions(context) : 0
  if (plan.back.length > 0) await goBack(context, plan, running, home)
  keepPrevious(target)
  renameSync(plan.candidate.path, target)
  const { io } = context
  printLine(io, `${target} is replaced; the one before is ${target}.previous.`)
  if (!running) return
  if (!running.start) {
    return printLine(
      io,
      `Process ${running.pid} still runs the previous gc: stop it with ctrl-c and start it again; its agents keep running.`,
    )
  }
  await restart(context, plan, { target, home, start: running.start, pid: running.pid })
  const after = await countSessions(context.renewed())
  printLine(
    io,
    `The supervisor runs again as gc ${plan.candidate.version}; ${countOf(after, 'session')} of ${sessions} went on.`,
  )
  const kept = await findUnconfinedNotice(io.env)
  if (kept) printLine(io, `Confinement: ${kept.what}; ${kept.remedy}.`)
}

async function countSessions({ client }: CommandContext): Promise<number> {
  const { items } = await client.call('GET /v0/host')
  return items.reduce((sum, host) => sum + host.sessions, 0)
}

async function goBack(context: CommandContext, { back }: Plan, running: RunningSupervisor | undefined, home: string) {
  if (running) await stopSupervisor(context, running.pid)
  const databases = await import('../../src/supervisor/databases.ts')
  databases.goBack(home, back)
}

/** Keeps the program under a second name, so that there is always one under its own. */
function keepPrevious(target: string): void {
  const part = `${target}.previous.part`
  rmSync(part, { force: true })
  try {
    linkSync(target, part)
  } catch {
    copyFileSync(target, part)
  }
  renameSync(part, `${target}.previous`)
}

interface Restart {
  readonly target: string
  readonly home: string
  readonly pid: number
  start(): LaunchedSupervisor
}

/** Starts the supervisor again; when that fails, everything goes back to how it was. */
async function restart(
  context: CommandContext,
  { candidate, back }: Plan,
  { target, home, pid, start }: Restart,
): Promise<void> {
  if (back.length === 0) await stopSupervisor(context, pid)
  if (await isAnswered(context, candidate, start())) return
  const databases = await import('../../src/supervisor/databases.ts')
  copyFileSync(`${target}.previous`, candidate.path)
  renameSync(candidate.path, target)
  const steps = databases.stepsBack(databases.databasesIn(home), databases.ownVersions)
  databases.goBack(
    home,
    steps.flatMap(({ database, copy }) => (copy ? [{ database, copy }] : [])),
  )
  const isBack = await isAnswered(context, { version, commit }, start())
  throw failure(
    `gc ${candidate.version} did not start the supervisor, so this gc was restored; \`gc logs\` shows the reason${isBack ? '' : '. This gc does not start either'}`,
  )
}

const STOP_MS = 60_000
const START_MS = 60_000
const STEP_MS = 100

/** A supervisor that runs. */
interface RunningSupervisor {
  readonly pid: number
  /** Starts it again as it was started; undefined when it belongs to a terminal or to a system that gc does not know. */
  readonly start: (() => LaunchedSupervisor) | undefined
}

/** The supervisor of this home; undefined when none runs. */
function findSupervisor({ env }: Pick<Io, 'env'>): RunningSupervisor | undefined {
  const found = readSupervisorFile(resolveHome(env))
  if (found === undefined || !isAlive(found.pid)) return undefined
  const { pid, url } = found
  const unit = unitCommand(pid, env)
  if (unit) return { pid, start: () => run(unit) }
  const words = wordsOf(pid) ?? ['serve', '--log', '', '--port', new URL(url).port]
  const [, log, ...options] = words.slice(words.indexOf('serve'))
  if (log !== '--log') return { pid, start: undefined }
  const variables = variablesOf(pid) ?? env
  return { pid, start: () => launchSupervisor(resolveHome(env), variables, options.slice(1)) }
}

/** Ends a supervisor and leaves the agents to their host. */
async function stopSupervisor({ client, io }: CommandContext, pid: number): Promise<void> {
  await client.call('POST /v0/stop', { body: { sessions: false } })
  for (let waited = 0; isAlive(pid); waited += STEP_MS) {
    if (waited > STOP_MS) throw failure(`the supervisor (process ${pid}) has not stopped after ${STOP_MS / 1000} s`)
    await pause(STEP_MS, io.signal)
  }
}

/** True if a supervisor of this build answers before long, with its cities; one that has ended is not waited for. */
async function isAnswered(
  context: CommandContext,
  { version, commit }: { version: string; commit: string },
  launched: LaunchedSupervisor,
): Promise<boolean> {
  for (let waited = 0; waited < START_MS && !context.io.signal.aborted; waited += STEP_MS) {
    const health = await context
      .renewed()
      .client.call('GET /health')
      .catch(() => undefined)
    if (health?.build_id === commit && health.version === version) {
      await waitForCities(context.renewed())
      return true
    }
    if (launched.status !== undefined) return false
    await pause(STEP_MS, context.io.signal)
  }
  return false
}

/** Command that starts a supervisor managed by the system. */
function unitCommand(pid: number, env: Env): string[] | undefined {
  if (process.platform === 'linux')
    return /\/gc\.service(\/|$)/m.test(read(`/proc/${pid}/cgroup`) ?? '')
      ? ['systemctl', '--user', 'start', 'gc.service']
      : undefined
  const manager = findManager({ env })
  return manager && existsSync(manager.file)
    ? ['launchctl', 'kickstart', `gui/${process.getuid?.()}/gc.supervisor`]
    : undefined
}

/** Processes that the system starts are not children of this one. */
function run([command = '', ...args]: readonly string[]): LaunchedSupervisor {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw failure(`${command} ${args.join(' ')} failed: ${(stderr ?? '').trim() || `status ${status}`}`)
  return { status: undefined }
}

/** The words of a process's command; undefined where the system does not tell them apart. */
const wordsOf = (pid: number): string[] | undefined => read(`/proc/${pid}/cmdline`)?.split('\0').slice(0, -1)

function variablesOf(pid: number): Record<string, string> | undefined {
  const pairs = read(`/proc/${pid}/environ`)
    ?.split('\0')
    .filter((pair) => pair.includes('='))
  return (
    pairs &&
    Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
  )
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
