export { removeAbandonedFetches } from './abandoned-fetches.ts'
export { BUILTIN_FILES } from './builtin/files.ts'
export { openPackFolders } from './builtin-folders.ts'
export { BUILTIN_PACKS, builtinSource, WORKER_PROMPT } from './builtin-packs.ts'
export { pruneCheckouts } from './checkouts.ts'
export { type PackConfig, resolvePacks, type SkillFolder } from './config.ts'
export { PackContext } from './context.ts'
export {
  CITY_CREDENTIALS,
  type CredentialRule,
  GLOBAL_CREDENTIALS,
  normalizeMatch,
  POINTERS,
  readRules,
  renderRules,
  requireSecret,
} from './credentials.ts'
export { isCitys } from './edit-imports.ts'
export { PACK_CREDENTIAL_REQUIRED } from './errors.ts'
export {
  type ImportedPack,
  type ImportFields,
  type Imports,
  INLINE_CHECK,
  INLINE_COMMAND,
  type InlineScripts,
  importsOf,
  PACK,
  PACK_GLOBAL,
  PACK_REQUIREMENT,
  type PackGlobalFields,
  type PackRequirementFields,
} from './fields.ts'
export {
  findImportIssues,
  flatten,
  type ImportIssue,
  type ImportState,
  type ImportTree,
  readImportStates,
  readImportTree,
} from './import-states.ts'
export { type DeclaredImport, findRigOffset, type ImportOwner, importKey, readCityImports } from './imports.ts'
export { isUnpacked, whyUnread } from './includes.ts'
export {
  checkoutsFolder,
  displayPath,
  type ImportingFolder,
  type LocateContext,
  locatePack,
  PACK_FILE,
  type PackFolders,
} from './locate.ts'
export { LOCK_FILE, LockError, type PackLock, parseLock, readLock } from './lock.ts'
export { PackManager, type PackManagerOptions } from './pack-manager.ts'
export { findPackChecks, findPackCommands, type PackCheck, type PackCommand } from './pack-scripts.ts'
export { listPrograms, type StartingProgram } from './programs.ts'
export { compareVersions, parseConstraint, parseVersion, type Version } from './version.ts'
export { writeImports } from './write-imports.ts'
