import { spawn } from 'node:child_process'
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, foreignServerAt } from '../../src/client/client.ts'
import { OtherSupervisor } from '../../src/client/errors.ts'
import { DEFAULT_PORT, type Env, readSupervisorFile, resolveHome } from '../../src/client/home.ts'
import { isAlive } from '../../src/client/process.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import { failure } from '../io/exit.ts'
import { type Io, pause } from '../io/io.ts'
import { program } from './version.ts'

/** The log of a supervisor that was started in the background. */
export const LOG_FILE = 'supervisor.log'

/** Flags that append, so that the file can be emptied while it is in use. */
export const START_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

/** Less than what a new database takes. */
const MIN_FREE_BYTES = 64 * 1024

const START_MS = 20_000
const STEP_MS = 50
/** Time between a supervisor's first listening and the record in its home. */
const ANNOUNCE_MS = 300

/** The part of a context that finds a supervisor. */
interface SupervisorProbe {
  readonly io: Io
  readonly client: Client
  /** A probe that reads the home again. */
  renewed(): SupervisorProbe
}

/** True if this command may start a supervisor: none runs, and the environment names no address, token or session. */
export function mayStartSupervisor(env: Env): boolean {
  if (env.GC_URL || env.GC_TOKEN || env.GC_SESSION_ID) return false
  const running = readSupervisorFile(resolveHome(env))
  return running === undefined || !isAlive(running.pid)
}

/** True if a supervisor answers. */
export async function isAnswering({ client }: SupervisorProbe): Promise<boolean> {
  return client.call('GET /health').then(
    () => true,
    () => false,
  )
}

const NOT_STARTED = ' could not start: '

/** The reason in the log why a supervisor that was started at `begun` or later could not start. */
function startFailure(log: string, begun: string): string | undefined {
  if (!existsSync(log)) return undefined
  const lines = readFileSync(log, 'utf8').split('\n')
  const last = lines.findLast((line) => line >= begun && line.includes(NOT_STARTED))
  return last?.slice(last.indexOf(NOT_STARTED) + NOT_STARTED.length)
}

/** True if the disk of a folder has no room left for a database. */
function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < MIN_FREE_BYTES
}

/** Reason the address that a person named does not answer. */
const unreachableReason = ({ client }: SupervisorProbe): Promise<unknown> =>
  client.call('GET /health').then(
    () => failure(`the supervisor at ${client.access.url} answers now; try again`),
    (error: unknown) => error,
  )

/** Starts a supervisor in the background unless one answers; returns whether it did. */
export async function ensureSupervisor(context: SupervisorProbe, port?: number): Promise<boolean> {
  if (await isAnswering(context)) return false
  const { env, signal } = context.io
  if (env.GC_TOKEN || env.GC_SESSION_ID) throw failure('no supervisor answers, and a session may not start one')
  if (env.GC_URL) throw await unreachableReason(context)
  const home = resolveHome(env)
  if (await hasAnnounced(context, port ?? (await configuredPort(home, env)))) return false
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const log = join(home, LOG_FILE)
  const begun = new Date().toISOString()
  const exit = launchSupervisor(home, env, port === undefined ? [] : ['--port', String(port)])
  for (let waited = 0; waited < START_MS && !signal.aborted; waited += STEP_MS) {
    if (await isAnswering(context.renewed())) return true
    if (exit.status !== undefined) {
      const why = startFailure(log, begun) ?? (isFull(home) ? `the disk of ${home} is full; make room` : undefined)
      throw failure(
        why === undefined
          ? `the supervisor ended with status ${exit.status}; see ${log}`
          : `the supervisor could not start: ${why}`,
      )
    }
    await pause(STEP_MS, signal)
  }
  throw failure(`the supervisor does not answer after ${START_MS / 1000} s; see ${log}`)
}

/** The port of a supervisor that is started without one; what is wrong with its file is reported by its start. */
async function configuredPort(home: string, { GC_PORT }: Env): Promise<number> {
  if (GC_PORT) return Number(GC_PORT)
  const { readSupervisorToml } = await import('../../src/config/confinement/default-mode.ts')
  try {
    return readSupervisorToml(home).listen.port ?? DEFAULT_PORT
  } catch {
    return DEFAULT_PORT
  }
}

/**
 * True if a supervisor of this home that just began to listen at the port has said so by now; throws a sentence when
 * others have the port.
 */
async function hasAnnounced(context: SupervisorProbe, port: number): Promise<boolean> {
  const { env, signal } = context.io
  if (port === 0) return false
  const url = `http://127.0.0.1:${port}`
  const find = () => foreignServerAt(url, resolveHome(env), signal).catch(() => undefined)
  if (!(await find())) return false
  await pause(ANNOUNCE_MS, signal)
  if (await isAnswering(context.renewed())) return true
  const foreign = await find()
  if (foreign instanceof OtherSupervisor) throw foreign
  if (foreign) throw failure(`another program has port ${port}; choose another with \`GC_PORT=${port + 1} gc up\``)
  return false
}

/** Waits until each city of a new supervisor runs or has failed to open. */
export async function waitForCities({ io, client }: SupervisorProbe): Promise<void> {
  for (let waited = 0; waited < START_MS && !io.signal.aborted; waited += STEP_MS) {
    const { items } = await client.call('GET /v0/cities')
    if (!items.some(isLoading)) return
    await pause(STEP_MS, io.signal)
  }
}

const isLoading = ({ running, error, phases_completed }: CityInfo): boolean =>
  !running && error === undefined && phases_completed !== undefined

/** A supervisor that was started, and the status that it ended with, if it has. */
export interface LaunchedSupervisor {
  readonly status: number | undefined
}

/** Starts `gc serve` as a process of its own, which writes its log itself. */
export function launchSupervisor(home: string, env: Env, options: readonly string[]): LaunchedSupervisor {
  const log = join(home, LOG_FILE)
  const [command = '', ...before] = program
  const exit: { status: number | undefined } = { status: undefined }
  const output = openSync(`${log}.start`, START_FLAGS, 0o600)
  const child = spawn(command, [...before, 'serve', '--log', log, ...options], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: '/',
    env: { ...env },
  })
  closeSync(output)
  child.once('exit', (status) => {
    exit.status = status ?? 1
  })
  child.once('error', () => {
    exit.status = 127
  })
  child.unref()
  return exit
}
