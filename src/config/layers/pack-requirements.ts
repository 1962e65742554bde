import { localName } from '../declare/apply-patch.ts'
import { locationOf } from '../declare/declaration.ts'
import type { Layer } from './layer.ts'

/** `[[pack.requires]]`: the agents that packs need others to bring. */
export const packRequirements: Layer = {
  name: 'pack requirements',
  isEditable: false,
  apply(lower, { diagnostics }) {
    const own = lower.pack ? [{ pack: lower.pack.pack, rig: undefined, requirements: lower.pack.requirements }] : []
    const namesIn = (rig: string | undefined) =>
      new Set(
        lower.agents
          .filter(({ values }) => rig === undefined || values.dir === rig)
          .map(({ values, binding }) => localName(values.name ?? '', binding)),
      )
    for (const { pack, rig, requirements } of [...lower.packs, ...own]) {
      for (const requirement of requirements) {
        const { agent, scope = 'city' } = requirement.values
        const place = scope === 'rig' ? rig : undefined
        if (agent === undefined || (scope === 'rig' && rig === undefined) || namesIn(place).has(agent)) continue
        const message = `pack "${pack.name}" needs an agent "${agent}" in ${place ? `rig "${place}"` : 'the city'}; import a pack that has one`
        diagnostics.error(locationOf(requirement, 'agent'), message)
      }
    }
    return lower
  },
}
