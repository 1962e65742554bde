import type { AgentConfig, RigConfig } from '../city-config.ts'
import type { AgentFields } from '../declare/agent.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import { qualify } from '../declare/names.ts'
import { checkAgent, checkDependencies } from './agent-checks.ts'
import { readNamepool, readPrompt } from './agent-files.ts'
import type { AgentScope, ResolvedAgent } from './agent-scope.ts'
import { sleepAfterIdleOf } from './session-sleep.ts'
import { toLimit } from './settings.ts'

const MINUTE = 60_000

/** Every agent of the city, in the order in which they are declared. */
export function resolveAgents(declarations: CityDeclarations, scope: AgentScope): AgentConfig[] {
  const { diagnostics } = scope
  const resolved = new Map<string, ResolvedAgent>()
  for (const declaration of declarations.agents) {
    const { name } = declaration.values
    if (name === undefined) continue
    const agent = { declaration, config: resolveAgent(declaration, name, scope) }
    const { qualified } = agent.config
    const twin = resolved.get(qualified)?.config.block
    if (!twin) resolved.set(qualified, agent)
    else {
      const message = `agent "${qualified}" is declared at ${twin.file}:${twin.line} already`
      diagnostics.error(locationOf(declaration, 'name'), message)
    }
  }
  const agents = [...resolved.values()]
  const configs = agents.map(({ config }) => config)
  for (const agent of agents) {
    checkAgent(agent, scope)
    checkDependencies(agent, configs, diagnostics)
  }
  return configs
}

function resolveAgent(declaration: Declaration<AgentFields>, name: string, scope: AgentScope): AgentConfig {
  const { values, block, origins } = declaration
  const { sleepAfterIdle, maxActive, namepool, promptFile, injectFragments, appendFragments, ...rest } = values
  const rig = scope.rigs.find((candidate) => candidate.name === values.dir)
  const agent = {
    ...rest,
    ...{ name, qualified: qualify(values.dir, name), block, origins },
    suspended: values.suspended ?? false,
    may: values.may ?? [],
    args: values.args ?? [],
    env: values.env ?? {},
    optionDefaults: values.optionDefaults ?? {},
    worktree: values.worktree ?? false,
    prompt: promptFile === undefined ? undefined : readPrompt(declaration, promptFile, scope),
    configDir: scope.files.city.path,
    minActive: values.minActive ?? 0,
    maxActive: limitOf(declaration, rig, scope),
    namepool: namepool === undefined ? [] : readNamepool(declaration, namepool, scope),
    dependsOn: values.dependsOn ?? [],
    wakeMode: values.wakeMode ?? 'resume',
    attach: values.attach ?? true,
    preStart: values.preStart ?? [],
    sessionSetup: values.sessionSetup ?? [],
    sessionLive: values.sessionLive ?? [],
    drainTimeout: values.drainTimeout ?? 5 * MINUTE,
  } satisfies AgentConfig
  const idle = sleepAfterIdle === undefined ? sleepAfterIdleOf(agent, rig?.sleep, scope.sleep) : sleepAfterIdle
  return { ...agent, sleepAfterIdle: idle ?? undefined }
}

/** Limits nest: an agent never has more sessions than its rig, nor a rig more than the city. */
function limitOf(
  declaration: Declaration<AgentFields>,
  rig: RigConfig | undefined,
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
