export { changeBlock, cutBlocks, type EditBase, type KeyChanges, requireEditable, textOf } from './blocks.ts'
export {
  type AgentConfineFields,
  agentConfine,
  CONFINE,
  CONFINE_MODES,
  type ConfineFields,
  type ConfineMode,
  confineTable,
  modeOf,
  type ShareFields,
  type UnknownHosts,
} from './confine.ts'
export {
  type Declaration,
  declareFields,
  locationOf,
  mergeFields,
  mergeValues,
  originOf,
  table,
  tables,
  withValue,
} from './declaration.ts'
export {
  boolean,
  duration,
  durationOrOff,
  type FieldReader,
  type FieldSet,
  findBackendProblem,
  identifier,
  integer,
  number,
  oneOf,
  removableString,
  requiredString,
  sessionBackend,
  string,
  stringMap,
  strings,
  timeZone,
  type ValuesOf,
  written,
} from './fields.ts'
export { AGENT_NAME, CITY_NAME, localName, PREFIX, prefixOf, qualify, RIG_NAME } from './names.ts'
export { openFile } from './open-file.ts'
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
export { type FileContext, SectionReader } from './section-reader.ts'
export { blocksOf, requireFormulaFolder, tablesOf } from './sections.ts'
