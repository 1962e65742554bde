import { type Declaration, type FieldOrigin, string, strings, type ValuesOf, withValue } from '../declare/index.ts'
import type { AgentFields } from './agent.ts'

/** `[agent_defaults]`: what agents have that declare nothing else. */
export const AGENT_DEFAULTS = {
  provider: string('provider'),
  defaultSlingFormula: string('default_sling_formula'),
  appendFragments: strings('append_fragments'),
}
export type AgentDefaultsFields = ValuesOf<typeof AGENT_DEFAULTS>

/** Fills what agents leave open; one with a command of its own needs no provider. */
export function withAgentDefaults(
  agents: readonly Declaration<AgentFields>[],
  defaults: Declaration<AgentDefaultsFields> | undefined,
): readonly Declaration<AgentFields>[] {
  if (!defaults) return agents
  const { values, origins } = defaults
  return agents.map((agent) => {
    const needsProvider = agent.values.provider === undefined && !agent.values.startCommand
    const needsFormula = agent.values.defaultSlingFormula === undefined
    const provided = needsProvider ? withValue(agent, 'provider', values.provider, origins.provider) : agent
    const extended = withFragments(provided, values.appendFragments, origins.appendFragments)
    if (!needsFormula) return extended
    return withValue(extended, 'defaultSlingFormula', values.defaultSlingFormula, origins.defaultSlingFormula)
  })
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
