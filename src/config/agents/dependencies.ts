import { qualify } from '../declare/index.ts'
import type { AgentConfig } from './agent.ts'

type Dependent = Pick<AgentConfig, 'dir'>

/** The agent that another depends on: by its name in the same rig, or by its qualified name. */
export function findDependency(
  { dir }: Dependent,
  name: string,
  agents: readonly AgentConfig[],
): AgentConfig | undefined {
  const sibling = agents.find((other) => other.dir === dir && other.name === name)
  return sibling ?? agents.find((other) => other.qualified === name)
}

/** The agents of a city by their qualified names. */
export class AgentIndex {
  readonly #agents: ReadonlyMap<string, AgentConfig>

  constructor(agents: readonly AgentConfig[]) {
    this.#agents = new Map(agents.map((agent) => [agent.qualified, agent]))
  }

  get names(): IterableIterator<string> {
    return this.#agents.keys()
  }

  /** As {@link findDependency}. */
  dependency({ dir }: Dependent, name: string): AgentConfig | undefined {
    return this.#agents.get(qualify(dir, name)) ?? this.#agents.get(name)
  }

  /** True if an agent depends on itself, directly or through others. */
  isCyclic(agent: AgentConfig): boolean {
    return this.#reaches(agent, agent, new Set())
  }

  #reaches(from: AgentConfig, goal: AgentConfig, visited: Set<AgentConfig>): boolean {
    for (const name of from.dependsOn) {
      const next = this.dependency(from, name)
      if (next === goal) return true
      if (!next || visited.has(next)) continue
      visited.add(next)
      if (this.#reaches(next, goal, visited)) return true
    }
    return false
  }
}
