import type { PlanBuilder } from './plan-builder.ts'
import type { AgentState } from './snapshot.ts'

/** Whether an agent's work goes to its named sessions because its limit leaves no room for others. */
export const hasOnlyNamedSessions = (builder: PlanBuilder, { name, maxActive }: AgentState): boolean =>
  maxActive !== undefined && maxActive <= 1 && builder.namedOf(name).length > 0

/** How many pool sessions an agent keeps up without work. */
export function minimumSessions(builder: PlanBuilder, agent: AgentState): number {
  if (hasOnlyNamedSessions(builder, agent)) return 0
  const floor = builder.startOrder.isNeeded(agent.name) && !hasSubstitute(builder, agent) ? 1 : 0
  return Math.max(agent.minActive, floor)
}

/** Whether a session outside the pool is up or starting, which satisfies those who depend on the agent. */
const hasSubstitute = (builder: PlanBuilder, { name }: AgentState): boolean =>
  builder.namedOf(name).some((named) => builder.startOrder.isCreated(named.name)) ||
  builder.snapshot.sessions.some(
    (session) => session.agent === name && session.origin !== 'ephemeral' && builder.isUp(session),
  )
