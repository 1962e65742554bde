import { applyAgentPatch, localName } from '../declare/apply-patch.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { AgentPatchFields } from '../declare/patches.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { suggestion, withHint } from '../diagnostics/suggestion.ts'
import type { Layer } from './layer.ts'

/** `overrides` of each rig, then its `patches`; both name agents of the rig by their own names. */
export const rigPatches: Layer = {
  name: 'rig patches',
  isEditable: true,
  apply: (lower, { diagnostics }) => ({
    ...lower,
    agents: lower.rigs.reduce(
      (agents, { values: { name, overrides = [], patches = [] } }) =>
        [...overrides, ...patches].reduce((current, patch) => patchOne(current, name, patch, diagnostics), agents),
      lower.agents,
    ),
  }),
}

function patchOne(
  agents: CityDeclarations['agents'],
  rig: string | undefined,
  patch: Declaration<AgentPatchFields>,
  diagnostics: Diagnostics,
): CityDeclarations['agents'] {
  const { name } = patch.values
  if (name === undefined) return agents
  const ofRig = agents.filter(({ values }) => values.dir === rig)
  const target =
    ofRig.find(({ values }) => values.name === name) ??
    ofRig.find(({ values, binding }) => localName(values.name ?? '', binding) === name)
  if (!target) {
    const hint = suggestion(
      name,
      ofRig.map(({ values }) => values.name ?? ''),
    )
    diagnostics.error(locationOf(patch, 'name'), withHint(`rig "${rig}" has no agent "${name}"`, hint))
  }
  return agents.map((agent) => (agent === target ? applyAgentPatch(agent, patch) : agent))
}
