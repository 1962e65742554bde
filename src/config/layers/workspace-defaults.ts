import { withValue } from '../declare/declaration.ts'
import type { Layer } from './layer.ts'

/** The workspace's provider, or else its command, is what agents run that name neither. */
export const workspaceDefaults: Layer = {
  name: 'workspace',
  isEditable: true,
  apply(lower) {
    const { workspace } = lower
    if (!workspace) return lower
    const { values, origins } = workspace
    const agents = lower.agents.map((agent) => {
      if (agent.values.provider !== undefined || agent.values.startCommand) return agent
      if (values.provider !== undefined) return withValue(agent, 'provider', values.provider, origins.provider)
      return withValue(agent, 'startCommand', values.startCommand, origins.startCommand)
    })
    return { ...lower, agents }
  },
}
