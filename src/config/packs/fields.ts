import {
  boolean,
  type Declaration,
  declareFields,
  type FieldReader,
  integer,
  oneOf,
  type PackReference,
  requiredString,
  string,
  strings,
  type ValuesOf,
} from '../declare/index.ts'

/** `[pack]`: what a pack is called, and the form of its file. */
export const PACK = {
  name: requiredString('name'),
  schema: integer('schema', { min: 1, max: 2 }),
  version: string('version'),
  requiresGc: string('requires_gc'),
  description: string('description'),
  includes: strings('includes'),
}

/** `[[pack.requires]]`: an agent that anyone who imports the pack must have. */
export const PACK_REQUIREMENT = { scope: oneOf('scope', ['city', 'rig']), agent: requiredString('agent') }
export type PackRequirementFields = ValuesOf<typeof PACK_REQUIREMENT>

/** `[imports.<binding>]`: a pack, and the name it is known by here. */
export const IMPORT = {
  source: requiredString('source'),
  version: string('version'),
  /** True if what the pack itself imports is known by this binding as well. */
  export: boolean('export'),
  /** False takes only what lies in the pack's own folder. */
  transitive: boolean('transitive'),
  shadow: oneOf('shadow', ['warn', 'silent']),
}
export type ImportFields = ValuesOf<typeof IMPORT>

/** The packs that a section imports, by the names that it knows them by. */
export type Imports = ReadonlyMap<string, Declaration<ImportFields>>

/** `[imports.<binding>]` under a section. */
export function importsOf(key: string): FieldReader<Imports> {
  return {
    key,
    read(section) {
      if (!section.has(key)) return undefined
      const tables = section.child(key, `${key}.*`)
      return new Map(tables.keys.map((name) => [name, declareFields(tables.child(name, 'imports'), IMPORT)]))
    },
  }
}

/** `[global]`: what every agent gets in addition. */
export const PACK_GLOBAL = { sessionLive: strings('session_live') }
export type PackGlobalFields = ValuesOf<typeof PACK_GLOBAL>

/** `[[commands]]`: a command of `gc <binding>`, an older form of a folder in commands/. */
export const INLINE_COMMAND = {
  name: requiredString('name'),
  description: string('description'),
  /** A file of the pack with the long help. */
  help: string('long_description'),
  script: requiredString('script'),
}
export type InlineCommand = ValuesOf<typeof INLINE_COMMAND>

/** `[[doctor]]`: a check of `gc doctor`, an older form of a folder in doctor/. */
export const INLINE_CHECK = {
  name: requiredString('name'),
  description: string('description'),
  script: requiredString('script'),
  fix: string('fix'),
  warmup: boolean('warmup'),
}
export type InlineCheck = ValuesOf<typeof INLINE_CHECK>

/** Scripts in a pack.toml without a folder of their own. */
export interface InlineScripts {
  readonly commands: readonly Partial<InlineCommand>[]
  readonly checks: readonly Partial<InlineCheck>[]
}

/** A pack that a city, or one of its rigs, is made of. */
export interface ImportedPack {
  readonly pack: PackReference
  /** The name by which it is known here; absent when it is included without one. */
  readonly binding: string | undefined
  /** The rig that imports it; absent for the city. */
  readonly rig: string | undefined
  readonly requirements: readonly Declaration<PackRequirementFields>[]
  readonly globals: Declaration<PackGlobalFields> | undefined
  readonly scripts: InlineScripts
}
