import { CommanderError } from 'commander'
import { ApiError, NotGc, NotNetwork, OtherSupervisor, SupervisorOutage, Unreachable } from '../../src/client/errors.ts'
import type { Env } from '../../src/client/home.ts'
import { isRecord } from '../../src/client/json.ts'
import { type CatalogueCode, ERRORS, isCatalogueCode } from '../../src/core/error-catalogue.ts'
import { Exit, USAGE, USAGE_CODE } from './exit.ts'

/** Error of a command, as `--json` shows it. */
export interface ErrorReport {
  /** Origin of the error: the command line, the server, the network, the machine, or the command. */
  readonly type: 'usage' | 'api' | 'connection' | 'system' | 'failure' | 'internal'
  /** Code by which scripts tell errors apart: the server's, or such as `connection`. */
  readonly code: string
  readonly message: string
  /** Problems of a request, with their places. */
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

/** The sentence that describes an error to a user. */
export const errorSentence = (error: unknown, env: Env): string => describeError(error, env).message

/** An error in words that say what to do, whatever was thrown. */
export function describeError(error: unknown, env: Env): ErrorReport {
  if (error instanceof Exit) {
    const type = error.status === USAGE ? 'usage' : 'failure'
    return report(type, error.code || type, error.message)
  }
  if (error instanceof CommanderError) {
    const code = error.code.replace(/^commander\./, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return report('usage', isCatalogueCode(code) ? code : USAGE_CODE, usageSentence(error.message))
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
    const remedy = env.GC_URL ? 'check GC_URL, or start one there with `gc serve`' : ERRORS.unreachable.fix
    return report('connection', 'unreachable', `${what}; ${remedy}`)
  }
  if (error instanceof NotGc || error instanceof NotNetwork) return report('connection', 'not-gc', error.message)
  if (error instanceof SupervisorOutage) return report('connection', 'outage', error.message)
  return describeOther(error)
}

/** Commander's message about an invalid line, in the words of gc. */
const usageSentence = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/^command-argument value ('.*') is invalid for argument '(.*?)'\./s, 'argument <$2> cannot be $1.')

const report = (type: ErrorReport['type'], code: CatalogueCode, message: string): ErrorReport => ({
  ...{ type, code, message, details: [] },
})

/** An error of the system, a sentence of ours, or a mistake in gc itself. */
function describeOther(error: unknown): ErrorReport {
  const system = isRecord(error) && describeSystemError(error)
  if (system) return system
  if (error instanceof Error && !isMistake(error)) {
    // Commands that work without a supervisor fail with its codes.
    const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
    return report('failure', isCatalogueCode(code) ? code : 'failure', error.message)
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return report('internal', 'internal', `gc itself made a mistake (${message}); please report it with \`gc version\``)
}

/** An error of the operating system with its path; undefined for other errors. */
function describeSystemError({
  code,
  syscall,
  dest,
  path,
}: Readonly<Record<string, unknown>>): ErrorReport | undefined {
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return undefined
  // A recursive mkdir finds its folder only where a file has the name.
  const key = code === 'EEXIST' && syscall === 'mkdir' ? 'enotdir' : code.toLowerCase()
  if (!isCatalogueCode(key)) return undefined
  const { sentence, fix } = ERRORS[key]
  const subject = [dest, path].find((each) => typeof each === 'string')
  return report('system', key, `${subject === undefined ? '' : `${subject}: `}${sentence}; ${fix}`)
}

/** What only a program that is wrong throws. */
const isMistake = (error: Error): boolean =>
  [TypeError, ReferenceError, SyntaxError, RangeError].some((kind) => error instanceof kind)
