export {
  around,
  type FirstRun,
  pairsOf,
  pick,
  readJson,
  readToml,
  trustedNow,
  type UserHome,
  withoutEmpty,
} from './first-run.ts'
export { bearer, googleKey, type KeyedApi } from './keyed-api.ts'
export type { OptionChoice, ProviderOption } from './preset.ts'
export { type Check, type CommandResult, configured, type Inspector, needsAuth, type ProbeResult } from './probe.ts'
export type { McpConnection, NamedTable, ProjectPart, Settings, SharedFile } from './project.ts'
