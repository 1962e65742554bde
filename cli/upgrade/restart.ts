import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { type Env, readSupervisorFile, resolveHome } from '../../src/client/home.ts'
import { isAlive } from '../../src/client/process.ts'
import { type Launched, launchSupervisor, untilLoaded } from '../context/background.ts'
import type { CommandContext } from '../context/context.ts'
import { failure } from '../io/exit.ts'
import { type Io, pause } from '../io/io.ts'
import { findManager } from '../unit/manager.ts'

const STOP_MS = 60_000
const START_MS = 60_000
const STEP_MS = 100

/** A supervisor that runs. */
export interface RunningSupervisor {
  readonly pid: number
  /** Starts it again as it was started; undefined when it belongs to a terminal or to a system that gc does not know. */
  readonly start: (() => Launched) | undefined
}

/** The supervisor of this home; undefined when none runs. */
export function findSupervisor({ env }: Pick<Io, 'env'>): RunningSupervisor | undefined {
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
export async function stopSupervisor({ client, io }: CommandContext, pid: number): Promise<void> {
  await client.call('POST /v0/stop', { body: { sessions: false } })
  for (let waited = 0; isAlive(pid); waited += STEP_MS) {
    if (waited > STOP_MS) throw failure(`the supervisor (process ${pid}) has not stopped after ${STOP_MS / 1000} s`)
    await pause(STEP_MS, io.signal)
  }
}

/** Whether a supervisor of this build answers before long, with its cities; one that has ended is not waited for. */
export async function isAnswered(
  context: CommandContext,
  { version, commit }: { version: string; commit: string },
  launched: Launched,
): Promise<boolean> {
  for (let waited = 0; waited < START_MS && !context.io.signal.aborted; waited += STEP_MS) {
    const health = await context
      .renewed()
      .client.call('GET /health')
      .catch(() => undefined)
    if (health?.build_id === commit && health.version === version) {
      await untilLoaded(context.renewed())
      return true
    }
    if (launched.status !== undefined) return false
    await pause(STEP_MS, context.io.signal)
  }
  return false
}

/** What starts a supervisor that the system runs. */
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

/** What the system starts is not a child of this process. */
function run([command = '', ...args]: readonly string[]): Launched {
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
