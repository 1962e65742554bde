export type {
  AgentBrings,
  AgentConfig,
  ChatSessionsConfig,
  CityConfig,
  DaemonConfig,
  DefaultRouteConfig,
  EventArchiveConfig,
  MailConfig,
  McpServerConfig,
  NamedSessionConfig,
  PackConfig,
  PricingConfig,
  RigConfig,
  SessionConfig,
  SessionSleepConfig,
  SkillFolder,
  UsageConfig,
  WorkspaceConfig,
} from './city-config.ts'
export { agentNamed } from './city-config.ts'
export type { LandAutoConfig, LandConfig, LandForgeConfig, LandPrConfig } from './land.ts'
export type { PullRequestMonitorConfig, RepairConfig } from './monitor.ts'
export {
  type AbsentOrder,
  type Order,
  type OrderAction,
  type OrderPack,
  type Orders,
  type OrderTrigger,
  scopedNameOf,
} from './order.ts'
export type { ServiceConfig } from './service.ts'
export {
  parsePayloadTemplate,
  type WebhookConfig,
  type WebhookRate,
  type WebhookRuleConfig,
  type WebhookScheme,
  type WebhookVerifyConfig,
} from './webhook.ts'
