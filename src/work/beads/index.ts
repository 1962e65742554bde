export { type BeadHolder, BeadProtection, Beads } from './beads.ts'
export type { BeadChangeEntry, BeadEntry } from './bulk-schema.ts'
export { type EdgeRecord, parseNeed } from './dependencies.ts'
export type { BeadChange, BeadDraft, GraphBead } from './draft.ts'
export { BeadClosed, BeadCreated, BeadUpdated, payloadBeadOf } from './events.ts'
export type { AssigneeResolver, BeadGuard, BeadImporter, CityScope } from './extensions.ts'
export { EdgesAmong } from './graph.ts'
export { BEAD_LIMITS, validateFields, validateTotals } from './limits.ts'
export { BeadReader, SIZE_OF_BEADS } from './reader.ts'
export { isControl, isGating, isRecord, isWorkable } from './readiness.ts'
export { BeadRepository } from './repository.ts'
export type { ImportedBead, KeepRule, RestoreOutcome } from './restorer.ts'
export { beadRoutes } from './routes.ts'
export { toStored } from './row.ts'
export {
  Bead,
  type BeadCreateInputBody,
  type BeadDependencies,
  type BeadFilter,
  type BeadGraphResponse,
  type BeadRelation,
  type BeadUpdateBody,
  type Dep,
  ListBodyBead,
  WorkflowDepResponse,
} from './schema.ts'
export { DEFAULT_PRIORITY } from './values.ts'
