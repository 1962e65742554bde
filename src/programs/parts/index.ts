export { around, pairsOf, pick, readJson, readToml, trustedNow, withoutEmpty } from './first-run.ts'
export { bearer, googleKey, type KeyedApi } from './keyed-api.ts'
export { type Check, type CommandResult, configured, type Inspector, needsAuth, type ProbeResult } from './probe.ts'
export type { McpConnection, NamedTable, ProjectPart, Settings } from './project.ts'
