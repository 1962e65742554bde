export { Bead, type Dep } from '../schema.ts'
export { type BeadHolder, BeadProtection, Beads } from './beads.ts'
export type { BeadChangeEntry, BeadEntry } from './bulk-schema.ts'
export { beadCounterChecks } from './counter-checks.ts'
export { findAnyCycle } from './cycles.ts'
export {
  cycleError,
  type EdgeFacts,
  type EdgeRecord,
  edgeKey,
  NO_FACTS,
  parseNeed,
  RECORDS,
  withEdge,
} from './dependencies.ts'
export type { BeadChange, BeadDraft, GraphBead } from './draft.ts'
export { eventFactsOf, eventPayloadOf, payloadBeadOf } from './event-facts.ts'
export type { AssigneeResolver, BeadGuard, BeadImporter, CityScope } from './extensions.ts'
export { EdgesAmong } from './graph.ts'
export { BEAD_LIMITS, validateFields, validateTotals } from './limits.ts'
export { BeadReader, SIZE_OF_BEADS, toBead } from './reader.ts'
export { isControl, isGating, isRecord, isWorkable } from './readiness.ts'
export { BeadRepository } from './repository.ts'
export { asPresent, type ImportedBead, type KeepRule, notImportable, type RestoreOutcome } from './restorer.ts'
export { beadRoutes } from './routes.ts'
export { type BeadRow, type BeadValues, ROW_COLUMNS, toStored, VALUE_COLUMNS } from './row.ts'
export {
  type BeadDependencies,
  type BeadFilter,
  type BeadGraphResponse,
  type BeadRelation,
  type BeadUpdateBody,
  ListBodyBead,
  WorkflowDepResponse,
} from './schema.ts'
export { DEFAULT_PRIORITY, DELETED, marksOf, toStatus, valuesOf } from './values.ts'
export { noteNumber, RESERVE } from './writer.ts'
