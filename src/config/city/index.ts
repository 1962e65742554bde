export {
  type AgentBrings,
  type AgentConfig,
  agentNamed,
  type ChatSessionsConfig,
  type CityConfig,
  type DaemonConfig,
  type DefaultRouteConfig,
  type EventArchiveConfig,
  type MailConfig,
  type McpServerConfig,
  type NamedSessionConfig,
  type PackConfig,
  type PricingConfig,
  type RigConfig,
  type SessionConfig,
  type SessionSleepConfig,
  type SkillFolder,
  type UsageConfig,
  type WorkspaceConfig,
} from './city-config.ts'
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
