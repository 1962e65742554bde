import { carries, sessionEnvironments, sessionIn } from './marks.ts'
import { type ProcessSummary, summarize } from './process-ender.ts'
import { ProcessTable } from './process-table.ts'
import { ancestorsOf, withDescendants } from './tree.ts'

/** A process that was started in a session. */
export interface MarkedProcess extends ProcessSummary {
  sessionId: string
}

/**
 * Every process that was started in a session of a home, or of one of its cities, whether the session runs or not. What
 * the caller itself started, and what started the caller, is left out.
 */
export async function findMarked(
  table: ProcessTable,
  { home, city }: { home: string; city?: string },
): Promise<MarkedProcess[]> {
  const processes = await table.list()
  const spared = ancestorsOf(processes, process.pid)
  for (const { pid } of withDescendants(
    processes,
    processes.filter(({ pid }) => pid === process.pid),
  ))
    spared.add(pid)
  const marks = [`GC_HOME=${home}`, ...(city === undefined ? [] : [`GC_CITY=${city}`])]
  const environments = await sessionEnvironments(processes.filter(({ pid }) => !spared.has(pid)))
  return processes.flatMap((one) => {
    const environment = environments.get(one.pid)
    const sessionId = environment && carries(environment, marks) ? sessionIn(environment) : undefined
    return sessionId ? [{ ...summarize(one), sessionId }] : []
  })
}

/** Processes of a home or one of its cities that still run. */
export const findRemaining = (home: string, city?: string): Promise<MarkedProcess[]> =>
  findMarked(new ProcessTable(), { home, ...(city !== undefined && { city }) })
