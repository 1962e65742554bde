import { join } from 'node:path'
import { AGENT, AGENT_DEFAULTS, type AgentDefaultsFields, NAMED_SESSION } from '../../agents/index.ts'
import {
  agentPatchesOf,
  type BlockDeclarations,
  type NamedDeclarations,
  type PatchDeclarations,
} from '../../city/index.ts'
import {
  blocksOf,
  type Declaration,
  declareFields,
  type LayerInfo,
  openFile,
  type PackReference,
  requireFormulaFolder,
  type SectionReader,
  tablesOf,
} from '../../declare/index.ts'
import {
  displayPath,
  INLINE_CHECK,
  INLINE_COMMAND,
  type InlineScripts,
  importsOf,
  PACK,
  PACK_FILE,
  PACK_GLOBAL,
  PACK_REQUIREMENT,
  type PackGlobalFields,
  type PackRequirementFields,
} from '../../packs/index.ts'
import { PROVIDER, RUNTIME, UPSTREAM } from '../../providers/index.ts'
import { servicesOf } from '../../services/index.ts'
import { PRICING } from '../../settings/index.ts'
import { WEBHOOK } from '../../webhooks/index.ts'
import type { LayerContext } from './layer.ts'

/** Declarations of a pack.toml. */
export interface PackFile
  extends Pick<BlockDeclarations, 'agents' | 'namedSessions' | 'services' | 'webhooks' | 'pricing'>,
    Pick<NamedDeclarations, 'imports' | 'defaultRigImports' | 'providers' | 'upstreams' | 'runtimes'> {
  readonly pack: PackReference
  readonly schema: number
  readonly includes: readonly string[]
  readonly requirements: readonly Declaration<PackRequirementFields>[]
  readonly globals: Declaration<PackGlobalFields> | undefined
  readonly agentDefaults: Declaration<AgentDefaultsFields> | undefined
  readonly patches: PatchDeclarations
  readonly scripts: InlineScripts
}

export interface PackFolder {
  readonly layer: LayerInfo
  /** Absolute. */
  readonly folder: string
  /** True if it is the city's own pack, whose declarations belong to the city. */
  readonly isCity: boolean
}

/** Reads the pack.toml of a folder; undefined when there is none. */
export function readPackFile(
  { layer, folder, isCity }: PackFolder,
  { files, diagnostics }: LayerContext,
): PackFile | undefined {
  const toml = files.root(folder).toml(PACK_FILE)
  if (toml === undefined) return undefined
  const base = displayPath(files.city.path, folder)
  const file = join(base, PACK_FILE)
  const identity = openFile({ layer, diagnostics, file, toml, unknownKeys: 'lint', kind: 'pack-file' })
  if ('error' in toml) return undefined
  const { name = '', version } = declareFields(identity.child('pack'), PACK).values
  const pack = { name, version, folder }
  const reader = openFile({
    ...{ layer, diagnostics, file, toml, unknownKeys: 'error', kind: 'pack-file', base },
    ...(!isCity && { pack }),
  })
  return declarePack(reader, pack, isCity)
}

export function declarePack(reader: SectionReader, pack: PackReference, isCity: boolean): PackFile {
  const section = reader.child('pack')
  const { schema, includes = [] } = declareFields(section, PACK).values
  if (!section.has('schema')) section.error('schema', 'is required: schema = 2')
  requireFormulaFolder(reader)
  const file: PackFile = {
    ...{ pack, schema: schema ?? 2, includes },
    requirements: blocksOf(section, 'requires', PACK_REQUIREMENT),
    imports: importsOf('imports').read(reader) ?? new Map(),
    defaultRigImports: isCity ? defaultRigImports(reader) : new Map(),
    globals: reader.has('global') ? declareFields(reader.child('global'), PACK_GLOBAL) : undefined,
    agentDefaults: reader.has('agent_defaults')
      ? declareFields(reader.child('agent_defaults'), AGENT_DEFAULTS)
      : undefined,
    agents: blocksOf(reader, 'agent', AGENT),
    namedSessions: blocksOf(reader, 'named_session', NAMED_SESSION),
    services: servicesOf(reader),
    webhooks: blocksOf(reader, 'webhook', WEBHOOK),
    pricing: blocksOf(reader, 'pricing', PRICING),
    providers: tablesOf(reader, 'providers', PROVIDER),
    upstreams: tablesOf(reader, 'upstreams', UPSTREAM),
    runtimes: tablesOf(reader, 'runtimes', RUNTIME),
    patches: agentPatchesOf(reader),
    scripts: {
      commands: blocksOf(reader, 'commands', INLINE_COMMAND).map(({ values }) => values),
      checks: blocksOf(reader, 'doctor', INLINE_CHECK).map(({ values }) => values),
    },
  }
  reader.finish()
  return file
}

const defaultRigImports = (reader: SectionReader) =>
  reader.has('defaults') ? (importsOf('imports').read(reader.child('defaults').child('rig')) ?? new Map()) : new Map()
