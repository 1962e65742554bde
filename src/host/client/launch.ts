import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { type Deadlines, settlesWithin } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { HostPaths } from '../protocol/index.ts'
import { BUSY, READY } from '../protocol/index.ts'

/** A host that has to end what another left first may need some seconds. */
const START_TIMEOUT_MS = 30_000

/** Variables that a host needs; sessions get theirs from their starter. */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'LANG', 'XDG_RUNTIME_DIR'] as const
const HOST_VARIABLES = ['GC_UNATTENDED_TIMEOUT', 'GC_HOST_IDLE_TIMEOUT', 'GC_SESSION_CGROUP'] as const

/**
 * Starts a host in a session of its own, so that it outlives us, and waits until it says it is ready.
 * False when another one holds the place already.
 */
export async function launchHost(
  place: HostPaths,
  launch: readonly string[],
  env: Record<string, string | undefined>,
  deadlines: Deadlines,
): Promise<boolean> {
  const scope = delegatedScope(env)
  const line = (scope && (await start(place, [...scope, ...launch], env, deadlines))) || undefined
  const said = line ?? (await start(place, launch, env, deadlines))
  if (said === READY) return true
  if (said === BUSY) return false
  throw new AppError('service-unavailable', `the session host did not come up: ${said || `see ${place.log}`}`)
}

/**
 * Starts a program in its own scope of the user's systemd, with a delegated cgroup. Alone there, a host can enforce
 * shares of its sessions, and restarts of the supervisor do not affect them. Undefined where the user has none.
 */
export function delegatedScope({ XDG_RUNTIME_DIR, PATH, GC_SESSION_CGROUP }: Record<string, string | undefined>) {
  if (!XDG_RUNTIME_DIR || GC_SESSION_CGROUP === 'off') return undefined
  if (!existsSync(join(XDG_RUNTIME_DIR, 'systemd', 'private'))) return undefined
  const program = Bun.which('systemd-run', { PATH: PATH ?? '' })
  return program && [program, '--user', '--scope', '--quiet', '--collect', '--property=Delegate=yes', '--']
}

/** Answers the first line that the program says; '' when it ends without one. */
async function start(
  place: HostPaths,
  command: readonly string[],
  env: Record<string, string | undefined>,
  deadlines: Deadlines,
): Promise<string> {
  place.open()
  const log = openSync(place.log, 'a', 0o600)
  try {
    const child = Bun.spawn([...command], {
      cwd: place.folder,
      env: { ...picked(env), GC_HOME: place.home, GC_HOST_BUILD: place.build },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: log,
      detached: true,
    })
    child.unref()
    return await firstLine(child.stdout, deadlines)
  } finally {
    closeSync(log)
  }
}

const picked = (env: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    [...INHERITED_VARIABLES, ...HOST_VARIABLES].flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  )

async function firstLine(output: ReadableStream<Uint8Array>, deadlines: Deadlines): Promise<string> {
  const reader = output.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const read = async () => {
    while (!text.includes('\n')) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
    }
  }
  const inTime = await settlesWithin(deadlines, START_TIMEOUT_MS, read())
  await reader.cancel()
  if (!inTime) throw new AppError('gateway-timeout', 'the session host did not say that it is ready')
  return text.split('\n')[0] ?? ''
}
