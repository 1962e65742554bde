import type { AgentFields } from '../declare/agent.ts'
import { type Declaration, withValue } from '../declare/declaration.ts'
import type { FieldOrigin } from '../declare/origin.ts'
import type { Layer } from './layer.ts'

/** `[agent_defaults]` fills what agents leave open; an agent with a command of its own needs no provider. */
export const agentDefaults: Layer = {
  name: 'agent_defaults',
  isEditable: true,
  apply(lower) {
    const { agentDefaults: defaults } = lower
    if (!defaults) return lower
    const { values, origins } = defaults
    const agents = lower.agents.map((agent) => {
      const needsProvider = agent.values.provider === undefined && agent.values.startCommand === undefined
      const needsFormula = agent.values.defaultSlingFormula === undefined
      const provided = needsProvider ? withValue(agent, 'provider', values.provider, origins.provider) : agent
      const extended = withFragments(provided, values.appendFragments, origins.appendFragments)
      if (!needsFormula) return extended
      return withValue(extended, 'defaultSlingFormula', values.defaultSlingFormula, origins.defaultSlingFormula)
    })
    return { ...lower, agents }
  },
}

/** The fragments of the defaults are put behind the agent's own. */
function withFragments(
  agent: Declaration<AgentFields>,
  fragments: readonly string[] | undefined,
  origin: FieldOrigin | undefined,
): Declaration<AgentFields> {
  if (!fragments?.length) return agent
  const own = agent.values.appendFragments ?? []
  return withValue(agent, 'appendFragments', [...own, ...fragments], agent.origins.appendFragments ?? origin)
}
