export { DAEMON, type DaemonConfig, type DaemonFields, resolveDaemon } from './daemon.ts'
export {
  DEFAULT_ROUTE,
  type DefaultRouteConfig,
  type DefaultRouteFields,
  resolveDefaultRoutes,
} from './default-routes.ts'
export { MCP_SERVER, type McpServerConfig, type McpServerFields, resolveMcpServers } from './mcp-servers.ts'
export {
  MONITOR_PATCH,
  type MonitorPatchFields,
  PULL_REQUEST_MONITOR,
  type PullRequestMonitorConfig,
  type PullRequestMonitorFields,
  patchMonitor,
  type RepairConfig,
  resolveMonitors,
} from './monitors.ts'
export {
  EVENT_ROTATION,
  type EventArchiveConfig,
  type EventRotationFields,
  MAIL,
  type MailConfig,
  type MailFields,
  resolveEventArchives,
  resolveMail,
} from './retention.ts'
export { resolveSession, SESSION, type SessionConfig, type SessionFields } from './session.ts'
export {
  CHAT_SESSIONS,
  type ChatSessionsConfig,
  type ChatSessionsFields,
  resolveChatSessions,
  resolveSessionSleep,
  SESSION_SLEEP,
  type SessionSleepConfig,
  type SessionSleepFields,
} from './sleep.ts'
export {
  PRICING,
  type PricingConfig,
  type PricingFields,
  resolvePricing,
  resolveUsage,
  USAGE,
  type UsageConfig,
  type UsageFields,
  withoutPrices,
} from './usage.ts'
export { resolveWorkspace, toLimit, WORKSPACE, type WorkspaceConfig, type WorkspaceFields } from './workspace.ts'
