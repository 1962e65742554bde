import { AppError } from '../../core/errors.ts'
import type { AgentConfig } from '../city-config.ts'
import { agentFolders, folderFor, PROMPT_FILE, PROMPTS } from '../declare/agent-folders.ts'
import { freePrefix } from '../declare/rigs.ts'
import { suggestion } from '../diagnostics.ts'
import { AGENT_NAME, prefixOf, qualify } from '../names.ts'
import { CITY_FILE, type Reading, SITE_FILE } from '../resolve/compose.ts'
import { addBlock, type BlockAddress, removeBlock, renderPairs, setKey, type TomlValue } from '../toml/edit.ts'
import { readToml } from '../toml/toml.ts'
import type { Drafts } from './write-files.ts'

/** A rig to be declared. */
export interface RigDraft {
  name: string
  /** Absolute, or from the city. */
  path: string
  prefix?: string
  defaultBranch?: string
}

/** What of a rig can be changed; what is absent stays. */
export interface RigChange {
  path?: string
  prefix?: string
  defaultBranch?: string
  suspendedOnStart?: boolean
}

/** An agent to be declared. `keys` are those of agent.toml, in order. */
export interface AgentDraft {
  name: string
  dir?: string
  prompt?: string
  keys: Readonly<Record<string, TomlValue | undefined>>
}

/** Declares a rig; one whose usual prefix is taken gets another. */
export function addRig(now: Reading, { name, path, prefix, defaultBranch }: RigDraft): Drafts {
  if (now.config.rigs.some((rig) => rig.name === name)) {
    throw new AppError('conflict-wrong-state', `conflict: there is a rig "${name}" already`)
  }
  const taken = new Set(
    [now.config.prefix, ...now.config.rigs.map((rig) => rig.prefix)].map((one) => one.toLowerCase()),
  )
  const clash = prefix === undefined && taken.has(prefixOf(name))
  const city = addBlock(text(now, CITY_FILE), '[[rigs]]', [
    ['name', name],
    ['prefix', clash ? freePrefix(name, taken) : prefix],
    ['default_branch', defaultBranch],
  ])
  return new Map([
    [SITE_FILE, bind(now, name, path)],
    [CITY_FILE, city],
  ])
}

export function changeRig(now: Reading, name: string, change: RigChange): Drafts {
  const drafts = new Map<string, string>()
  const block = { section: 'rigs', index: rigIndex(now, name) }
  if (change.path !== undefined) drafts.set(SITE_FILE, bind(now, name, change.path))
  const city = setKeys(text(now, CITY_FILE), CITY_FILE, block, {
    prefix: change.prefix,
    default_branch: change.defaultBranch,
    suspended_on_start: change.suspendedOnStart,
  })
  return drafts.set(CITY_FILE, city)
}

/** Takes a rig out with its agents; its folder stays. */
export function removeRig(now: Reading, name: string): Drafts {
  const agents = now.config.agents.filter(({ dir }) => dir === name)
  const city = cut(text(now, CITY_FILE), CITY_FILE, 'rigs', [rigIndex(now, name)])
  const drafts = new Map<string, string | undefined>([[CITY_FILE, cutInline(now, city, agents)]])
  for (const agent of agents) cutFolder(now, agent, drafts)
  const bound = bindings(now).indexOf(name)
  if (bound >= 0) drafts.set(SITE_FILE, cut(text(now, SITE_FILE), SITE_FILE, 'rig', [bound]))
  return drafts
}

export function addAgent(now: Reading, { name, dir, prompt, keys }: AgentDraft): Drafts {
  if (!AGENT_NAME.test(name)) {
    const message = `"${name}" cannot name an agent: begin with a letter or digit and go on with those, "-" or "_"`
    throw new AppError('invalid-request', message)
  }
  if (dir !== undefined) knownRig(now, dir)
  const qualified = qualify(dir, name)
  if (now.config.agents.some((agent) => agent.qualified === qualified)) {
    throw new AppError('conflict-wrong-state', `conflict: there is an agent "${qualified}" already`)
  }
  const folder = folderFor(name, dir, new Set(agentFolders(now.sources).map((one) => one.folder.toLowerCase())))
  if (folder === undefined) {
    throw new AppError('conflict-wrong-state', `conflict: the folder agents/${name} is taken; choose another name`)
  }
  const drafts = new Map<string, string>()
  if (prompt !== undefined) drafts.set(`agents/${folder}/${PROMPT_FILE}`, prompt)
  const lines = renderPairs([['dir', dir], ...Object.entries(keys)])
  return drafts.set(`agents/${folder}/agent.toml`, lines.map((line) => `${line}\n`).join(''))
}

export function changeAgent(now: Reading, qualified: string, keys: AgentDraft['keys']): Drafts {
  const agent = agentNamed(now, qualified)
  const block: BlockAddress = agent.origin === 'folder' ? 'top' : { section: 'agent', index: inlineIndex(now, agent) }
  return new Map([[agent.file, setKeys(text(now, agent.file), agent.file, block, keys)]])
}

export function removeAgent(now: Reading, qualified: string): Drafts {
  const agent = agentNamed(now, qualified)
  const drafts = new Map<string, string | undefined>()
  cutFolder(now, agent, drafts)
  return agent.origin === 'folder' ? drafts : drafts.set(CITY_FILE, cutInline(now, text(now, CITY_FILE), [agent]))
}

const text = ({ sources }: Reading, file: string): string => sources.text(file) ?? ''

function rigIndex(now: Reading, name: string): number {
  const index = now.config.rigs.findIndex((rig) => rig.name === name)
  if (index < 0) throw new AppError('rig-not-found', `rig ${name} not found`)
  return index
}

function knownRig(now: Reading, name: string): void {
  const names = now.config.rigs.map((rig) => rig.name)
  if (names.includes(name)) return
  const hint = suggestion(name, names) || 'add it first, or leave dir out for an agent of the city'
  throw new AppError('invalid-request', `there is no rig "${name}"; ${hint}`)
}

function agentNamed(now: Reading, qualified: string): AgentConfig {
  const agent = now.config.agents.find((one) => one.qualified === qualified)
  if (!agent) throw new AppError('agent-not-found', `agent ${qualified} not found`)
  return agent
}

/** Which `[[agent]]` block an agent is. */
const inlineIndex = (now: Reading, agent: AgentConfig): number =>
  now.config.agents.filter(({ origin }) => origin === 'inline').indexOf(agent)

function cutInline(now: Reading, city: string, agents: readonly AgentConfig[]): string {
  const inline = agents.filter(({ origin }) => origin === 'inline')
  return cut(
    city,
    CITY_FILE,
    'agent',
    inline.map((agent) => inlineIndex(now, agent)),
  )
}

/** Cuts blocks out, the last first, so that the numbers of the others hold. */
function cut(city: string, file: string, section: string, indexes: readonly number[]): string {
  return [...indexes]
    .sort((a, b) => b - a)
    .reduce((rest, index) => {
      return removeBlock(rest, section, index) ?? byHand(file, section)
    }, city)
}

function cutFolder({ sources }: Reading, agent: AgentConfig, drafts: Map<string, string | undefined>): void {
  if (agent.origin === 'inline') return
  const folder = agent.file.slice(0, agent.file.lastIndexOf('/'))
  const files = [agent.file, ...PROMPTS.map((name) => `${folder}/${name}`)]
  for (const file of files) if (sources.text(file) !== undefined) drafts.set(file, undefined)
}

function setKeys(before: string, file: string, block: BlockAddress, keys: AgentDraft['keys']): string {
  let after = before
  for (const [key, value] of Object.entries(keys)) {
    if (value !== undefined) after = setKey(after, block, key, value) ?? byHand(file, key)
  }
  return after
}

function byHand(file: string, what: string): never {
  throw new AppError('conflict-wrong-state', `${file} does not write ${what} as a [[block]]; change it there by hand`)
}

/** The rigs that site.toml binds to folders, in order. */
function bindings(now: Reading): string[] {
  const rigs = readToml(text(now, SITE_FILE)).entries.get('rig')
  if (rigs?.kind !== 'array') return []
  return rigs.items.map((rig) => {
    const name = rig.kind === 'table' ? rig.entries.get('name') : undefined
    return name?.kind === 'string' ? name.value : ''
  })
}

/** site.toml with a rig bound to a folder. */
function bind(now: Reading, name: string, path: string): string {
  const site = text(now, SITE_FILE)
  const index = bindings(now).indexOf(name)
  if (index >= 0) return setKey(site, { section: 'rig', index }, 'path', path) ?? byHand(SITE_FILE, 'rig')
  return addBlock(site, '[[rig]]', [
    ['name', name],
    ['path', path],
  ])
}
