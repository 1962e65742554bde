import type { AgentConfig, RigConfig } from '../city-config.ts'
import { modeOf } from '../confinement/profile.ts'
import type { AgentFields } from '../declare/agent.ts'
import { localName } from '../declare/apply-patch.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import { qualify } from '../declare/names.ts'
import { Diagnostics, formatDiagnostic } from '../diagnostics/diagnostics.ts'
import { resolveBrings } from './agent-brings.ts'
import { checkAgent, checkDependencies } from './agent-checks.ts'
import { readNamepool, readPrompt } from './agent-files.ts'
import type { AgentScope, ResolvedAgent } from './agent-scope.ts'
import { AgentIndex } from './dependencies.ts'
import { sleepAfterIdleOf } from './session-sleep.ts'
import { toLimit } from './settings.ts'

const MINUTE = 60_000

/** Every agent of the city, in the order in which they are declared. */
export function resolveAgents(declarations: CityDeclarations, scope: AgentScope): AgentConfig[] {
  const { diagnostics } = scope
  const rigs = new Map(scope.rigs.map((rig) => [rig.name, rig]))
  const resolved = new Map<string, ResolvedAgent>()
  for (const declaration of declarations.agents) {
    const { name } = declaration.values
    if (name === undefined) continue
    const agent = ownDiagnostics(declaration, scope, (own) => resolveAgent(declaration, name, rigs, own))
    const { qualified } = agent.config
    const twin = resolved.get(qualified)?.config.block
    if (!twin) resolved.set(qualified, agent)
    else {
      const message = `agent "${qualified}" is declared at ${twin.file}:${twin.line} already`
      diagnostics.error(locationOf(declaration, 'name'), message)
    }
  }
  const index = new AgentIndex([...resolved.values()].map(({ config }) => config))
  return [...resolved.values()].map((agent) => judge(agent, index, scope))
}

/** What is wrong with an agent of a pack keeps that agent from starting, not the city from changing. */
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
    scope.diagnostics.warning(each, `${each.message}; the agent does not start until this is mended`)
  }
  const broken = config.broken ?? (errors[0] && formatDiagnostic(errors[0]))
  return { declaration, config: broken === undefined ? config : { ...config, broken } }
}

function resolveAgent(
  declaration: Declaration<AgentFields>,
  name: string,
  rigs: ReadonlyMap<string, RigConfig>,
  scope: AgentScope,
): AgentConfig {
  const { values, block, origins, binding, broken } = declaration
  const { sleepAfterIdle, maxActive, namepool, promptFile, startCommand, confine, ...others } = values
  const { injectFragments: _, appendFragments: __, overlayDir: ___, installAgentHooks: ____, ...rest } = others
  const rig = values.dir === undefined ? undefined : rigs.get(values.dir)
  const agent = {
    ...rest,
    ...{ name, qualified: qualify(values.dir, name), localName: localName(name, binding), block, origins },
    ...(binding !== undefined && { binding }),
    ...(startCommand && { startCommand }),
    ...(broken !== undefined && { broken }),
    suspended: values.suspended ?? false,
    may: values.may ?? [],
    args: values.args ?? [],
    env: values.env ?? {},
    optionDefaults: values.optionDefaults ?? {},
    worktree: values.worktree ?? false,
    confine: modeOf(confine, scope.defaultConfine),
    ...(confine && { confineTable: confine }),
    prompt: promptFile === undefined ? undefined : readPrompt(declaration, promptFile, scope),
    configDir: block.pack?.folder ?? scope.files.city.path,
    brings: resolveBrings(declaration, scope),
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
