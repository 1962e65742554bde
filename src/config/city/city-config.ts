import type { McpConnection } from '../../programs/parts/index.ts'
import type { PromptMode } from '../../programs/program.ts'
import type {
  AgentConfineFields,
  AgentFields,
  ConfineFields,
  ConfineMode,
  Declaration,
  DeclaredBlock,
  FieldOrigins,
  InlineScripts,
  LandFields,
  ProviderConfig,
  RigFields,
} from '../declare/index.ts'
import type { PromptTemplate } from '../prompts/index.ts'
import type { LandConfig } from './land.ts'
import type { PullRequestMonitorConfig } from './monitor.ts'
import type { Orders } from './order.ts'
import type { ServiceConfig } from './service.ts'
import type { WebhookConfig } from './webhook.ts'

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

/** `[workspace]`. */
export interface WorkspaceConfig {
  readonly declaredName?: string
  readonly declaredPrefix?: string
  /** The provider of agents that name none. */
  readonly provider?: string
  /** The command of agents that have neither a command nor a provider. */
  readonly startCommand?: string
  readonly suspendedOnStart: boolean
  /** The highest number of sessions of the whole city; undefined for no limit. */
  readonly maxActive: number | undefined
  /** Declared maximum: absent if undeclared, -1 for explicitly unlimited. */
  readonly declaredMaxActive?: number
  readonly sessionTemplate?: string
  readonly env: Readonly<Record<string, string>>
  /** The fragments that are put behind every prompt. */
  readonly globalFragments: readonly string[]
  /** The programs whose hooks are installed for every agent. */
  readonly installAgentHooks: readonly string[]
}

/** `[[rigs]]`: a folder that agents work on. */
export interface RigConfig {
  readonly name: string
  /** Undefined when it is not bound to a folder of this machine. */
  readonly path: string | undefined
  /** Prefix of its bead ids: declared, else derived from its name. */
  readonly prefix: string
  readonly declaredPrefix?: string
  readonly defaultBranch?: string
  /** Its own formulas; absolute. */
  readonly formulasDir?: string
  /** Values of variables of the formulas that are run here, unless a launch gives others. */
  readonly formulaVars?: Readonly<Record<string, string>>
  /** The agents that get beads of the rig which are slung without one: any of them. */
  readonly defaultSlingTargets: readonly string[]
  readonly suspendedOnStart: boolean
  readonly maxActive: number | undefined
  readonly sleep: SessionSleepConfig
  readonly confine?: Declaration<ConfineFields>
  /** The landing settings; absent if none are declared. `landTable` is the table as written. */
  readonly land?: LandConfig
  readonly landTable?: Declaration<LandFields>
  readonly block: DeclaredBlock
  readonly origins: FieldOrigins<RigFields>
}

/** A pack that the city, or one of its rigs, is made of. */
export interface PackConfig {
  readonly name: string
  readonly version?: string
  /** Absolute. */
  readonly folder: string
  /** Its name here; absent for an import without a name and for the city's own. */
  readonly binding?: string
  /** The rig that imports it; absent for the city. */
  readonly rig?: string
  /** The commands and checks that its pack.toml names. */
  readonly scripts: InlineScripts
}

/** Files that packs bring into the folders of an agent; the folders need not exist. */
export interface AgentBrings {
  /** Folders whose files are copied; the later ones win. */
  readonly overlays: readonly string[]
  /** The programs whose hooks are installed, beside its own. */
  readonly hooks: readonly string[]
  /** Folders of skills; the first of a name wins. */
  readonly skills: readonly SkillFolder[]
  /** Folders of MCP servers; the later ones win. */
  readonly mcp: readonly string[]
}

/** A folder of skills, and what their names begin with in a project. */
export interface SkillFolder {
  readonly folder: string
  readonly prefix: string
}

/** An agent: what runs, where, with what prompt, and how many of it. */
export interface AgentConfig {
  /** With the binding of its pack, if it has one: `gastown.mayor`. */
  readonly name: string
  /** The same without the binding. */
  readonly localName: string
  /** The name by which the city or its rig imports the pack that it comes from. */
  readonly binding?: string
  /** Reason it cannot start: what is wrong in the pack that it comes from. */
  readonly broken?: string
  /** The rig it belongs to; absent for an agent of the city. */
  readonly dir?: string
  /** `rig/name`, or `name` alone. Unique in the city. */
  readonly qualified: string
  /** The block that declares it. */
  readonly block: DeclaredBlock
  /** Origin of each written field; defaults have none. */
  readonly origins: FieldOrigins<AgentFields>
  readonly description?: string
  readonly scope?: 'city' | 'rig'
  /** Its own, else that of agent_defaults or the workspace; absent when a command stands instead. */
  readonly provider?: string
  readonly startCommand?: string
  readonly args: readonly string[]
  /** Its own variables; those of the workspace and then of its provider lie under them. */
  readonly env: Readonly<Record<string, string>>
  readonly optionDefaults: Readonly<Record<string, string>>
  /** Its folder as written: relative to the city, possibly with `{{…}}`. */
  readonly workDir?: string
  /** True if each of its sessions works in a git worktree of its own. */
  readonly worktree: boolean
  /** Sandbox of its sessions; a pack can only narrow it. `confineTable` is what was written. */
  readonly confine: ConfineMode
  readonly confineTable?: Declaration<AgentConfineFields>
  readonly prompt?: PromptTemplate
  /** The folder of the pack that declares it, or the city's. */
  readonly configDir: string
  readonly brings: AgentBrings
  /** Delivery of the prompt; absent to leave it to the provider. */
  readonly promptMode?: PromptMode
  readonly promptFlag?: string
  /** `acp` or `tmux` when it insists on a transport. */
  readonly session?: string
  readonly lifecycle?: 'one_shot'
  /** `none`: what it does costs nothing, whatever its program reports. */
  readonly cost?: 'none'
  readonly minActive: number
  /** The highest number of its sessions, capped by its rig and the workspace; undefined for no limit. */
  readonly maxActive: number | undefined
  readonly namepool: readonly string[]
  readonly suspended: boolean
  /** Permissions of its sessions beyond working and coordinating, from `needs.ts`. */
  readonly may: readonly string[]
  readonly scaleCheck?: string
  readonly workQuery?: string
  readonly slingQuery?: string
  readonly defaultSlingFormula?: string
  readonly dependsOn: readonly string[]
  readonly wakeMode: 'resume' | 'fresh'
  readonly attach: boolean
  readonly resumeCommand?: string
  readonly onBoot?: string
  readonly onDeath?: string
  readonly preStart: readonly string[]
  readonly sessionSetup: readonly string[]
  readonly sessionSetupScript?: string
  readonly sessionLive: readonly string[]
  readonly drainTimeout: number
  readonly idleTimeout?: number
  readonly sleepAfterIdle?: number
  readonly maxSessionAge?: number
  readonly maxSessionAgeJitter?: number
}

/** `[[named_session]]`: an identity that is kept for one session of an agent. */
export interface NamedSessionConfig {
  readonly name: string
  readonly dir?: string
  readonly qualified: string
  /** The qualified name of the agent it runs. */
  readonly template: string
  readonly mode: 'on_demand' | 'always'
}

/** `[[extmsg.default_route]]`: which agent answers conversations of a messenger that are bound to no one. */
export interface DefaultRouteConfig {
  /** In lower case. */
  readonly provider: string
  /** Absent for every account. */
  readonly accountId?: string
  /** A named session, by its qualified name. */
  readonly agent: string
}

/** `[mcp_servers.<name>]`: a server of tools. */
export interface McpServerConfig {
  readonly name: string
  /** The agents that have it, by their qualified names; absent for all. */
  readonly agents?: readonly string[]
  readonly connection: McpConnection
}

/** `[session_sleep]`: how long idle sessions stay up; null for always, undefined to leave it to the wider scope. */
export interface SessionSleepConfig {
  readonly resume: number | null | undefined
  readonly fresh: number | null | undefined
  readonly noninteractive: number | null | undefined
}

/** `[chat_sessions]`: the same for sessions that people start themselves, which stay up a while in any case. */
export interface ChatSessionsConfig {
  readonly idleTimeout: number | undefined
  readonly gracePeriod: number
}

/** `[daemon]`: how sessions are kept running. */
export interface DaemonConfig {
  readonly patrolInterval: number
  /** Crashes within `restartWindow` after which an agent is quarantined; 0 for never. */
  readonly maxRestarts: number
  readonly restartWindow: number
  readonly shutdownTimeout: number
  readonly driftDrainTimeout: number
  /** Time bookkeeping stays once it is closed, and how often that is looked at; 0 indefinitely. */
  readonly wispTtl: number
  readonly wispGcInterval: number
  readonly probeConcurrency: number
  readonly maxWakesPerTick: number
  /** True if formulas may be graphs: `formula_v2`. */
  readonly graphs: boolean
}

/** `[session]`: how a session is started and spoken to. */
export interface SessionConfig {
  readonly provider: string
  readonly setupTimeout: number
  /** The highest number of worktrees of the city at a time. */
  readonly worktreeLimit: number
  /** The bytes of the largest file that a snapshot of a worktree holds. */
  readonly snapshotMaxBytes: number
  /** The shortest time between two looks at the same worktree. */
  readonly snapshotInterval: number
  /** Maximum time a program may take from its start until it works, unless its provider says otherwise. */
  readonly startupTimeout: number
}

/** `[mail]`. */
export interface MailConfig {
  /** Time a message stays after it was read, and again after it was archived; 0 indefinitely. */
  readonly retentionTtl: number
}

/** `[events.rotation]`: which archives of events are kept. */
export interface EventArchiveConfig {
  /** 0 indefinitely. */
  readonly age: number
  /** The disk space they may take together; 0 for no limit. */
  readonly bytes: number
}

/** `[usage]`. */
export interface UsageConfig {
  /** Destination of usage records: `local`, or elsewhere. */
  readonly provider: string
}

/** `[[pricing]]`: what a million tokens of a model cost, in US dollars. */
export interface PricingConfig {
  /** Absent for every provider. */
  readonly provider?: string
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
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
