import type { PromptMode, ProviderConfig } from './providers/provider.ts'
import type { TomlNode } from './toml/toml.ts'

/** A city as its files declare it, defaults filled in. Lengths of time are milliseconds, paths are absolute. */
export interface CityConfig {
  readonly name: string
  /** What the ids of the city's own beads begin with. */
  readonly prefix: string
  readonly path: string
  readonly workspace: WorkspaceConfig
  /** The providers that city.toml declares; `resolveProvider` merges their bases in. */
  readonly providers: ReadonlyMap<string, ProviderConfig>
  readonly rigs: readonly RigConfig[]
  readonly agents: readonly AgentConfig[]
  readonly namedSessions: readonly NamedSessionConfig[]
  readonly mcpServers: readonly McpServerConfig[]
  readonly agentDefaults: AgentDefaults
  readonly chat: ChatSessionsConfig
  readonly daemon: DaemonConfig
  readonly session: SessionConfig
  readonly mail: MailConfig
  readonly events: EventArchiveConfig
  /** Every top-level section of city.toml as it was written, with the lines it came from. */
  readonly sections: ReadonlyMap<string, TomlNode>
  readonly warnings: readonly string[]
}

/** `[workspace]`. */
export interface WorkspaceConfig {
  readonly declaredName?: string
  readonly declaredPrefix?: string
  /** The provider of agents that name none. */
  readonly provider?: string
  /** The command of agents that have neither a command nor a provider. */
  readonly startCommand?: string
  readonly timezone?: string
  readonly suspendedOnStart: boolean
  /** Most sessions of the whole city; undefined for no limit. */
  readonly maxActive: number | undefined
  /** What the file says: absent for nothing, -1 for explicitly unlimited. */
  readonly declaredMaxActive?: number
  readonly sessionTemplate?: string
  readonly installAgentHooks: readonly string[]
  readonly globalFragments: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** `[[rigs]]`: a folder that agents work on. */
export interface RigConfig {
  readonly name: string
  readonly path: string
  /** What the ids of its beads begin with: declared, else derived from its name. */
  readonly prefix: string
  readonly declaredPrefix?: string
  readonly defaultBranch?: string
  readonly suspendedOnStart: boolean
  readonly maxActive: number | undefined
  readonly sleep: SessionSleepConfig
  readonly formulasDir?: string
  readonly formulaVars: Readonly<Record<string, string>>
  /** Where work for this rig goes when nobody says; one of them at random. */
  readonly slingTargets: readonly string[]
  /** The block as it was written. */
  readonly raw: TomlNode
}

/** An agent: what runs, where, with what prompt, and how many of it. */
export interface AgentConfig {
  readonly name: string
  /** The rig it belongs to; absent for an agent of the city. */
  readonly dir?: string
  /** `rig/name`, or `name` alone. Unique in the city. */
  readonly qualified: string
  /** `folder`: `agents/<folder>/agent.toml`, ours to write. `inline`: an `[[agent]]` block of city.toml. */
  readonly origin: 'folder' | 'inline'
  /** The file that declares it, relative to the city. */
  readonly file: string
  readonly description?: string
  readonly scope?: 'city' | 'rig'
  /** Its own, else that of agent_defaults or the workspace; absent when a command stands instead. */
  readonly provider?: string
  readonly startCommand?: string
  readonly args: readonly string[]
  /** Its own variables; those of the workspace and then of its provider lie under them. */
  readonly env: Readonly<Record<string, string>>
  readonly optionDefaults: Readonly<Record<string, string>>
  readonly upstream?: string
  /** Where it works, as written: relative to the city, and it may hold `{{…}}`. */
  readonly workDir?: string
  /** Whether each of its sessions works in a git worktree of its own. */
  readonly worktree: boolean
  /** The text of its prompt template. */
  readonly prompt?: string
  /** How the prompt is given; absent to leave it to the provider. */
  readonly promptMode?: PromptMode
  readonly promptFlag?: string
  /** `acp` or `tmux` when it insists on a transport. */
  readonly session?: string
  readonly lifecycle?: 'one_shot'
  readonly minActive: number
  /** Most sessions of it, capped by its rig and the workspace; undefined for no limit. */
  readonly maxActive: number | undefined
  readonly namepool: readonly string[]
  readonly suspended: boolean
  /** What its sessions may do beyond their own work: `respond`, `budgets`, `tokens`. */
  readonly may: readonly string[]
  readonly scaleCheck?: string
  readonly workQuery?: string
  readonly slingQuery?: string
  readonly defaultSlingFormula?: string
  readonly dependsOn: readonly string[]
  readonly wakeMode: 'resume' | 'fresh'
  readonly attach: boolean
  readonly nudge?: string
  readonly resumeCommand?: string
  readonly sessionAlias?: string
  readonly onBoot?: string
  readonly onDeath?: string
  readonly preStart: readonly string[]
  readonly sessionSetup: readonly string[]
  readonly sessionSetupScript?: string
  readonly sessionLive: readonly string[]
  readonly overlayDir?: string
  readonly installAgentHooks: readonly string[]
  readonly injectFragments: readonly string[]
  readonly appendFragments: readonly string[]
  readonly injectAssignedSkills: boolean
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
  readonly scope?: 'city' | 'rig'
  readonly mode: 'on_demand' | 'always'
}

/** How a server of tools is reached: a command that the agent runs, or an address. */
export type McpConnection =
  | { name: string; command: string; args: string[]; env: Record<string, string> }
  | { name: string; type: 'http' | 'sse'; url: string; headers: Record<string, string> }

/** `[mcp_servers.<name>]`: a server of tools. */
export interface McpServerConfig {
  readonly name: string
  /** The agents that have it, by their qualified names; absent for all. */
  readonly agents?: readonly string[]
  readonly connection: McpConnection
}

/** `[session_sleep]`: how long idle sessions stay up; null for always, absent to leave it to whoever is asked next. */
export interface SessionSleepConfig {
  readonly resume: number | null | undefined
  readonly fresh: number | null | undefined
  readonly noninteractive: number | null | undefined
}

/** `[chat_sessions]`: the same for sessions that people start themselves, which stay up a while whatever happens. */
export interface ChatSessionsConfig {
  readonly idleTimeout: number | undefined
  readonly gracePeriod: number
}

/** `[agent_defaults]`: what agents have that do not say otherwise. */
export interface AgentDefaults {
  readonly provider?: string
  readonly upstream?: string
  readonly defaultSlingFormula?: string
  readonly appendFragments: readonly string[]
}

/** `[daemon]`: how sessions are kept running. */
export interface DaemonConfig {
  readonly patrolInterval: number
  /** Crashes within `restartWindow` after which an agent is quarantined; 0 for never. */
  readonly maxRestarts: number
  readonly restartWindow: number
  readonly shutdownTimeout: number
  readonly driftDrainTimeout: number
  readonly startReadyTimeout: number
  readonly probeConcurrency: number
  readonly maxWakesPerTick: number
  readonly formulaV2: boolean
}

/** `[session]`: how a session is started and spoken to. */
export interface SessionConfig {
  readonly provider: string
  readonly setupTimeout: number
  /** Most worktrees of the city at once. */
  readonly worktreeLimit: number
  readonly startupTimeout: number
  readonly nudgeReadyTimeout: number
  readonly nudgeRetryInterval: number
  readonly nudgePollInterval: number
}

/** `[mail]`. */
export interface MailConfig {
  /** How long a message stays after it was read, and again after it was archived; 0 for ever. */
  readonly retentionTtl: number
}

/** `[events.rotation]`: which archives of events are kept. */
export interface EventArchiveConfig {
  /** 0 for ever. */
  readonly age: number
  /** The most disk they take together; 0 for no limit. */
  readonly bytes: number
}
