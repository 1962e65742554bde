import type { AgentConfig, RigConfig, SessionSleepConfig } from '../city-config.ts'
import { type Diagnostics, suggestion, withHint } from '../diagnostics.ts'
import type { FileSnapshot } from '../file-snapshot.ts'
import { AGENT_NAME } from '../names.ts'
import { BUILTINS } from '../providers/presets.ts'
import type { ProviderConfig } from '../providers/provider.ts'
import { readSource } from '../toml/toml.ts'
import { type Fallbacks, readAgent } from './agent.ts'
import { agentFolders } from './agent-folders.ts'
import { Reader } from './section-reader.ts'
import { sleepOf } from './sleep.ts'

/** What of the rest of the configuration agents are read against. */
export interface Surroundings extends Fallbacks {
  readonly rigs: readonly RigConfig[]
  readonly providers: ReadonlyMap<string, ProviderConfig>
  readonly sleep: SessionSleepConfig
}

interface Found {
  readonly spec: AgentConfig
  readonly at: Reader
}

/** Every agent of the city: `[[agent]]` blocks, then the folders of `agents/`. */
export function readAgents(
  findings: Diagnostics,
  city: Reader,
  sources: FileSnapshot,
  around: Surroundings,
): AgentConfig[] {
  const found: Found[] = []
  const add = ({ spec, at }: Found) => {
    const twin = found.find((other) => other.spec.qualified === spec.qualified)
    if (twin) at.wrong('name', `agent "${spec.qualified}" is declared at ${twin.spec.file}:${twin.at.line} already`)
    else found.push({ spec: rested(at, capped(at, spec, around), around), at })
  }
  for (const at of city.each('agent')) {
    const name = at.required('name')
    const spec = readAgent(at, { name: name ?? '', origin: 'inline' }, sources, around)
    if (name !== undefined) add({ spec, at })
  }
  for (const folder of agentFolders(sources)) {
    const at = new Reader(findings, folder.file, '', readSource(findings, folder.file, folder.text))
    at.keep('name')
    const name = folder.nameIn(at.text('dir'))
    add({ spec: readAgent(at, { name, origin: 'folder', prompt: folder.prompt }, sources, around), at })
  }
  for (const one of found) check(one, found, around)
  return found.map(({ spec }) => spec)
}

/** Caps nest: an agent never has more sessions than its rig, nor a rig more than the city. */
function capped(at: Reader, spec: AgentConfig, { rigs, workspace }: Surroundings): AgentConfig {
  const rig = rigs.find(({ name }) => name === spec.dir)
  const outer = [rig?.maxActive, workspace.maxActive].filter((cap) => cap !== undefined)
  const maxActive = Math.min(...outer, spec.maxActive ?? Number.POSITIVE_INFINITY)
  if (spec.maxActive !== undefined && maxActive < spec.maxActive) {
    at.warn('max_active_sessions', `${spec.maxActive} is more than its rig or the workspace allows; ${maxActive} holds`)
  }
  return { ...spec, maxActive: Number.isFinite(maxActive) ? maxActive : undefined }
}

/** What an agent does not say of sleep, its rig or its city does. */
function rested(at: Reader, spec: AgentConfig, { rigs, sleep }: Surroundings): AgentConfig {
  if (at.has('sleep_after_idle')) return spec
  const sleepAfterIdle = sleepOf(spec, rigs.find(({ name }) => name === spec.dir)?.sleep, sleep)
  return sleepAfterIdle === undefined ? spec : { ...spec, sleepAfterIdle }
}

function check({ spec, at }: Found, found: readonly Found[], { rigs, providers }: Surroundings): void {
  if (!AGENT_NAME.test(spec.name)) {
    at.wrong('name', `"${spec.name}" must begin with a letter or digit and go on with those, "-" or "_"`)
  }
  if (spec.dir !== undefined && !rigs.some(({ name }) => name === spec.dir)) {
    const names = rigs.map(({ name }) => name)
    at.wrong('dir', `there is no rig "${spec.dir}"; ${suggestion(spec.dir, names) || 'add it, or take dir out'}`)
  }
  if (spec.scope === 'rig' && !spec.dir) at.wrong('scope', 'an agent of scope rig needs dir, the rig it works in')
  if (spec.provider && !providers.has(spec.provider) && !BUILTINS.has(spec.provider)) {
    const hint = suggestion(spec.provider, [...providers.keys(), ...BUILTINS.keys()])
    const way = hint || `declare it as [providers.${spec.provider}] in city.toml`
    at.warn('provider', `"${spec.provider}" is neither declared nor built in; ${way}`)
  }
  if (!spec.provider && !spec.startCommand) at.warn('provider', 'it has neither a provider nor a start_command')
  checkDependencies({ spec, at }, found)
}

function checkDependencies({ spec, at }: Found, found: readonly Found[]): void {
  const agents = found.map((one) => one.spec)
  const names = agents.map(({ qualified }) => qualified)
  for (const name of spec.dependsOn) {
    if (findDependency(spec, name, agents)) continue
    at.wrong('depends_on', withHint(`there is no agent "${name}"`, suggestion(name, names)))
  }
  if (reaches(spec, spec, agents)) at.wrong('depends_on', `agent "${spec.qualified}" depends on itself`)
}

/** The agent that one depends on: by its qualified name, or by its name in the same rig. */
export function findDependency(
  spec: AgentConfig,
  name: string,
  agents: readonly AgentConfig[],
): AgentConfig | undefined {
  const sibling = agents.find((other) => other.dir === spec.dir && other.name === name)
  return sibling ?? agents.find((other) => other.qualified === name)
}

function reaches(
  from: AgentConfig,
  goal: AgentConfig,
  agents: readonly AgentConfig[],
  seen = new Set<AgentConfig>(),
): boolean {
  for (const name of from.dependsOn) {
    const next = findDependency(from, name, agents)
    if (next === goal) return true
    if (!next || seen.has(next)) continue
    seen.add(next)
    if (reaches(next, goal, agents, seen)) return true
  }
  return false
}
