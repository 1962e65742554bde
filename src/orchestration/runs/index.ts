export { RunStatus } from '../schema.ts'
export { QUARANTINED_LABEL, RunAttention } from './attention.ts'
export { cancelSlice } from './cancel.ts'
export { RunControls } from './controls.ts'
export { runCounterChecks } from './counter-checks.ts'
export {
  type DrainRow,
  drainMetadata,
  type Manifest,
  manifestOf,
  newManifest,
  nextRow,
  withRow,
  withSucceeded,
} from './drain-manifest.ts'
export { failureOf } from './failure.ts'
export { FormulaRuns, toFeedItem } from './formula-runs.ts'
export { RunHolds } from './holds.ts'
export { RunMembers } from './members.ts'
export { LEFTOVER_REASON, metadataValue } from './node.ts'
export { type PauseOptions, pauseWithParent } from './pause.ts'
export { PROJECTED_TYPES, WorkflowEvents } from './projection.ts'
export { isFinal, type RunDraft, RunRepository, type RunRow } from './repository.ts'
export { RunRestarts } from './restarts.ts'
export { runRoutes } from './routes.ts'
export { Runs } from './runs.ts'
export { type Run, WorkflowEventProjection } from './schema.ts'
export { SessionAffinity } from './session-affinity.ts'
export { RunTimelines, type UsageOfSessions } from './timeline.ts'
export type { RunTimelineStep } from './timeline-schema.ts'
export { type AgentAvailability, RunWaits } from './waits.ts'
export { Workflows } from './workflows.ts'
