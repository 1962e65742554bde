import { findDependency } from '../../../config/agents/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import { gcPart } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import {
  isRunning,
  type SessionEventRecorder,
  type SessionRepository,
  type SessionRow,
} from '../../../work/sessions/index.ts'
import type { SessionProcesses } from './processes.ts'

interface StopAllOptions {
  clock: Clock
  repository: SessionRepository
  processes: Pick<SessionProcesses, 'stop'>
  recorder: SessionEventRecorder
}

/**
 * Ends the program of every session because the city stops; each sleeps until the city is up and wants it again.
 * Agents end before those they depend on.
 */
export async function stopAllSessions(options: StopAllOptions, { agents }: CityConfig): Promise<void> {
  const depths = depthsOf(agents)
  const running = options.repository.live().filter(isRunning)
  const byDepth = Map.groupBy(running, ({ template }) => depths.get(template) ?? 0)
  for (const depth of [...byDepth.keys()].sort((a, b) => b - a)) {
    await Promise.all((byDepth.get(depth) ?? []).map((row) => stopSession(options, row)))
  }
}

const stopSession = ({ repository, processes, recorder, clock }: StopAllOptions, { id }: SessionRow): Promise<void> =>
  processes.stop(id, gcPart('city'), (tx, row) => {
    recorder.stopped(tx, row, 'city-stop')
    const change = { reason: 'city-stop' }
    if (row.state === 'draining') repository.transition(tx, id, 'close', { ...change, closedAt: clock.now() })
    else if (row.state === 'active') repository.transition(tx, id, 'sleep', { ...change, sleptAt: clock.now() })
  })

/** The length of each agent's longest chain of dependencies. */
function depthsOf(agents: CityConfig['agents']): Map<string, number> {
  const depths = new Map<string, number>()
  const depthOf = (agent: CityConfig['agents'][number]): number => {
    const computed = depths.get(agent.qualified)
    if (computed !== undefined) return computed
    depths.set(agent.qualified, 0)
    const below = agent.dependsOn.map((name) => {
      const dependency = findDependency(agent, name, agents)
      return dependency ? depthOf(dependency) + 1 : 0
    })
    depths.set(agent.qualified, Math.max(0, ...below))
    return depths.get(agent.qualified) ?? 0
  }
  for (const agent of agents) depthOf(agent)
  return depths
}
