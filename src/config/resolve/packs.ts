import type { PackConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import type { ImportedPack } from '../declare/pack.ts'

/** The packs that a city is made of: its imports, its own, then those of its rigs; each once under each name. */
export function resolvePacks({ packs, pack: own }: CityDeclarations): PackConfig[] {
  const all = packs.map(toConfig)
  const ofCity = all.filter(({ rig }) => rig === undefined)
  const ofRigs = all.filter(({ rig }) => rig !== undefined)
  const ordered = [...ofCity, ...(own ? [toConfig({ ...own, binding: undefined, rig: undefined })] : []), ...ofRigs]
  return [...new Map(ordered.map((pack) => [[pack.folder, pack.binding, pack.rig].join('\n'), pack])).values()]
}

const toConfig = ({
  pack: { name, version, folder },
  binding,
  rig,
  scripts,
}: Pick<ImportedPack, 'pack' | 'binding' | 'rig' | 'scripts'>): PackConfig => ({
  ...{ name, folder, scripts },
  ...(version !== undefined && { version }),
  ...(binding !== undefined && { binding }),
  ...(rig !== undefined && { rig }),
})
