import type { AgentConfig } from '../city-config.ts'

/** The agent that another depends on: by its qualified name, or by its name in the same rig. */
export function findDependency(
  { dir }: Pick<AgentConfig, 'dir'>,
  name: string,
  agents: readonly AgentConfig[],
): AgentConfig | undefined {
  const sibling = agents.find((other) => other.dir === dir && other.name === name)
  return sibling ?? agents.find((other) => other.qualified === name)
}

/** Whether an agent depends on itself, directly or through others. */
export const isCyclic = (agent: AgentConfig, agents: readonly AgentConfig[]): boolean =>
  reaches(agent, agent, agents, new Set())

function reaches(
  from: AgentConfig,
  goal: AgentConfig,
  agents: readonly AgentConfig[],
  visited: Set<AgentConfig>,
): boolean {
  for (const name of from.dependsOn) {
    const next = findDependency(from, name, agents)
    if (next === goal) return true
    if (!next || visited.has(next)) continue
    visited.add(next)
    if (reaches(next, goal, agents, visited)) return true
  }
  return false
}
