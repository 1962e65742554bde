import type { PackConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import type { PackReference } from '../declare/origin.ts'

/** The packs that a city is made of: its imports, its own, then those of its rigs; each once under each name. */
export function resolvePacks({ packs, pack: own }: CityDeclarations): PackConfig[] {
  const all = packs.map(({ pack, binding, rig }) => toConfig(pack, binding, rig))
  const ofCity = all.filter(({ rig }) => rig === undefined)
  const ofRigs = all.filter(({ rig }) => rig !== undefined)
  const ordered = [...ofCity, ...(own ? [toConfig(own.pack, undefined, undefined)] : []), ...ofRigs]
  return [...new Map(ordered.map((pack) => [[pack.folder, pack.binding, pack.rig].join('\n'), pack])).values()]
}

const toConfig = (
  { name, version, folder }: PackReference,
  binding: string | undefined,
  rig: string | undefined,
): PackConfig => ({
  ...{ name, folder },
  ...(version !== undefined && { version }),
  ...(binding !== undefined && { binding }),
  ...(rig !== undefined && { rig }),
})
