import { AppError } from '../../core/errors.ts'
import { addBlock, addSubBlock, type TomlPairs } from '../../core/toml/index.ts'
import { type AgentConfig, deleteAgentFolder } from '../agents/index.ts'
import {
  changeBlock,
  cutBlocks,
  type Declaration,
  type DeclaredBlock,
  type EditBase,
  prefixOf,
  requireEditable,
  textOf,
} from '../declare/index.ts'
import { CITY_FILE, type Drafts, FileSnapshot, SITE_FILE } from '../files/index.ts'
import { findRigOffset, type Imports } from '../packs/index.ts'
import type { WorkspaceFields } from '../settings/index.ts'
import type { RigConfig } from './config.ts'
import { freePrefix } from './resolve.ts'
import type { RigDeclarations } from './site.ts'

/** Files with the rigs of a city, and what goes with a rig. */
export type RigBase = EditBase<
  Pick<RigDeclarations, 'rigBindings'> & {
    readonly workspace?: Declaration<WorkspaceFields> | undefined
    readonly defaultRigImports: Imports
  },
  { readonly prefix: string; readonly rigs: readonly RigConfig[]; readonly agents: readonly AgentConfig[] }
>

/** A rig to be declared. */
export interface RigDraft {
  name: string
  /** Absolute, or from the city. */
  path: string
  prefix?: string
  defaultBranch?: string
}

/** Fields of a rig to change; absent ones stay. */
export interface RigChange {
  path?: string
  prefix?: string
  defaultBranch?: string
  suspendedOnStart?: boolean
}

/** Declares a rig; one whose usual prefix is taken gets another. */
export function addRig(base: RigBase, { name, path, prefix, defaultBranch }: RigDraft): Drafts {
  const { config, files, declarations } = base
  const includes = declarations.workspace?.values.defaultRigIncludes ?? []
  if (config.rigs.some((rig) => rig.name === name)) {
    throw new AppError('conflict-wrong-state', `conflict: rig "${name}" already exists`)
  }
  const prefixes = [config.prefix, ...config.rigs.map((rig) => rig.prefix)]
  const taken = new Set(prefixes.map((each) => each.toLowerCase()))
  const isTaken = prefix === undefined && taken.has(prefixOf(name))
  const city = addBlock(textOf(files, CITY_FILE), '[[rigs]]', [
    ['name', name],
    ['prefix', isTaken ? freePrefix(name, taken) : prefix],
    ['default_branch', defaultBranch],
    ['includes', includes.length > 0 ? includes : undefined],
  ])
  return new Map([
    [SITE_FILE, bindRig(base, name, path)],
    [CITY_FILE, withDefaultImports(base, name, city)],
  ])
}

/** city.toml in which a new rig imports what `[defaults.rig.imports]` says. */
function withDefaultImports({ files, declarations }: RigBase, rig: string, text: string): string {
  return [...declarations.defaultRigImports].reduce((current, [binding, { values }]) => {
    const offset = findRigOffset(new FileSnapshot(files.city.path, new Map([[CITY_FILE, current]])).city, rig)
    const pairs: TomlPairs = [
      ['source', values.source],
      ['version', values.version],
      ['export', values.export],
      ['transitive', values.transitive],
      ['shadow', values.shadow],
    ]
    const added = offset === undefined ? undefined : addSubBlock(current, offset, `[rigs.imports.${binding}]`, pairs)
    return added ?? current
  }, text)
}

export function changeRig(base: RigBase, name: string, change: RigChange): Drafts {
  const { block } = findRig(base, name)
  requireEditable(block, `rig "${name}"`)
  const drafts = new Map<string, string>()
  if (change.path !== undefined) drafts.set(SITE_FILE, bindRig(base, name, change.path))
  const changes = {
    prefix: change.prefix,
    default_branch: change.defaultBranch,
    suspended_on_start: change.suspendedOnStart,
  }
  return drafts.set(block.file, changeBlock(textOf(base.files, block.file), block, changes))
}

/** Removes a rig with its agents; its folder stays. What packs and providers bring to it goes with it. */
export function removeRig(base: RigBase, name: string): Drafts {
  const { config, files, declarations } = base
  const { block } = findRig(base, name)
  const agents = config.agents.filter((agent) => agent.dir === name && agent.block.layer.isEditable)
  requireEditable(block, `rig "${name}"`)
  const drafts = new Map<string, string | undefined>()
  const inline = agents.map((agent) => agent.block).filter(({ offset }) => offset !== undefined)
  const cuts = Map.groupBy([block, ...inline], ({ file }) => file)
  for (const [file, blocks] of cuts) drafts.set(file, cutBlocks(textOf(files, file), blocks))
  for (const agent of agents) deleteAgentFolder(files, agent, drafts)
  const binding = bindingOf(declarations, name)
  if (binding) drafts.set(SITE_FILE, cutBlocks(textOf(files, SITE_FILE), [binding]))
  return drafts
}

export function findRig({ config }: RigBase, name: string): RigConfig {
  const rig = config.rigs.find((candidate) => candidate.name === name)
  if (!rig) throw new AppError('rig-not-found', `rig ${name} not found`)
  return rig
}

/** The block of site.toml that says where a rig lies. */
const bindingOf = ({ rigBindings }: RigBase['declarations'], name: string): DeclaredBlock | undefined =>
  rigBindings.find(({ values }) => values.name === name)?.block

/** site.toml with a rig bound to a folder. */
function bindRig({ files, declarations }: RigBase, name: string, path: string): string {
  const site = textOf(files, SITE_FILE)
  const binding = bindingOf(declarations, name)
  if (binding) return changeBlock(site, binding, { path })
  return addBlock(site, '[[rig]]', [
    ['name', name],
    ['path', path],
  ])
}
