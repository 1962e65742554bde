import type {
  AgentDefaults,
  DaemonConfig,
  EventArchiveConfig,
  MailConfig,
  SessionConfig,
  WorkspaceConfig,
} from '../city-config.ts'
import { CITY_NAME, PREFIX } from '../names.ts'
import type { Reader } from './section-reader.ts'

/** A cap on sessions: -1 and absent both mean none. */
export const capOf = (declared: number | undefined): number | undefined =>
  declared === undefined || declared < 0 ? undefined : declared

export function readWorkspace(at: Reader): WorkspaceConfig {
  const declaredName = at.text('name')
  if (declaredName !== undefined && !CITY_NAME.test(declaredName)) {
    at.wrong('name', `"${declaredName}" must begin with a letter or digit and go on with those, ".", "-" or "_"`)
  }
  const declaredPrefix = at.text('prefix')
  if (declaredPrefix !== undefined && !PREFIX.test(declaredPrefix)) {
    at.wrong('prefix', `"${declaredPrefix}" must begin with a letter or digit and go on with those, "-" or "_"`)
  }
  const declaredMaxActive = at.whole('max_active_sessions', -1)
  const suspended = at.flag('suspended')
  at.keep('includes', 'default_rig_includes')
  const spec: WorkspaceConfig = {
    declaredName,
    declaredPrefix,
    provider: at.text('provider'),
    startCommand: at.text('start_command'),
    timezone: timezone(at),
    suspendedOnStart: at.flag('suspended_on_start') ?? suspended ?? false,
    maxActive: capOf(declaredMaxActive),
    declaredMaxActive,
    sessionTemplate: at.text('session_template'),
    installAgentHooks: at.texts('install_agent_hooks') ?? [],
    globalFragments: at.texts('global_fragments') ?? [],
    env: at.map('env') ?? {},
  }
  at.end()
  return spec
}

function timezone(at: Reader): string | undefined {
  const zone = at.text('timezone')
  if (zone === undefined) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    at.wrong('timezone', `"${zone}" is not a time zone such as Europe/Paris or UTC`)
    return undefined
  }
}

export function readAgentDefaults(at: Reader): AgentDefaults {
  at.keep('model', 'wake_mode', 'allow_overlay', 'allow_env_override', 'skills', 'mcp')
  const spec: AgentDefaults = {
    provider: at.text('provider'),
    upstream: at.text('upstream'),
    defaultSlingFormula: at.text('default_sling_formula'),
    appendFragments: at.texts('append_fragments') ?? [],
  }
  at.end()
  return spec
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

export function readDaemon(at: Reader): DaemonConfig {
  const breaker = [...at.table.entries.keys()].filter((key) => key.startsWith('session_circuit_breaker'))
  at.keep('wisp_gc_interval', 'wisp_ttl', 'nudge_dispatcher', 'tick_debounce', 'auto_prune_worker_dir', ...breaker)
  const spec: DaemonConfig = {
    patrolInterval: at.span('patrol_interval') ?? 30 * SECOND,
    maxRestarts: at.whole('max_restarts', 0) ?? 5,
    restartWindow: at.span('restart_window') ?? 60 * MINUTE,
    shutdownTimeout: at.span('shutdown_timeout') ?? 5 * SECOND,
    driftDrainTimeout: at.span('drift_drain_timeout') ?? 2 * MINUTE,
    startReadyTimeout: at.span('start_ready_timeout') ?? 5 * MINUTE,
    probeConcurrency: at.whole('probe_concurrency', 1) ?? 8,
    maxWakesPerTick: at.whole('max_wakes_per_tick', 1) ?? 5,
    formulaV2: at.flag('formula_v2') ?? true,
  }
  at.end()
  return spec
}

export function readSession(at: Reader): SessionConfig {
  at.keep('acp', 'k8s', 'nudge_lock_timeout', 'debounce_ms', 'display_ms', 'socket', 'remote_match')
  const spec: SessionConfig = {
    provider: at.text('provider') ?? '',
    setupTimeout: at.span('setup_timeout') ?? 10 * SECOND,
    worktreeLimit: at.whole('worktree_limit', 1) ?? 50,
    startupTimeout: at.span('startup_timeout') ?? MINUTE,
    nudgeReadyTimeout: at.span('nudge_ready_timeout') ?? 10 * SECOND,
    nudgeRetryInterval: at.span('nudge_retry_interval') ?? SECOND / 2,
    nudgePollInterval: at.span('nudge_poll_interval') ?? 2 * SECOND,
  }
  at.end()
  return spec
}

export const readMail = (at: Reader): MailConfig => ({ retentionTtl: at.span('retention_ttl') ?? 30 * DAY })

export function readArchives(at: Reader): EventArchiveConfig {
  const rotation = at.within('rotation')
  return {
    age: rotation.span('archive_retain_age') ?? 365 * DAY,
    bytes: rotation.whole('archive_retain_bytes', 0) ?? 10 * 2 ** 30,
  }
}
