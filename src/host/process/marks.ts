import { nextTick } from '../../core/event-loop.ts'
import type { Process } from './process-info.ts'
import { environmentOf, isOlder } from './process-table.ts'
import type { Origin } from './tree.ts'

/** The names by which a process shows which session it belongs to: given to the first, inherited by the rest. */
const NAMES = ['GC_HOME', 'GC_CITY', 'GC_SESSION_ID'] as const
const SESSION = 'GC_SESSION_ID='
const SLICE = 100

/** The same of a command that gc waits for. */
const COMMAND = 'GC_PROCESS_ID'
const COMMAND_NAMES = ['GC_HOME', 'GC_CITY', COMMAND] as const

/** Marks need all names: the home and city without the session would match every session of the city. */
export function marksOf(env: Readonly<Record<string, string | undefined>>): string[] {
  if (!env.GC_SESSION_ID && !env[COMMAND]) return []
  return (env.GC_SESSION_ID ? NAMES : COMMAND_NAMES).flatMap((name) =>
    env[name] === undefined ? [] : [`${name}=${env[name]}`],
  )
}

export const carries = (environment: ReadonlySet<string>, marks: readonly string[]): boolean =>
  marks.length > 0 && marks.every((mark) => environment.has(mark))

/** True if a process may have inherited the marks of an origin. Those of a command exist since its run started. */
export function mayHaveMarks(one: Process, { marks, started }: Pick<Origin, 'marks' | 'started'>): boolean {
  if (marks.length === 0) return false
  return !marks.some((mark) => mark.startsWith(`${COMMAND}=`)) || !isOlder(one.started, started)
}

/** The environments of those processes that were started in some session or command, by pid. */
export async function sessionEnvironments(
  processes: readonly Process[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const environments = new Map<number, ReadonlySet<string>>()
  for (const [n, { pid, zombie }] of processes.entries()) {
    if (n % SLICE === SLICE - 1) await nextTick()
    const environment = zombie ? undefined : environmentOf(pid)
    if (environment && isMarked(environment)) environments.set(pid, environment)
  }
  return environments
}

function isMarked(environment: ReadonlySet<string>): boolean {
  if (sessionIn(environment) !== undefined) return true
  for (const line of environment) if (line.startsWith(`${COMMAND}=`)) return true
  return false
}

/** The session that an environment names. */
export function sessionIn(environment: ReadonlySet<string>): string | undefined {
  for (const line of environment) if (line.startsWith(SESSION)) return line.slice(SESSION.length)
  return undefined
}
