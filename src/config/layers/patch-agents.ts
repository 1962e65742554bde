import type { AgentFields } from '../declare/agent.ts'
import { applyAgentPatch, localName } from '../declare/apply-patch.ts'
import type { Declaration } from '../declare/declaration.ts'
import type { AgentPatchFields } from '../declare/patches.ts'

type Agents = readonly Declaration<AgentFields>[]

/** Applies patches in their order; `onMiss` gets those that are for no agent. */
export function patchAgents(
  agents: Agents,
  declared: readonly Declaration<AgentPatchFields>[],
  onMiss: (patch: Declaration<AgentPatchFields>) => void,
): Agents {
  return declared.reduce((current, patch) => {
    const index = findTarget(current, patch)
    const target = current[index]
    if (target) return current.with(index, applyAgentPatch(target, patch))
    if (patch.values.name !== undefined) onMiss(patch)
    return current
  }, agents)
}

/** The agent of a qualified name; in an older form, the first of that bare name in the same place. */
function findTarget(agents: Agents, { values: { name, dir } }: Declaration<AgentPatchFields>): number {
  const inPlace = ({ values }: Declaration<AgentFields>) => (values.dir ?? '') === (dir ?? '')
  const qualified = agents.findIndex((agent) => inPlace(agent) && agent.values.name === name)
  if (qualified >= 0) return qualified
  return agents.findIndex((agent) => inPlace(agent) && localName(agent.values.name ?? '', agent.binding) === name)
}
