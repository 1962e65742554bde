import type { PlanBuilder } from './plan-builder.ts'
import type { AgentState } from './snapshot.ts'

/** Whether work for an agent goes to its named sessions: there are such, and there is no place for others. */
export const hasOnlyNamedSessions = (turn: PlanBuilder, { name, maxActive }: AgentState): boolean =>
  maxActive !== undefined && maxActive <= 1 && turn.namedOf(name).length > 0

/** How many pool sessions an agent keeps up whatever there is to do. */
export function minimumSessions(turn: PlanBuilder, agent: AgentState): number {
  if (hasOnlyNamedSessions(turn, agent)) return 0
  const floor = turn.startOrder.isNeeded(agent.name) && !hasSubstitute(turn, agent) ? 1 : 0
  return Math.max(agent.minActive, floor)
}

/** Whether a session that is not of the pool is up, or comes up, and does for those who depend on the agent. */
const hasSubstitute = (turn: PlanBuilder, { name }: AgentState): boolean =>
  turn.namedOf(name).some((named) => turn.startOrder.isCreated(named.name)) ||
  turn.state.sessions.some((one) => one.agent === name && one.origin !== 'ephemeral' && turn.isUp(one))
