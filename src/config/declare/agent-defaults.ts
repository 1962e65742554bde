import { string, strings, type ValuesOf } from './fields.ts'

/** `[agent_defaults]`: what agents have that declare nothing else. */
export const AGENT_DEFAULTS = {
  provider: string('provider'),
  defaultSlingFormula: string('default_sling_formula'),
  appendFragments: strings('append_fragments'),
}
export type AgentDefaultsFields = ValuesOf<typeof AGENT_DEFAULTS>
