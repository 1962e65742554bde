import { homedir } from 'node:os'
import { agentProfile } from '../confinement/agent-profile.ts'
import { describeWithheld, placesOf } from '../confinement/judge.ts'
import type { AgentFields } from '../declare/agent.ts'
import { locationOf } from '../declare/declaration.ts'
import { AGENT_NAME } from '../declare/names.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { suggestion, withHint } from '../diagnostics/suggestion.ts'
import { BUILTINS } from '../providers/presets.ts'
import type { AgentScope, ResolvedAgent } from './agent-scope.ts'
import type { AgentIndex } from './dependencies.ts'
import { toLimit } from './settings.ts'

/** Judges an agent by itself and against the rigs and providers of its city. */
export function checkAgent(agent: ResolvedAgent, scope: AgentScope): void {
  checkName(agent, scope.diagnostics)
  checkRig(agent, scope)
  checkProvider(agent, scope)
  checkPool(agent, scope.diagnostics)
  checkWorktree(agent, scope.diagnostics)
  checkConfinement(agent, scope)
}

type AgentField = keyof AgentFields

const errorAt = ({ declaration }: ResolvedAgent, diagnostics: Diagnostics, name: AgentField, message: string): void =>
  diagnostics.error(locationOf(declaration, name), message)

const warnAt = ({ declaration }: ResolvedAgent, diagnostics: Diagnostics, name: AgentField, message: string): void =>
  diagnostics.warning(locationOf(declaration, name), message)

function checkName(agent: ResolvedAgent, diagnostics: Diagnostics): void {
  const { localName } = agent.config
  if (AGENT_NAME.test(localName)) return
  const message = `"${localName}" must begin with a letter or digit and go on with those, "-" or "_"`
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

/** A profile keeps what is promised of confined sessions; what only the city can allow is said. */
function checkConfinement({ config }: ResolvedAgent, { rigs, providers, files, diagnostics }: AgentScope): void {
  const profile = agentProfile(config, { rigs, providers })
  const around = { home: homedir(), city: files.city.path, rigs, rig: config.dir }
  for (const refused of placesOf(profile, around).refused) {
    const { file, line, value } = refused.grant
    const message = `"${value}" would void confinement: ${refused.reason}`
    diagnostics.error({ file, line, key: `confine ${refused.access}` }, message)
  }
  for (const withheld of profile.withheld) {
    const { file, line, key } = withheld
    diagnostics.warning({ file, line, key: `confine ${key}` }, describeWithheld(withheld, config.qualified))
  }
}

/** Every agent that another depends on exists, and none depends on itself. */
export function checkDependencies(agent: ResolvedAgent, index: AgentIndex, diagnostics: Diagnostics): void {
  const { config } = agent
  for (const name of config.dependsOn) {
    if (index.dependency(config, name)) continue
    errorAt(agent, diagnostics, 'dependsOn', withHint(`there is no agent "${name}"`, suggestion(name, index.names)))
  }
  if (config.dependsOn.length > 0 && index.isCyclic(config)) {
    errorAt(agent, diagnostics, 'dependsOn', `agent "${config.qualified}" depends on itself`)
  }
}
