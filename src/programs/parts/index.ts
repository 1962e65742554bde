export { commandIn, dialog, fetchOf, splitRows } from './dialog.ts'
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
export { anthropicKey, bearer, googleKey, type KeyedApi, type KeyPlace } from './keyed-api.ts'
export {
  choice,
  model,
  npm,
  type OptionChoice,
  type ProviderOption,
  passThrough,
  permissions,
  script,
  select,
} from './preset.ts'
export {
  type Check,
  type CommandResult,
  configured,
  type Inspector,
  invalid,
  needsAuth,
  type ProbeResult,
} from './probe.ts'
export {
  COMPACTION_HOOK,
  commonServer,
  type McpConnection,
  type NamedTable,
  type ProjectPart,
  type Settings,
  type SharedFile,
  serverSettings,
  startHook,
  TURN_HOOKS,
} from './project.ts'
