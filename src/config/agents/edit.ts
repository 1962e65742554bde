import { dirname } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { renderPairs } from '../../core/toml/index.ts'
import {
  AGENT_NAME,
  changeBlock,
  cutBlocks,
  type EditBase,
  type KeyChanges,
  qualify,
  requireEditable,
  textOf,
} from '../declare/index.ts'
import { AGENTS_FOLDER, type Drafts, type FileSnapshot, suggestion } from '../files/index.ts'
import { type DeclaredProviders, effectiveOptions, requireProvider, resolveProvider } from '../providers/index.ts'
import type { AgentConfig } from './agent.ts'
import { chooseAgentFolder, listAgentFolders, PROMPT_NAME, PROMPT_NAMES } from './folders.ts'

/** Files with the agents of a city, and what an agent may name. */
export type AgentBase = EditBase<
  unknown,
  {
    readonly agents: readonly AgentConfig[]
    readonly rigs: readonly { readonly name: string }[]
    readonly providers: DeclaredProviders
  }
>

/** An agent to be declared. `keys` are those of agent.toml, in order. */
export interface AgentDraft {
  name: string
  dir?: string
  prompt?: string
  keys: KeyChanges
}

/** Declares an agent in a folder of its own. */
export function addAgent(base: AgentBase, { name, dir, prompt, keys }: AgentDraft): Drafts {
  if (!AGENT_NAME.test(name)) {
    const message = `"${name}" cannot name an agent: start with a letter or digit and use only letters, digits, "-" or "_"`
    throw new AppError('invalid-request', message)
  }
  if (dir !== undefined) requireRig(base, dir)
  requireProgram(keys, base.config.providers)
  const qualified = qualify(dir, name)
  if (base.config.agents.some((agent) => agent.qualified === qualified)) {
    throw new AppError('conflict-wrong-state', `conflict: agent "${qualified}" already exists`)
  }
  const taken = new Set(listAgentFolders(base.files.city).map(({ folder }) => folder.toLowerCase()))
  const folder = chooseAgentFolder(name, dir, taken)
  if (folder === undefined) {
    throw new AppError('conflict-wrong-state', `conflict: the folder agents/${name} is taken; choose another name`)
  }
  const drafts = new Map<string, string>()
  if (prompt !== undefined) drafts.set(`${AGENTS_FOLDER}/${folder}/${PROMPT_NAME}`, prompt)
  const lines = renderPairs([['dir', dir], ...Object.entries(keys)])
  return drafts.set(`${AGENTS_FOLDER}/${folder}/agent.toml`, lines.map((line) => `${line}\n`).join(''))
}

export function changeAgent(base: AgentBase, qualified: string, keys: KeyChanges): Drafts {
  const { block } = findAgent(base, qualified)
  requireEditable(block, `agent "${qualified}"`)
  return new Map([[block.file, changeBlock(textOf(base.files, block.file), block, keys)]])
}

export function removeAgent(base: AgentBase, qualified: string): Drafts {
  const agent = findAgent(base, qualified)
  const { block } = agent
  requireEditable(block, `agent "${qualified}"`)
  const drafts = new Map<string, string | undefined>()
  deleteAgentFolder(base.files, agent, drafts)
  if (block.offset === undefined) return drafts
  return drafts.set(block.file, cutBlocks(textOf(base.files, block.file), [block]))
}

/** Deletes the files of an agent that is declared by a folder of its own; other files in it stay. */
export function deleteAgentFolder(
  { city }: FileSnapshot,
  { block }: AgentConfig,
  drafts: Map<string, string | undefined>,
): void {
  if (block.offset !== undefined) return
  const folder = dirname(block.file)
  const files = [block.file, ...PROMPT_NAMES.map((name) => `${folder}/${name}`)]
  for (const file of files) if (city.text(file) !== undefined) drafts.set(file, undefined)
}

/** The agent of a qualified name; throws when there is none. */
export function findAgent({ config }: AgentBase, qualified: string): AgentConfig {
  const agent = config.agents.find((candidate) => candidate.qualified === qualified)
  if (!agent) throw new AppError('agent-not-found', `agent ${qualified} not found`)
  return agent
}

/** Throws for a provider that is not known, and for an option that it does not have, or not with this value. */
function requireProgram({ provider, option_defaults: options }: KeyChanges, declared: DeclaredProviders): void {
  if (typeof provider !== 'string') return
  requireProvider(provider, declared)
  if (typeof options !== 'object') return
  const values = Object.entries(options).map(([key, value]) => [key, String(value)] as const)
  effectiveOptions(resolveProvider(provider, declared), Object.fromEntries(values))
}

function requireRig({ config }: AgentBase, name: string): void {
  const names = config.rigs.map((rig) => rig.name)
  if (names.includes(name)) return
  const hint = suggestion(name, names) || 'add it first, or leave dir out for an agent of the city'
  throw new AppError('invalid-request', `there is no rig "${name}"; ${hint}`)
}
