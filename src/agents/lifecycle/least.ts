import type { AgentView } from './state.ts'
import type { Turn } from './turn.ts'

/** Whether work for an agent goes to its named sessions: there are such, and there is no place for others. */
export const isOnlyNamed = (turn: Turn, { name, maxActive }: AgentView): boolean =>
  maxActive !== undefined && maxActive <= 1 && turn.namedOf(name).length > 0

/** How many pool sessions an agent keeps up whatever there is to do. */
export function least(turn: Turn, agent: AgentView): number {
  if (isOnlyNamed(turn, agent)) return 0
  const floor = turn.waves.needs(agent.name) && !standsIn(turn, agent) ? 1 : 0
  return Math.max(agent.minActive, floor)
}

/** Whether a session that is not of the pool is up, or comes up, and does for those who depend on the agent. */
const standsIn = (turn: Turn, { name }: AgentView): boolean =>
  turn.namedOf(name).some((named) => turn.waves.isMade(named.name)) ||
  turn.situation.sessions.some((one) => one.agent === name && one.origin !== 'ephemeral' && turn.isUp(one))
