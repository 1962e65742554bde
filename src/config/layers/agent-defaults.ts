import { withAgentDefaults } from '../declare/with-agent-defaults.ts'
import type { Layer } from './layer.ts'

/** `[agent_defaults]` fills what agents leave open. */
export const agentDefaults: Layer = {
  name: 'agent_defaults',
  isEditable: true,
  apply: (lower) => ({ ...lower, agents: withAgentDefaults(lower.agents, lower.agentDefaults) }),
}
