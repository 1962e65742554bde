import {
  boolean,
  CITY_NAME,
  type Declaration,
  duration,
  durationOrOff,
  type FieldReader,
  identifier,
  integer,
  number,
  oneOf,
  PREFIX,
  requiredString,
  sessionBackend,
  string,
  stringMap,
  strings,
  timeZone,
  type ValuesOf,
} from '../declare/index.ts'

/** `[workspace]`. */
export const WORKSPACE = {
  name: identifier('name', CITY_NAME, '".", "-" or "_"'),
  prefix: identifier('prefix', PREFIX, '"-" or "_"'),
  provider: string('provider'),
  startCommand: string('start_command'),
  timezone: timeZone('timezone'),
  suspendedOnStart: boolean('suspended_on_start'),
  /** The old name of suspended_on_start. */
  suspended: boolean('suspended'),
  maxActive: integer('max_active_sessions', { min: -1 }),
  sessionTemplate: string('session_template'),
  env: stringMap('env'),
  globalFragments: strings('global_fragments'),
  installAgentHooks: strings('install_agent_hooks'),
  /** Packs that the city imports in the older way, without a name. */
  includes: strings('includes'),
  /** Includes of a newly added rig, in the older style. */
  defaultRigIncludes: strings('default_rig_includes'),
}
export type WorkspaceFields = ValuesOf<typeof WORKSPACE>

/** `[daemon]`: how sessions are kept running. */
export const DAEMON = {
  patrolInterval: duration('patrol_interval'),
  maxRestarts: integer('max_restarts', { min: 0 }),
  restartWindow: duration('restart_window'),
  shutdownTimeout: duration('shutdown_timeout'),
  driftDrainTimeout: duration('drift_drain_timeout'),
  wispTtl: duration('wisp_ttl'),
  wispGcInterval: duration('wisp_gc_interval'),
  probeConcurrency: integer('probe_concurrency', { min: 1 }),
  maxWakesPerTick: integer('max_wakes_per_tick', { min: 1 }),
  graphs: boolean('formula_v2'),
}
export type DaemonFields = ValuesOf<typeof DAEMON>

/** `[session]`: how a session is started and spoken to. */
export const SESSION = {
  provider: sessionBackend('provider'),
  setupTimeout: duration('setup_timeout'),
  worktreeLimit: integer('worktree_limit', { min: 1 }),
  snapshotMaxBytes: integer('snapshot_max', { min: 1 }),
  snapshotInterval: duration('snapshot_interval'),
  startupTimeout: duration('startup_timeout'),
}
export type SessionFields = ValuesOf<typeof SESSION>

/** `[session_sleep]` of the city or of a rig: how long idle sessions stay up. */
export const SESSION_SLEEP = {
  resume: durationOrOff('interactive_resume'),
  fresh: durationOrOff('interactive_fresh'),
  noninteractive: durationOrOff('noninteractive'),
}
export type SessionSleepFields = ValuesOf<typeof SESSION_SLEEP>

/** `[chat_sessions]`: the same for sessions that people start themselves. */
export const CHAT_SESSIONS = { idleTimeout: durationOrOff('idle_timeout'), gracePeriod: duration('grace_period') }
export type ChatSessionsFields = ValuesOf<typeof CHAT_SESSIONS>

/** `[mail]`. */
export const MAIL = { retentionTtl: duration('retention_ttl') }
export type MailFields = ValuesOf<typeof MAIL>

/** `[events.rotation]`: which archives of events are kept. */
export const EVENT_ROTATION = {
  age: duration('archive_retain_age'),
  bytes: integer('archive_retain_bytes', { min: 0 }),
}
export type EventRotationFields = ValuesOf<typeof EVENT_ROTATION>

/** `[usage]`: where usage is recorded. */
export const USAGE = { provider: string('provider') }
export type UsageFields = ValuesOf<typeof USAGE>

/** A price is in `[pricing.tier]`, or in the block itself when it has no tier. */
const price = (token: string): FieldReader<number> => {
  const { key, read } = number(`${token}_usd_per_1m`)
  return { key, read: (section) => read(section.has('tier') ? section.child('tier') : section) }
}

/** `[[pricing]]`: what a model costs. */
export const PRICING = {
  provider: string('provider'),
  model: string('model'),
  input: price('prompt'),
  output: price('completion'),
  cacheRead: price('cache_read'),
  cacheWrite: price('cache_creation'),
}
export type PricingFields = ValuesOf<typeof PRICING>

/** `[[extmsg.default_route]]`: which agent answers conversations of a messenger that are bound to no one. */
export const DEFAULT_ROUTE = {
  provider: requiredString('provider'),
  accountId: string('account_id'),
  agent: requiredString('agent'),
}
export type DefaultRouteFields = ValuesOf<typeof DEFAULT_ROUTE>

/** `[mcp_servers.<name>]`: a server of tools for agents that are spoken to by protocol. */
export const MCP_SERVER = {
  agents: strings('agents'),
  command: string('command'),
  args: strings('args'),
  env: stringMap('env'),
  url: string('url'),
  type: oneOf('type', ['http', 'sse']),
  headers: stringMap('headers'),
}
export type McpServerFields = ValuesOf<typeof MCP_SERVER>

/** The branches that are watched; `base` names one. */
const baseBranches: FieldReader<string[]> = {
  key: 'base_branches',
  read(section) {
    const base = section.string('base')
    return section.strings('base_branches') ?? (base === undefined ? undefined : [base])
  },
}

/** `[[github.pr_monitor]]`: a repository whose pull requests are watched. */
export const PULL_REQUEST_MONITOR = {
  name: requiredString('name'),
  owner: requiredString('owner'),
  repo: requiredString('repo'),
  baseBranches,
  rig: string('rig'),
  /** A duration, judged when it is resolved. */
  pollInterval: string('poll_interval'),
  baseUrl: string('base_url'),
  tokenEnv: string('token_env'),
  authors: strings('authors'),
  notify: strings('notify'),
  repairRoute: string('repair_route'),
  repairWorkflow: string('repair_workflow'),
}
export type PullRequestMonitorFields = ValuesOf<typeof PULL_REQUEST_MONITOR>

/** The prices of models that the others do not give. */
export function withoutPrices(
  prices: readonly Declaration<PricingFields>[],
  hiding: readonly Declaration<PricingFields>[],
): readonly Declaration<PricingFields>[] {
  const keyOf = ({ values }: Declaration<PricingFields>) => `${values.provider ?? ''}/${values.model ?? ''}`
  const keys = new Set(hiding.map(keyOf))
  return prices.filter((price) => !keys.has(keyOf(price)))
}
