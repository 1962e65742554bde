import type { AgentConfig, NamedSessionConfig } from '../agents/index.ts'
import type { ConfineMode } from '../declare/index.ts'
import type { Orders } from '../orders/index.ts'
import type { PackConfig } from '../packs/index.ts'
import type { ProviderConfig } from '../providers/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import type { ServiceConfig } from '../services/index.ts'
import type {
  ChatSessionsConfig,
  DaemonConfig,
  DefaultRouteConfig,
  EventArchiveConfig,
  MailConfig,
  McpServerConfig,
  PricingConfig,
  PullRequestMonitorConfig,
  SessionConfig,
  UsageConfig,
  WorkspaceConfig,
} from '../settings/index.ts'
import type { WebhookConfig } from '../webhooks/index.ts'

/** A city as its files declare it, with defaults filled in. Durations are milliseconds, paths are absolute. */
export interface CityConfig {
  readonly name: string
  /** Prefix of the ids of the city's own beads. */
  readonly prefix: string
  readonly path: string
  /** Reason nothing new starts: its files are broken, with the configuration before. */
  readonly held?: string
  /** True if sessions need a permission to watch and coordinate each other. */
  readonly strict: boolean
  readonly workspace: WorkspaceConfig
  /** Default sandbox of agents that declare none. */
  readonly defaultConfine: ConfineMode
  /** The providers that city.toml declares; `resolveProvider` merges their bases in. */
  readonly providers: ReadonlyMap<string, ProviderConfig>
  readonly rigs: readonly RigConfig[]
  /** The packs that it is made of: the city's imports, each after what it imports itself, its own, then the rigs'. */
  readonly packs: readonly PackConfig[]
  readonly agents: readonly AgentConfig[]
  readonly namedSessions: readonly NamedSessionConfig[]
  readonly mcpServers: readonly McpServerConfig[]
  readonly services: readonly ServiceConfig[]
  readonly monitors: readonly PullRequestMonitorConfig[]
  readonly defaultRoutes: readonly DefaultRouteConfig[]
  readonly chat: ChatSessionsConfig
  readonly daemon: DaemonConfig
  readonly session: SessionConfig
  readonly mail: MailConfig
  readonly events: EventArchiveConfig
  readonly usage: UsageConfig
  readonly pricing: readonly PricingConfig[]
  readonly webhooks: readonly WebhookConfig[]
  readonly orders: Orders
}

const named = new WeakMap<CityConfig, ReadonlyMap<string, AgentConfig>>()

/** The agent with a qualified name. It costs the same however many there are. */
export function agentNamed(config: CityConfig, qualified: string): AgentConfig | undefined {
  const known = named.get(config)
  if (known) return known.get(qualified)
  const agents = new Map(config.agents.toReversed().map((agent) => [agent.qualified, agent]))
  named.set(config, agents)
  return agents.get(qualified)
}
