import type { ImportedPack, InlineScripts } from './fields.ts'

/** A pack that the city, or one of its rigs, is made of. */
export interface PackConfig {
  readonly name: string
  readonly version?: string
  /** Absolute. */
  readonly folder: string
  /** Its name here; absent for an import without a name and for the city's own. */
  readonly binding?: string
  /** The rig that imports it; absent for the city. */
  readonly rig?: string
  /** The commands and checks that its pack.toml names. */
  readonly scripts: InlineScripts
}

/** A folder of skills, and what their names begin with in a project. */
export interface SkillFolder {
  readonly folder: string
  readonly prefix: string
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

/** The packs that a city is made of: its imports, its own, then those of its rigs; each once under each name. */
export function resolvePacks(
  packs: readonly ImportedPack[],
  own: Pick<ImportedPack, 'pack' | 'scripts'> | undefined,
): PackConfig[] {
  const all = packs.map(toConfig)
  const ofCity = all.filter(({ rig }) => rig === undefined)
  const ofRigs = all.filter(({ rig }) => rig !== undefined)
  const ordered = [...ofCity, ...(own ? [toConfig({ ...own, binding: undefined, rig: undefined })] : []), ...ofRigs]
  return [...new Map(ordered.map((pack) => [[pack.folder, pack.binding, pack.rig].join('\n'), pack])).values()]
}
