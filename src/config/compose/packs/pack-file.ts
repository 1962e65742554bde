import { isAbsolute, join, relative } from 'node:path'
import { AGENT } from '../../declare/agent.ts'
import { AGENT_DEFAULTS, type AgentDefaultsFields } from '../../declare/agent-defaults.ts'
import { type Declaration, declareFields } from '../../declare/declaration.ts'
import type {
  BlockDeclarations,
  LayerInfo,
  NamedDeclarations,
  PackReference,
  PatchDeclarations,
  SectionReader,
} from '../../declare/index.ts'
import { RUNTIME, UPSTREAM } from '../../declare/kept.ts'
import { NAMED_SESSION } from '../../declare/named-session.ts'
import { openFile } from '../../declare/open-file.ts'
import {
  INLINE_CHECK,
  INLINE_COMMAND,
  type InlineScripts,
  importsOf,
  PACK,
  PACK_GLOBAL,
  PACK_REQUIREMENT,
  type PackGlobalFields,
  type PackRequirementFields,
} from '../../declare/pack.ts'
import { PROVIDER } from '../../declare/provider.ts'
import { agentPatchesOf, blocksOf, requireFormulaFolder, tablesOf } from '../../declare/sections.ts'
import { servicesOf } from '../../declare/service.ts'
import { PRICING } from '../../declare/settings.ts'
import { WEBHOOK } from '../../declare/webhook.ts'
import type { LayerContext } from '../layers/layer.ts'
import { PACK_FILE } from './locate.ts'

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

/** A folder as messages name it: from the city, if it lies in it. */
export function displayPath(city: string, folder: string): string {
  const path = relative(city, folder)
  return path.startsWith('..') || isAbsolute(path) ? folder : path
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
