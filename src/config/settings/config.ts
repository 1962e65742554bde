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
