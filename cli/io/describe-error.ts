import { CommanderError } from 'commander'
import { ApiError, NotGc, NotNetwork, OtherSupervisor, SupervisorOutage, Unreachable } from '../../src/client/errors.ts'
import type { Env } from '../../src/client/home.ts'
import { isRecord } from '../../src/client/json.ts'
import { Exit, USAGE } from './exit.ts'

/** What a command ended with, as `--json` shows it. */
export interface ErrorReport {
  /** Who found it: the command line, the server, the network, the machine, or the command. */
  readonly type: 'usage' | 'api' | 'connection' | 'system' | 'failure' | 'internal'
  /** What scripts tell errors apart by: the code of the server, or such as `connection`. */
  readonly code: string
  readonly message: string
  /** What is wrong with a request, and where. */
  readonly details: readonly { readonly location?: string; readonly message: string }[]
}

/** As `sysexits.h` has it. Hooks of agent programs take 2 as an order to stop and 1 as `no work`; this is neither. */
const TEMPORARY_FAILURE = 75

/** The status of a command that failed. */
export function exitStatus(error: unknown): number {
  if (error instanceof Exit) return error.status
  if (error instanceof CommanderError) return USAGE
  return error instanceof SupervisorOutage ? TEMPORARY_FAILURE : 1
}

/** The sentence that tells a user about an error. */
export const errorSentence = (error: unknown, env: Env): string => describeError(error, env).message

/** An error in words that say what to do, whatever was thrown. */
export function describeError(error: unknown, env: Env): ErrorReport {
  if (error instanceof Exit) {
    const type = error.status === USAGE ? 'usage' : 'failure'
    return report(type, error.code || type, error.message)
  }
  if (error instanceof CommanderError) {
    const code = error.code.replace(/^commander\./, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return report('usage', code, usageSentence(error.message))
  }
  if (error instanceof ApiError) {
    const details = error.details.flatMap(({ location, message = '' }) =>
      message === '' ? [] : [{ ...(location && { location }), message }],
    )
    return { type: 'api', code: error.code || `status-${error.status}`, message: error.sentence, details }
  }
  if (error instanceof OtherSupervisor) return report('connection', 'other-supervisor', error.message)
  if (error instanceof Unreachable) {
    const what = `no supervisor answers at ${error.url} (${error.reason})`
    const remedy = env.GC_URL ? 'check GC_URL, or start one there with `gc serve`' : 'start one with `gc up`'
    return report('connection', 'unreachable', `${what}; ${remedy}`)
  }
  if (error instanceof NotGc || error instanceof NotNetwork) return report('connection', 'not-gc', error.message)
  if (error instanceof SupervisorOutage) return report('connection', 'outage', error.message)
  return describeOther(error)
}

/** What commander says of a wrong line, in the words of gc. */
const usageSentence = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/^command-argument value ('.*') is invalid for argument '(.*?)'\./s, 'argument <$2> cannot be $1.')

const report = (type: ErrorReport['type'], code: string, message: string): ErrorReport => ({
  ...{ type, code, message, details: [] },
})

/** What the system says, by its code: what is the matter, and what to do. */
const SYSTEM: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `${path} may not be read or written by you; change its permissions, or name another`,
  EPERM: (path) => `the system does not permit that with ${path}; change its permissions, or name another`,
  EROFS: (path) => `${path} is on a disk that is read-only; name a place that can be written`,
  ENOSPC: (path) => `the disk of ${path} is full; make room and try again`,
  EDQUOT: (path) => `your share of the disk of ${path} is used up; make room and try again`,
  ENOENT: (path) => `${path} does not exist; check its name`,
  ENOTDIR: (path) => `a part of ${path} is no folder; check its name`,
  EISDIR: (path) => `${path} is a folder; name a file`,
  EEXIST: (path) => `${path} is there already; name another, or remove it`,
  ENOTEMPTY: (path) => `${path} is not empty; name another, or empty it`,
  ENAMETOOLONG: (path) => `the name ${path} is too long for this disk; choose a shorter one`,
  ELOOP: (path) => `the links of ${path} go round in a circle; fix them`,
  EMFILE: () => 'this process has too many files open; raise `ulimit -n` and try again',
  EIO: (path) => `the disk of ${path} failed to read or write; check the disk`,
  EADDRINUSE: () => 'another program has that address; choose another with --port, or end that program',
}

/** An error of the system, a sentence of ours, or a mistake in gc itself. */
function describeOther(error: unknown): ErrorReport {
  if (isRecord(error) && typeof error.code === 'string' && SYSTEM[error.code]) {
    const path = [error.dest, error.path].find((each) => typeof each === 'string') ?? 'what was asked for'
    // A folder with those above it is there only where a file stands in its place.
    const code = error.code === 'EEXIST' && error.syscall === 'mkdir' ? 'ENOTDIR' : error.code
    return report('system', code.toLowerCase(), SYSTEM[code]?.(String(path)) ?? '')
  }
  if (error instanceof Error && !isMistake(error)) return report('failure', 'failure', error.message)
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return report('internal', 'internal', `gc itself made a mistake (${message}); please report it with \`gc version\``)
}

/** What only a program that is wrong throws. */
const isMistake = (error: Error): boolean =>
  [TypeError, ReferenceError, SyntaxError, RangeError].some((kind) => error instanceof kind)
