import { withValue } from '../declare/declaration.ts'
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
      if (!needsFormula) return provided
      return withValue(provided, 'defaultSlingFormula', values.defaultSlingFormula, origins.defaultSlingFormula)
    })
    return { ...lower, agents }
  },
}
