import { type Clock, toTimestamp } from '../../core/clock.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { BUILTINS } from '../../programs/presets.ts'
import type { AgentConfig } from '../agents/index.ts'
import type { CityConfig, CityDeclarations, PatchDeclarations } from '../city/index.ts'
import type { Config } from '../compose/index.ts'
import { isInline, prefixOf } from '../declare/index.ts'
import { type ProviderConfig, resolveProvider } from '../providers/index.ts'
import type { Suspensions } from '../suspensions/index.ts'
import type {
  ConfigAgent,
  ConfigExplained,
  ConfigPatches,
  ConfigProvider,
  ConfigReload,
  ConfigReloaded,
  ConfigResponse,
  ConfigValidated,
} from './schema.ts'

/** The running sessions, as started from declarations. */
export interface DeclaredSessions {
  /** Makes a change through which those that run stay as they are; returns what it returns. */
  keepThrough(change: () => boolean, caller: Caller): Promise<boolean>
}

export interface ConfigViewsOptions {
  readonly config: Pick<
    Config,
    'current' | 'composition' | 'problem' | 'validate' | 'lastCheck' | 'apply' | 'recorded' | 'onChange'
  >
  readonly suspensions: Pick<Suspensions, 'isCitySuspended' | 'isRigSuspended' | 'isAgentSuspended'>
  readonly clock: Clock
  readonly url: () => string
  readonly sessions: DeclaredSessions
}

/** Shows the configuration: active, by default, with its origins, and what is wrong with it. */
export class ConfigViews {
  readonly #config: ConfigViewsOptions['config']
  readonly #suspensions: ConfigViewsOptions['suspensions']
  /**
   * Since when the configuration is active, and which files took effect then: none when the city was opened with it.
   */
  #inForce: { readonly since: number; readonly files: readonly string[] }

  constructor(private readonly options: ConfigViewsOptions) {
    const { config, suspensions, clock } = options
    this.#config = config
    this.#suspensions = suspensions
    this.#inForce = { since: clock.now(), files: [] }
    config.onChange(({ files }) => {
      this.#inForce = { since: clock.now(), files }
    })
  }

  /** The configuration active. */
  show(): ConfigResponse {
    const { current } = this.#config
    const { workspace } = current
    const { patches } = this.#config.composition.declarations
    return {
      workspace: {
        name: current.name,
        prefix: current.prefix,
        ...(workspace.declaredName !== undefined && { declared_name: workspace.declaredName }),
        ...(workspace.declaredPrefix !== undefined && { declared_prefix: workspace.declaredPrefix }),
        ...(workspace.provider !== undefined && { provider: workspace.provider }),
        suspended: this.#suspensions.isCitySuspended(current),
        ...(workspace.sessionTemplate !== undefined && { session_template: workspace.sessionTemplate }),
        ...(workspace.declaredMaxActive !== undefined && { max_active_sessions: workspace.declaredMaxActive }),
      },
      agents: current.agents.map((agent) => this.#agent(current, agent)),
      rigs: current.rigs.map((rig) => {
        const { name, path, prefix } = rig
        return { name, path: path ?? '', prefix, suspended: this.#suspensions.isRigSuspended(current, rig) }
      }),
      providers: mapValues(current.providers, (_, name) => resolved(name, current)),
      ...patchCounts(patches),
      effective_api_url: this.options.url(),
    }
  }

  /** Defaults of a city without declarations. */
  defaults(): ConfigResponse {
    const { name } = this.#config.current
    return {
      workspace: { name, prefix: prefixOf(name), suspended: false },
      agents: [],
      rigs: [],
      providers: mapValues(BUILTINS, toProvider),
    }
  }

  /** Origin of each agent and provider, with the number of applied patches. */
  explain(): ConfigExplained {
    const { config, declarations } = this.#config.composition
    return {
      agents: config.agents.map((agent) => ({ ...this.#agent(config, agent), origin: agentOrigin(agent) })),
      providers: mapValues(new Map([...declarations.presets, ...declarations.providers]), (_, name) => ({
        ...resolved(name, config),
        origin: providerOrigin(name, declarations),
      })),
      patches: countPatches(declarations.patches),
    }
  }

  /** Puts the files active now instead of when they are seen to change. */
  async reload(caller: Caller, { soft = false }: ConfigReload = {}): Promise<ConfigReloaded> {
    const apply = () => this.#config.apply(actorOf(caller))
    const changed = soft ? await this.options.sessions.keepThrough(apply, caller) : apply()
    await this.#config.recorded()
    const { errors, warnings } = this.#config.lastCheck
    const { since, files } = this.#inForce
    return {
      outcome: this.#config.problem === undefined ? (changed ? 'applied' : 'no_change') : 'invalid',
      ...{ errors, warnings, in_force_since: toTimestamp(since), files: [...files] },
    }
  }

  /** The errors and warnings about the files on disk, whether or not they are active. */
  validate(): ConfigValidated {
    return this.#config.validate()
  }

  #agent(current: CityConfig, agent: AgentConfig): ConfigAgent {
    return {
      name: agent.name,
      ...(agent.dir !== undefined && { dir: agent.dir }),
      ...(agent.provider !== undefined && { provider: agent.provider }),
      ...(agent.maxActive !== 1 && { is_pool: true }),
      ...(agent.scope !== undefined && { scope: agent.scope }),
      suspended: this.#suspensions.isAgentSuspended(current, agent),
    }
  }
}

/** True if city.toml declares an agent. */
const agentOrigin = ({ block }: AgentConfig): string => (isInline(block) ? 'inline' : 'pack-derived')

function providerOrigin(name: string, { presets, providers }: CityDeclarations): string {
  const declared = providers.get(name)
  if (!declared) return 'builtin'
  return presets.has(name) ? 'builtin+city' : 'city'
}

const countPatches = ({ agents, rigs, providers }: PatchDeclarations) => ({
  agents: agents.length,
  rigs: rigs.length,
  providers: providers.length,
})

/** Number of patches that are active; nothing when there are none. */
function patchCounts(patches: PatchDeclarations): { patches?: ConfigPatches } {
  const { agents, rigs, providers } = countPatches(patches)
  if (agents + rigs + providers === 0) return {}
  return { patches: { agent_count: agents, rig_count: rigs, provider_count: providers } }
}

const mapValues = <From, To>(
  map: ReadonlyMap<string, From>,
  to: (value: From, name: string) => To,
): Record<string, To> => Object.fromEntries([...map].map(([name, value]) => [name, to(value, name)]))

const resolved = (name: string, { providers }: CityConfig): ConfigProvider =>
  toProvider(resolveProvider(name, providers))

const toProvider = (spec: ProviderConfig): ConfigProvider => ({
  ...(spec.displayName !== undefined && { display_name: spec.displayName }),
  ...(spec.command !== undefined && { command: spec.command }),
  ...(spec.args !== undefined && spec.args.length > 0 && { args: spec.args }),
  ...(spec.acpCommand !== undefined && { acp_command: spec.acpCommand }),
  ...(spec.acpArgs !== undefined && { acp_args: spec.acpArgs }),
  ...(spec.promptMode !== undefined && { prompt_mode: spec.promptMode }),
  ...(spec.promptFlag !== undefined && { prompt_flag: spec.promptFlag }),
  ...(spec.readyDelayMs !== undefined && { ready_delay_ms: spec.readyDelayMs }),
  ...(spec.env !== undefined && Object.keys(spec.env).length > 0 && { env: spec.env }),
})
