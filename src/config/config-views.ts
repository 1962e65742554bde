import type { AgentConfig, CityConfig } from './city-config.ts'
import type { Config } from './config.ts'
import { prefixOf } from './names.ts'
import { BUILTINS } from './providers/presets.ts'
import type { ProviderConfig } from './providers/provider.ts'
import { resolveProvider } from './providers/resolve.ts'
import type { ConfigAgent, ConfigExplained, ConfigProvider, ConfigResponse, ConfigValidated } from './schema.ts'
import type { Suspensions } from './suspensions/suspensions.ts'

/** Shows what is declared: as it is in force, as it would be by default, where it comes from, what is wrong with it. */
export class ConfigViews {
  constructor(
    private readonly config: Config,
    private readonly suspensions: Suspensions,
    private readonly url: () => string,
  ) {}

  /** The configuration in force. */
  show(): ConfigResponse {
    const { current } = this.config
    const { workspace } = current
    return {
      workspace: {
        name: current.name,
        prefix: current.prefix,
        ...(workspace.declaredName !== undefined && { declared_name: workspace.declaredName }),
        ...(workspace.declaredPrefix !== undefined && { declared_prefix: workspace.declaredPrefix }),
        ...(workspace.provider !== undefined && { provider: workspace.provider }),
        suspended: this.suspensions.isCitySuspended(current),
        ...(workspace.sessionTemplate !== undefined && { session_template: workspace.sessionTemplate }),
        ...(workspace.declaredMaxActive !== undefined && { max_active_sessions: workspace.declaredMaxActive }),
      },
      agents: current.agents.map((agent) => this.#agent(current, agent)),
      rigs: current.rigs.map((rig) => {
        const { name, path, prefix } = rig
        return { name, path, prefix, suspended: this.suspensions.isRigSuspended(current, rig) }
      }),
      providers: mapValues(current.providers, (_, name) => resolved(name, current)),
      effective_api_url: this.url(),
    }
  }

  /** What a city has that declares nothing. */
  defaults(): ConfigResponse {
    const { name } = this.config.current
    return {
      workspace: { name, prefix: prefixOf(name), suspended: false },
      agents: [],
      rigs: [],
      providers: mapValues(BUILTINS, toProvider),
    }
  }

  /** Where each agent and provider comes from. */
  explain(): ConfigExplained {
    const { current } = this.config
    const origin = (name: string) =>
      current.providers.has(name) ? (BUILTINS.has(name) ? 'builtin+city' : 'city') : 'builtin'
    return {
      agents: current.agents.map((agent) => ({ ...this.#agent(current, agent), origin: 'inline' })),
      providers: mapValues(new Map([...BUILTINS, ...current.providers]), (_, name) => ({
        ...resolved(name, current),
        origin: origin(name),
      })),
      patches: { agents: 0, rigs: 0, providers: 0 },
    }
  }

  /** What is wrong with the files on disk, whether or not they are in force. */
  validate(): ConfigValidated {
    return this.config.validate()
  }

  #agent(current: CityConfig, agent: AgentConfig): ConfigAgent {
    return {
      name: agent.name,
      ...(agent.dir !== undefined && { dir: agent.dir }),
      ...(agent.provider !== undefined && { provider: agent.provider }),
      ...(agent.maxActive !== 1 && { is_pool: true }),
      ...(agent.scope !== undefined && { scope: agent.scope }),
      suspended: this.suspensions.isAgentSuspended(current, agent),
    }
  }
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
  ...(spec.args !== undefined && { args: spec.args }),
  ...(spec.acpCommand !== undefined && { acp_command: spec.acpCommand }),
  ...(spec.acpArgs !== undefined && { acp_args: spec.acpArgs }),
  ...(spec.promptMode !== undefined && { prompt_mode: spec.promptMode }),
  ...(spec.promptFlag !== undefined && { prompt_flag: spec.promptFlag }),
  ...(spec.readyDelayMs !== undefined && { ready_delay_ms: spec.readyDelayMs }),
  ...(spec.env !== undefined && { env: spec.env }),
})
