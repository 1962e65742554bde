import { errorMessage } from '../../core/errors.ts'
import { enter } from './enter.ts'
import { type Policy, toPolicy } from './policy.ts'

/** The first word by which gc is asked to confine itself and become a program. */
export const CONFINE = '__confine'
/** As shells say of a command that was found and cannot be run. */
const NOT_STARTED = 126

/** The words that start a program confined: this program, which becomes it. */
export function confinedArgv(
  gc: readonly string[],
  policy: Policy,
  program: string,
  argv: readonly string[],
): string[] {
  return [...gc, CONFINE, JSON.stringify(policy), program, ...argv]
}

type Variables = Readonly<Record<string, string | undefined>>

/** What stands before the name of a variable that is only the program's. */
const VEIL = 'gc:'

/**
 * The variables of a program as this program takes them along: by other names, since what is not confined yet must not obey
 * them, as a loader of libraries does.
 */
export const veiled = (env: Variables): Variables =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [VEIL + name, value]))

const unveiled = (env: Variables): Variables =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.startsWith(VEIL) ? name.slice(VEIL.length) : name, value]),
  )

/** Becomes the program that is named, confined; answers an exit code only when that is not possible. */
export function runConfined([json = '', path = '', ...argv]: readonly string[]): number {
  try {
    return enter(toPolicy(JSON.parse(json)), { path, argv, env: unveiled(process.env) })
  } catch (error) {
    const way = 'gc starts nothing unconfined by itself; `confine = "off"` of the agent does it on purpose'
    process.stderr.write(`gc: ${path} was not started: ${errorMessage(error)}; ${way}\n`)
    return NOT_STARTED
  }
}
