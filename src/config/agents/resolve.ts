import { basename, dirname, join, resolve } from 'node:path'
import { BUILTINS } from '../../programs/presets.ts'
import {
  AGENT_NAME,
  type ConfineMode,
  type Declaration,
  localName,
  locationOf,
  modeOf,
  qualify,
} from '../declare/index.ts'
import { Diagnostics, type FileSnapshot, formatDiagnostic, suggestion, withHint } from '../files/index.ts'
import type { PackContext } from '../packs/index.ts'
import type { FragmentFolders, PromptTemplate } from '../prompts/index.ts'
import type { ProviderConfig } from '../providers/index.ts'
import { type SessionSleepConfig, toLimit, type WorkspaceConfig } from '../settings/index.ts'
import { AGENT_VALUES, type AgentBrings, type AgentConfig, type AgentFields } from './agent.ts'
import { AgentIndex } from './dependencies.ts'

/** Every agent of the city, in the order in which they are declared. */
export function resolveAgents(declarations: readonly Declaration<AgentFields>[], scope: AgentScope): AgentConfig[] {
  const { diagnostics } = scope
  const rigs = new Map(scope.rigs.map((rig) => [rig.name, rig]))
  const resolved = new Map<string, ResolvedAgent>()
  for (const declaration of declarations) {
    const { name } = declaration.values
    if (name === undefined) continue
    const agent = ownDiagnostics(declaration, scope, (own) => resolveAgent(declaration, name, rigs, own))
    const { qualified } = agent.config
    const duplicate = resolved.get(qualified)?.config.block
    if (!duplicate) resolved.set(qualified, agent)
    else {
      const message = `agent "${qualified}" is declared at ${duplicate.file}:${duplicate.line} already`
      diagnostics.error(locationOf(declaration, 'name'), message)
    }
  }
  const index = new AgentIndex([...resolved.values()].map(({ config }) => config))
  return [...resolved.values()].map((agent) => judge(agent, index, scope))
}

/** Errors of a pack's agent keep that agent from starting, not the city from changing. */
function judge(agent: ResolvedAgent, index: AgentIndex, scope: AgentScope): AgentConfig {
  const { config } = ownDiagnostics(agent.declaration, scope, (own) => {
    checkAgent(agent, own)
    checkDependencies(agent, index, own.diagnostics)
    return agent.config
  })
  return config.broken === agent.config.broken ? agent.config : config
}

/** Resolves with diagnostics of its own what a pack declares: its errors are warnings, and the agent is broken. */
function ownDiagnostics(
  declaration: Declaration<AgentFields>,
  scope: AgentScope,
  resolve: (scope: AgentScope) => AgentConfig,
): ResolvedAgent {
  if (!declaration.block.pack) return { declaration, config: resolve(scope) }
  const diagnostics = new Diagnostics()
  const config = resolve({ ...scope, diagnostics })
  const errors = diagnostics.list('error')
  for (const each of diagnostics.list('warning', 'lint')) scope.diagnostics[each.severity](each, each.message)
  for (const each of errors) {
    scope.diagnostics.warning(each, `${each.message}; the agent does not start until this is fixed`)
  }
  const broken = config.broken ?? (errors[0] && formatDiagnostic(errors[0]))
  return { declaration, config: broken === undefined ? config : { ...config, broken } }
}

function resolveAgent(
  declaration: Declaration<AgentFields>,
  name: string,
  rigs: ReadonlyMap<string, AgentRig>,
  scope: AgentScope,
): AgentConfig {
  const { values, block, origins, binding, broken } = declaration
  const { sleepAfterIdle, maxActive, namepool, promptFile, startCommand, confine, ...others } = values
  const { injectFragments: _, appendFragments: __, overlayDir: ___, installAgentHooks: ____, ...rest } = others
  const rig = values.dir === undefined ? undefined : rigs.get(values.dir)
  const agent = {
    ...AGENT_VALUES,
    ...rest,
    ...{ name, qualified: qualify(values.dir, name), localName: localName(name, binding), block, origins },
    ...(binding !== undefined && { binding }),
    ...(startCommand && { startCommand }),
    ...(broken !== undefined && { broken }),
    confine: modeOf(confine, scope.defaultConfine),
    ...(confine && { confineTable: confine }),
    prompt: promptFile === undefined ? undefined : readPrompt(declaration, promptFile, scope),
    configDir: block.pack?.folder ?? scope.files.city.path,
    brings: resolveBrings(declaration, scope),
    maxActive: limitOf(declaration, rig, scope),
    namepool: namepool === undefined ? [] : readNamepool(declaration, namepool, scope),
  } satisfies AgentConfig
  const idle = sleepAfterIdle === undefined ? sleepAfterIdleOf(agent, rig?.sleep, scope.sleep) : sleepAfterIdle
  return { ...agent, sleepAfterIdle: idle ?? undefined }
}

/** Limits nest: an agent never has more sessions than its rig, nor a rig more than the city. */
function limitOf(
  declaration: Declaration<AgentFields>,
  rig: AgentRig | undefined,
  { workspace, diagnostics }: AgentScope,
): number | undefined {
  const own = toLimit(declaration.values.maxActive)
  const limits = [own, rig?.maxActive, workspace.maxActive].filter((limit) => limit !== undefined)
  const limit = limits.length > 0 ? Math.min(...limits) : undefined
  if (own !== undefined && limit !== undefined && limit < own) {
    const message = `${own} is more than its rig or the workspace allows; ${limit} holds`
    diagnostics.warning(locationOf(declaration, 'maxActive'), message)
  }
  return limit
}

/** Files that an agent's packs bring into its folders. */
function resolveBrings(declaration: Declaration<AgentFields>, scope: AgentScope): AgentBrings {
  const { dir, overlayDir, installAgentHooks } = declaration.values
  const { path } = scope.files.city
  const own = agentFolder(declaration, path)
  const packs = scope.packsAround.rig(dir)
  const inOwn = (name: string) => (own === undefined ? [] : [join(own, name)])
  return {
    overlays: [...packs.overlays, ...(overlayDir === undefined ? inOwn('overlay') : [resolve(path, overlayDir)])],
    hooks: [...new Set([...scope.workspace.installAgentHooks, ...(installAgentHooks ?? [])])],
    skills: [...inOwn('skills').map((folder) => ({ folder, prefix: '' })), ...packs.skills],
    mcp: [...packs.mcp, ...inOwn('mcp')],
  }
}

/** The folder that declares an agent, if it has one of its own. */
function agentFolder({ block }: Declaration<AgentFields>, city: string): string | undefined {
  return basename(block.file) === 'agent.toml' ? dirname(resolve(city, block.file)) : undefined
}

/** An agent's prompt, with all that it can call and what is put behind it; without its file it is empty. */
function readPrompt(
  declaration: Declaration<AgentFields>,
  file: string,
  { files, diagnostics, fragments, workspace, packsAround }: AgentScope,
): PromptTemplate {
  const text = files.city.text(file)
  const { injectFragments = [], appendFragments = [], dir } = declaration.values
  const around = packsAround.rig(dir).folders
  const own = declaration.block.pack?.folder
  if (text === undefined) {
    diagnostics.warning(locationOf(declaration, 'promptFile'), `there is no file ${file}, so the prompt is empty`)
  }
  return {
    file,
    text: text ?? '',
    fragments: fragments.around(file, own === undefined || around.includes(own) ? around : [...around, own]),
    append: [...new Set([...workspace.globalFragments, ...injectFragments, ...appendFragments])],
  }
}

/** The names that a pool gives to its sessions: as listed, or the lines of a file. */
function readNamepool(
  declaration: Declaration<AgentFields>,
  declared: NonNullable<Partial<AgentFields>['namepool']>,
  { files, diagnostics }: AgentScope,
): readonly string[] {
  if (!('file' in declared)) return declared
  const text = files.city.text(declared.file)
  if (text === undefined) diagnostics.error(locationOf(declaration, 'namepool'), `there is no file ${declared.file}`)
  const lines = (text ?? '').split(/\r?\n/).map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}

/** Judges an agent automatically and against the rigs and providers of its city. */
function checkAgent(agent: ResolvedAgent, scope: AgentScope): void {
  checkName(agent, scope.diagnostics)
  checkRig(agent, scope)
  checkProvider(agent, scope)
  checkPool(agent, scope.diagnostics)
  checkWorktree(agent, scope.diagnostics)
  scope.checkConfinement(agent.config, scope.diagnostics)
}

type AgentField = keyof AgentFields

const errorAt = ({ declaration }: ResolvedAgent, diagnostics: Diagnostics, name: AgentField, message: string): void =>
  diagnostics.error(locationOf(declaration, name), message)

const warnAt = ({ declaration }: ResolvedAgent, diagnostics: Diagnostics, name: AgentField, message: string): void =>
  diagnostics.warning(locationOf(declaration, name), message)

function checkName(agent: ResolvedAgent, diagnostics: Diagnostics): void {
  const { localName } = agent.config
  if (AGENT_NAME.test(localName)) return
  const message = `"${localName}" must start with a letter or digit and contain only letters, digits, "-" or "_"`
  errorAt(agent, diagnostics, 'name', message)
}

function checkRig(agent: ResolvedAgent, { rigs, isPack, diagnostics }: AgentScope): void {
  const { dir, scope } = agent.config
  const names = rigs.map(({ name }) => name)
  if (dir !== undefined && !names.includes(dir)) {
    const hint = suggestion(dir, names) || 'add it, or take dir out'
    errorAt(agent, diagnostics, 'dir', `there is no rig "${dir}"; ${hint}`)
  }
  if (scope === 'rig' && !dir && !isPack) {
    errorAt(agent, diagnostics, 'scope', 'an agent of scope rig needs dir, the rig it works in')
  }
}

function checkProvider(agent: ResolvedAgent, { providers, diagnostics }: AgentScope): void {
  const { provider, startCommand, promptMode, promptFlag } = agent.config
  if (provider && !providers.has(provider) && !BUILTINS.has(provider)) {
    const hint = suggestion(provider, [...providers.keys(), ...BUILTINS.keys()])
    const remedy = hint || `declare it as [providers.${provider}] in city.toml`
    warnAt(agent, diagnostics, 'provider', `"${provider}" is neither declared nor built in; ${remedy}`)
  }
  if (!provider && !startCommand) {
    warnAt(agent, diagnostics, 'provider', 'it has neither a provider nor a start_command')
  }
  if (promptMode === 'flag' && !promptFlag) {
    errorAt(agent, diagnostics, 'promptFlag', 'is required when prompt_mode is "flag"')
  }
}

function checkPool(agent: ResolvedAgent, diagnostics: Diagnostics): void {
  const { minActive, namepool } = agent.config
  const limit = toLimit(agent.declaration.values.maxActive)
  if (limit !== undefined && minActive > limit) {
    errorAt(agent, diagnostics, 'minActive', `${minActive} is more than max_active_sessions, ${limit}`)
  }
  if (namepool.length > 0 && limit === undefined) {
    warnAt(agent, diagnostics, 'namepool', 'names are given out only when max_active_sessions is set')
  }
}

/** A worktree is one of the repository that the agent's rig is. */
function checkWorktree(agent: ResolvedAgent, diagnostics: Diagnostics): void {
  const { worktree, dir, workDir } = agent.config
  if (!worktree) return
  if (!dir) errorAt(agent, diagnostics, 'worktree', 'needs dir, the rig whose repository it is a worktree of')
  if (workDir !== undefined) {
    errorAt(agent, diagnostics, 'worktree', 'and work_dir cannot both say where it works')
  }
}

/** Every agent that another depends on exists, and none depends on itself. */
function checkDependencies(agent: ResolvedAgent, index: AgentIndex, diagnostics: Diagnostics): void {
  const { config } = agent
  for (const name of config.dependsOn) {
    if (index.dependency(config, name)) continue
    errorAt(agent, diagnostics, 'dependsOn', withHint(`there is no agent "${name}"`, suggestion(name, index.names)))
  }
  if (config.dependsOn.length > 0 && index.isCyclic(config)) {
    errorAt(agent, diagnostics, 'dependsOn', `agent "${config.qualified}" depends on itself`)
  }
}

/** Rest of the configuration against which agents are resolved. */
interface AgentScope {
  readonly files: FileSnapshot
  readonly diagnostics: Diagnostics
  /** Sandbox of agents that declare none. */
  readonly defaultConfine: ConfineMode
  readonly workspace: WorkspaceConfig
  readonly rigs: readonly AgentRig[]
  readonly providers: ReadonlyMap<string, ProviderConfig>
  readonly sleep: SessionSleepConfig
  readonly fragments: FragmentFolders
  readonly packsAround: PackContext
  /** True if the city has a pack.toml. */
  readonly isPack: boolean
  /** Reports what an agent's sandbox must not hold, or only the city may allow. */
  checkConfinement(agent: AgentConfig, diagnostics: Diagnostics): void
}

/** A rig, as far as its agents obey it. */
interface AgentRig {
  readonly name: string
  readonly maxActive: number | undefined
  readonly sleep: SessionSleepConfig
}

interface ResolvedAgent {
  readonly config: AgentConfig
  readonly declaration: Declaration<AgentFields>
}

/** Time the idle sessions of an agent stay up that declares nothing itself: as its rig says, else its city. */
function sleepAfterIdleOf(
  { attach, wakeMode }: Pick<AgentConfig, 'attach' | 'wakeMode'>,
  rig: SessionSleepConfig | undefined,
  city: SessionSleepConfig,
): number | undefined {
  const kind = attach ? wakeMode : 'noninteractive'
  const ofRig = rig?.[kind]
  return (ofRig === undefined ? city[kind] : ofRig) ?? undefined
}
