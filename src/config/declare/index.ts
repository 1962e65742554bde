export { AGENT, type AgentFields } from './agent.ts'
export { chooseAgentFolder, listAgentFolders, PROMPT_NAME, PROMPT_NAMES } from './agent-folder.ts'
export type { BlockDeclarations, CityDeclarations, NamedDeclarations } from './city-declarations.ts'
export type { AgentConfineFields, ConfineFields, ConfineMode, UnknownHosts } from './confine.ts'
export { type Declaration, locationOf } from './declaration.ts'
export { type FieldSet, findBackendProblem } from './fields.ts'
export {
  branchProblem,
  type GeneratedFiles,
  type LandAutoFields,
  type LandFields,
  type LandForgeFields,
  type LandHold,
  type LandMode,
  type LandStrategy,
} from './land.ts'
export type { NamedSessionFields } from './named-session.ts'
export { AGENT_NAME, CITY_NAME, prefixOf, qualify } from './names.ts'
export type { OrderFields, OrderOverrideFields } from './order.ts'
export {
  CITY_LAYER,
  type DeclaredBlock,
  type FieldOrigin,
  type FieldOrigins,
  IMPLICIT_AGENTS,
  isInline,
  type LayerInfo,
  type PackReference,
} from './origin.ts'
export type { ImportedPack, ImportFields, Imports, InlineScripts, PackGlobalFields } from './pack.ts'
export type {
  AgentPatchFields,
  MonitorPatchFields,
  PatchDeclarations,
  ProviderPatchFields,
  RigPatchFields,
} from './patches.ts'
export { PROVIDER } from './provider.ts'
export type { DeclaredProviders, Provider, ProviderConfig } from './provider-config.ts'
export { RIG, type RigFields } from './rig.ts'
export type { SectionReader } from './section-reader.ts'
export type { ServiceFields } from './service.ts'
export type {
  ChatSessionsFields,
  DaemonFields,
  EventRotationFields,
  MailFields,
  McpServerFields,
  PullRequestMonitorFields,
  SessionFields,
  SessionSleepFields,
  UsageFields,
  WorkspaceFields,
} from './settings.ts'
export type { SCHEMES, WebhookFields, WebhookPolicyFields, WebhookRuleFields, WebhookVerifyFields } from './webhook.ts'
