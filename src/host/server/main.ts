import { appendFileSync, copyFileSync, statSync, truncateSync } from 'node:fs'
import { type Clock, systemClock, toTimestamp } from '../../core/clock.ts'
import { Deadlines } from '../../core/deadlines.ts'
import { parseDuration } from '../../core/durations.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { Lock } from '../../core/lock.ts'
import { releaseAfterStart } from '../../core/program-memory.ts'
import { Redactor } from '../../core/text/index.ts'
import { Confiner, DenialFiles, PROXY_PASSWORD_PREFIX } from '../confine/index.ts'
import { Cgroups } from '../process/index.ts'
import { BUSY, HostPaths, READY } from '../protocol/index.ts'
import { HostProcess } from './host-process.ts'

const UNATTENDED_MS = 15 * 60_000

export interface HostOptions {
  home: string
  /** Command that starts this program. */
  gc: readonly string[]
  /** Names the program this host is of; a host of another build runs beside it. */
  build: string
  clock?: Clock
  /** Prefixes of secrets that are redacted from all output. */
  secretPrefixes: readonly string[]
  /** Time sessions run on while no supervisor is connected; 15 minutes when not given. */
  unattendedTimeout?: number
  /** Time a host without sessions and supervisor stays; 10 seconds when not given. */
  idleTimeout?: number
  /** True if each session gets a cgroup where the system allows it; true when not given. */
  usesCgroups?: boolean
  /** Says one line, once: that it is ready, or why not. */
  say(line: string): void
}

/** `gc host` as its environment asks: `GC_HOME`, `GC_HOST_BUILD`, `GC_UNATTENDED_TIMEOUT`, `GC_HOST_IDLE_TIMEOUT`, `GC_SESSION_CGROUP`. */
export function hostOptions(
  env: Record<string, string | undefined>,
): Omit<HostOptions, 'gc' | 'say' | 'secretPrefixes'> {
  const duration = (name: string): number | undefined => {
    const text = env[name]
    if (!text) return undefined
    const ms = parseDuration(text)
    if (ms === undefined || ms <= 0)
      throw new AppError('invalid-request', `${name} is not a duration such as 15m: ${text}`)
    return ms
  }
  return {
    home: env.GC_HOME || `${env.HOME}/.gc`,
    build: env.GC_HOST_BUILD || 'dev',
    unattendedTimeout: duration('GC_UNATTENDED_TIMEOUT'),
    idleTimeout: duration('GC_HOST_IDLE_TIMEOUT'),
    usesCgroups: env.GC_SESSION_CGROUP !== 'off',
  }
}

/** Runs a session host until it has nothing left to do; answers with the exit code of its process. */
export async function runHost(options: HostOptions): Promise<number> {
  const clock = options.clock ?? systemClock
  const place = new HostPaths(options.home, options.build)
  const lock = acquireLock(place, options.say)
  if (!lock) return 1
  const redactor = new Redactor([...options.secretPrefixes, PROXY_PASSWORD_PREFIX])
  const report = openLog(place.log, clock, redactor)
  const deadlines = new Deadlines(clock, undefined, (error) => report(errorMessage(error)))
  const denials = new DenialFiles(clock, report)
  try {
    process.chdir(place.folder)
    const { unattendedTimeout = UNATTENDED_MS, idleTimeout } = options
    const host = await HostProcess.open({
      place,
      clock,
      deadlines,
      redactor,
      unattendedTimeout,
      idleTimeout,
      cgroups: Cgroups.open({ enabled: options.usesCgroups ?? true, report }),
      confiner: new Confiner(options.gc, (denial) => {
        if (denial.isNew) report(`${denial.key} was denied ${denial.call} ${denial.target}`)
        denials.add(denial)
      }),
      report,
    })
    handleSignals(host, report)
    report(`host ${place.build} is up (pid ${process.pid})`)
    options.say(READY)
    releaseAfterStart(deadlines)
    await host.done
    report('host has ended')
    return 0
  } catch (error) {
    report(`host could not come up: ${errorMessage(error)}`)
    options.say(errorMessage(error))
    return 1
  } finally {
    deadlines.close()
    place.clearSocket()
    lock.release()
  }
}

function acquireLock(place: HostPaths, say: (line: string) => void): Lock | undefined {
  try {
    place.open()
    return Lock.acquire(place.lock, `gc host ${place.build}`)
  } catch (error) {
    say(error instanceof AppError && error.code === 'conflict-wrong-state' ? BUSY : errorMessage(error))
    return undefined
  }
}

/** A closed terminal or an unexpected error does not end the agents; SIGTERM and SIGINT end them in order. */
function handleSignals(host: HostProcess, report: (sentence: string) => void): void {
  process.on('SIGHUP', () => {})
  const end = () => void host.shutdown().catch((error) => report(errorMessage(error)))
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  process.on('uncaughtException', (error) => {
    report(`unexpected error: ${error.stack ?? errorMessage(error)}`)
    host.onDrawingError()
  })
  process.on('unhandledRejection', (error) => report(`unexpected error: ${errorMessage(error)}`))
}

const MAX_LOG_BYTES = 256 << 10

/** A log of bounded size: what is older lies in `<path>.1`, once. Writes to it never fail the writer. */
function openLog(path: string, clock: Clock, redactor: Redactor): (sentence: string) => void {
  return (sentence) => {
    try {
      rotate(path)
      appendFileSync(path, `${toTimestamp(clock.now())} ${redactor.redact(sentence).slice(0, 4096)}\n`, { mode: 0o600 })
    } catch {
      // A full disk must not end the agents.
    }
  }
}

/** The file stays the same one: the process's own error output goes there as well. */
function rotate(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < MAX_LOG_BYTES) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}
