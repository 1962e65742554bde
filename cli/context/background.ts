import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { resolveHome } from '../../src/client/home.ts'
import { failure } from '../io/exit.ts'
import { pause } from '../io/io.ts'
import type { CommandContext } from './context.ts'
import { program } from './version.ts'

/** The log of a supervisor that was started in the background. */
export const LOG_FILE = 'supervisor.log'

const START_MS = 20_000
const STEP_MS = 50

/** Whether a supervisor answers. */
export async function isAnswering({ client }: CommandContext): Promise<boolean> {
  return client.call('GET /health').then(
    () => true,
    () => false,
  )
}

/** Starts a supervisor in the background unless one answers; returns whether it did. */
export async function ensureSupervisor(context: CommandContext, port?: number): Promise<boolean> {
  if (await isAnswering(context)) return false
  const { env, signal } = context.io
  if (env.GC_TOKEN || env.GC_SESSION_ID) throw failure('no supervisor answers, and a session may not start one')
  if (env.GC_URL) throw failure(`no supervisor answers at ${env.GC_URL}; \`gc serve\` starts one there`)
  const home = resolveHome(env)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const log = join(home, LOG_FILE)
  const exit = launch(log, env, port === undefined ? [] : ['--port', String(port)])
  for (let waited = 0; waited < START_MS && !signal.aborted; waited += STEP_MS) {
    if (await isAnswering(context.renewed())) return true
    if (exit.status !== undefined) throw failure(`the supervisor ended with status ${exit.status}; see ${log}`)
    await pause(STEP_MS, signal)
  }
  throw failure(`the supervisor does not answer after ${START_MS / 1000} s; see ${log}`)
}

/** Starts `gc serve` as a process of its own, which writes its log itself. */
function launch(
  log: string,
  env: Readonly<Record<string, string | undefined>>,
  options: readonly string[],
): { status: number | undefined } {
  const [command = '', ...before] = program
  const exit: { status: number | undefined } = { status: undefined }
  const output = openSync(`${log}.start`, 'w', 0o600)
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
