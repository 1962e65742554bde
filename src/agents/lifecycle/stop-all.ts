import type { CityConfig } from '../../config/city-config.ts'
import { findDependency } from '../../config/resolve/dependencies.ts'
import type { BuiltParts } from '../sessions/parts.ts'
import type { SessionRow } from '../sessions/table.ts'
import { isRunning } from '../sessions/view.ts'

/**
 * Ends the program of every session because the city stops; each sleeps until the city is up and wants it again.
 * Agents go before those they depend on.
 */
export async function stopAllSessions(parts: BuiltParts, { agents }: CityConfig, now: () => number): Promise<void> {
  const depths = depthsOf(agents)
  const waves = Map.groupBy(parts.book.live().filter(isRunning), ({ template }) => depths.get(template) ?? 0)
  for (const depth of [...waves.keys()].sort((a, b) => b - a)) {
    await Promise.all((waves.get(depth) ?? []).map((row) => stopSession(parts, row, now)))
  }
}

const stopSession = (
  { book, lifecycle, chronicle }: BuiltParts,
  { id }: SessionRow,
  now: () => number,
): Promise<void> =>
  lifecycle.stop(id, (tx, row) => {
    chronicle.stopped(tx, row, 'city-stop')
    if (row.state === 'draining') book.transition(tx, id, 'close', { reason: 'city-stop', closedAt: now() })
    else if (row.state === 'active') book.transition(tx, id, 'sleep', { reason: 'city-stop', sleptAt: now() })
  })

/** How many agents stand below each, those it depends on, those they depend on, and so on. */
function depthsOf(agents: CityConfig['agents']): Map<string, number> {
  const depths = new Map<string, number>()
  const depth = (agent: CityConfig['agents'][number]): number => {
    const known = depths.get(agent.qualified)
    if (known !== undefined) return known
    depths.set(agent.qualified, 0)
    const below = agent.dependsOn.map((name) => {
      const on = findDependency(agent, name, agents)
      return on ? depth(on) + 1 : 0
    })
    depths.set(agent.qualified, Math.max(0, ...below))
    return depths.get(agent.qualified) ?? 0
  }
  for (const agent of agents) depth(agent)
  return depths
}
