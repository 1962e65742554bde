export { ConfigWatcher } from './config-watcher.ts'
export { DeclaredSecrets } from './declared-secrets.ts'
export {
  type Diagnostic,
  Diagnostics,
  formatDiagnostic,
  notInForceError,
  type Severity,
  type SourceLocation,
  toInvalidConfigError,
} from './diagnostics.ts'
export { EditLock, keepsChanging } from './edit-lock.ts'
export { FileCache, type ParsedFile } from './file-cache.ts'
export { AGENTS_FOLDER, CITY_FILE, SITE_FILE } from './file-names.ts'
export { type Drafts, FileSnapshot, RootSnapshot } from './file-snapshot.ts'
export { areUnchanged, type StampedFiles, stampFiles } from './file-stamps.ts'
export { LastGoodWriter, readLastGood } from './last-good-files.ts'
export { suggestion, withHint } from './suggestion.ts'
export { writeDrafts } from './write-files.ts'
