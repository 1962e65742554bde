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

/** Prefix of variables that are meant for the program only. */
const VEIL = 'gc:'

/** Renames the variables of a program, so that they have no effect (on the library loader, say) before it is confined. */
export const hideVariables = (env: Variables): Variables =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [VEIL + name, value]))

const restoreVariables = (env: Variables): Variables =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.startsWith(VEIL) ? name.slice(VEIL.length) : name, value]),
  )

/** Becomes the program that is named, confined; answers an exit code only when that is not possible. */
export function runConfined([json = '', path = '', ...argv]: readonly string[]): number {
  try {
    return enter(toPolicy(JSON.parse(json)), { path, argv, env: restoreVariables(process.env) })
  } catch (error) {
    const way = 'gc never starts agents without a sandbox by default; set `confine = "off"` for the agent'
    process.stderr.write(`gc: ${path} was not started: ${errorMessage(error)}; ${way}\n`)
    return NOT_STARTED
  }
}
