import { type Static, Type } from '@sinclair/typebox'
import { WorkflowDepResponse } from '../../work/beads/index.ts'
import { RunStatus } from '../schema.ts'

const closed = { additionalProperties: false } as const

export const RunStepStatus = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('active'),
    Type.Literal('blocked'),
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('skipped'),
    Type.Literal('canceled'),
  ],
  { $id: 'RunStepStatus' },
)
export type RunStepStatus = Static<typeof RunStepStatus>

export const RunScope = Type.Object(
  {
    kind: Type.Optional(Type.String({ description: '`city` or `rig`.' })),
    ref: Type.Optional(Type.String({ description: 'The name of that city or rig.' })),
  },
  { $id: 'RunScope', ...closed },
)

export const RunLastError = Type.Object(
  {
    code: Type.String({ description: 'The outcome of the run: `fail` or `canceled`.' }),
    message: Type.Optional(Type.String({ description: 'First failed step, with the reason.' })),
  },
  { $id: 'RunLastError', ...closed },
)

export const Run = Type.Object(
  {
    run_id: Type.String({ description: 'The id of its root bead.' }),
    title: Type.String(),
    status: RunStatus,
    scope: RunScope,
    formula: Type.Optional(Type.String()),
    target: Type.Optional(Type.String({ description: 'The agent it was started for.' })),
    started_at: Type.Optional(Type.String()),
    updated_at: Type.Optional(Type.String()),
    last_error: Type.Optional(RunLastError),
  },
  { $id: 'Run', ...closed },
)
export type Run = Static<typeof Run>

const count = Type.Integer({ format: 'int64' })
export const RunStatusCounts = Type.Object(
  {
    pending: count,
    active: count,
    waiting: count,
    canceling: count,
    completed: count,
    failed: count,
    canceled: count,
    skipped: count,
  },
  { $id: 'RunStatusCounts', ...closed, description: 'Number of runs by status.' },
)
export type RunStatusCounts = Static<typeof RunStatusCounts>

const partial = {
  partial: Type.Optional(Type.Boolean({ description: 'There are more runs than are listed.' })),
  partial_errors: Type.Optional(Type.Array(Type.String())),
}

export const RunsListOutputBody = Type.Object(
  { runs: Type.Array(Run), status_counts: RunStatusCounts, ...partial },
  { $id: 'RunsListOutputBody', ...closed },
)
export type RunsListOutputBody = Static<typeof RunsListOutputBody>

export const RunsCensusOutputBody = Type.Object(
  { status_counts: RunStatusCounts, ...partial },
  { $id: 'RunsCensusOutputBody', ...closed },
)
export type RunsCensusOutputBody = Static<typeof RunsCensusOutputBody>

/** Ours: runs, page by page. */
export const RunsPage = Type.Object(
  {
    runs: Type.Array(Run),
    total: Type.Integer({ description: 'Number of runs in the whole list.' }),
    status_counts: RunStatusCounts,
    next_cursor: Type.Optional(Type.String({ description: 'Cursor of the next page; absent on the last.' })),
  },
  { $id: 'RunsPage', ...closed },
)
export type RunsPage = Static<typeof RunsPage>

const limit = Type.Optional(
  Type.Integer({ format: 'int64', minimum: 0, description: 'Maximum rows; 0 means 100, the highest value is 500.' }),
)

export const RunsPageQuery = Type.Object({
  show: Type.Optional(
    Type.Union([Type.Literal('all'), Type.Literal('failed'), Type.Literal('ended')], {
      description: 'Filter of runs; default is all.',
    }),
  ),
  limit,
  cursor: Type.Optional(Type.String()),
})
export type RunsPageQuery = Static<typeof RunsPageQuery>

/** Ours: how far runs are. */
export const RunsProgress = Type.Object(
  {
    runs: Type.Record(
      Type.String(),
      Type.Object({
        steps: Type.Integer({ description: 'Steps, including later attempts and steps that gc performs itself.' }),
        done: Type.Integer({ description: 'Steps that are closed.' }),
        vars: Type.Record(Type.String(), Type.String(), { description: 'Initial input.' }),
        failure: Type.Optional(Type.String({ description: 'The first failed step, and why; also if completed.' })),
      }),
      { description: 'By the ids of the runs that were asked for.' },
    ),
  },
  { $id: 'RunsProgress', ...closed },
)
export type RunsProgress = Static<typeof RunsProgress>

export const RunStep = Type.Object(
  {
    id: Type.String({ description: 'The id of its bead.' }),
    title: Type.String(),
    status: RunStepStatus,
    kind: Type.Optional(Type.String({ description: 'The type of its bead.' })),
    assignee: Type.Optional(Type.String()),
  },
  { $id: 'RunStep', ...closed },
)
export type RunStep = Static<typeof RunStep>

export const RunStepsOutputBody = Type.Object(
  { run_id: Type.String(), steps: Type.Array(RunStep) },
  { $id: 'RunStepsOutputBody', ...closed },
)
export type RunStepsOutputBody = Static<typeof RunStepsOutputBody>

export const RunCancelOutputBody = Type.Object(
  {
    run_id: Type.String(),
    status: RunStatus,
    closed: Type.Integer({ format: 'int64', description: 'Number of closed beads, including the root.' }),
  },
  { $id: 'RunCancelOutputBody', ...closed },
)
export type RunCancelOutputBody = Static<typeof RunCancelOutputBody>

/** A bead as a node of a workflow. */
export const WorkflowBeadResponse = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    status: Type.String({
      description: '`pending`, `active`, `completed`, `failed`, `skipped` or `canceled`; else the status of the bead.',
    }),
    kind: Type.String({ description: 'Its `gc.kind`, else its type.' }),
    step_ref: Type.Optional(Type.String({ description: 'The step of the formula it comes from.' })),
    attempt: Type.Optional(Type.Integer({ description: 'The number of this attempt at its step, from 1.' })),
    logical_bead_id: Type.Optional(Type.String({ description: 'The bead that stands for all attempts at its step.' })),
    scope_ref: Type.Optional(Type.String()),
    assignee: Type.Optional(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'WorkflowBeadResponse', additionalProperties: false },
)
export type WorkflowBeadResponse = Static<typeof WorkflowBeadResponse>

export const WorkflowAttemptSummary = Type.Object(
  {
    attempt_count: Type.Integer({ description: 'Number of attempts.' }),
    active_attempt: Type.Integer(),
    max_attempts: Type.Optional(Type.Integer({ description: 'Maximum number; absent without a limit.' })),
  },
  { $id: 'WorkflowAttemptSummary', additionalProperties: false },
)
export type WorkflowAttemptSummary = Static<typeof WorkflowAttemptSummary>

export const WorkflowEventProjection = Type.Object(
  {
    type: Type.String({ description: '`workflow:event`.' }),
    workflow_id: Type.String(),
    root_bead_id: Type.String(),
    root_store_ref: Type.String({ description: 'The city or rig of the root: `city:name` or `rig:name`.' }),
    scope_kind: Type.String({ description: '`city` or `rig`.' }),
    scope_ref: Type.String({ description: 'The name of that city or rig.' }),
    watch_generation: Type.String({ description: 'Always `pending`. Relays of events write their own state.' }),
    event_seq: Type.Integer({ minimum: 0 }),
    workflow_seq: Type.Integer({ minimum: 0, description: 'The same as `event_seq`.' }),
    event_ts: Type.String({ description: 'Time of recording, to the second.' }),
    event_type: Type.String(),
    bead: WorkflowBeadResponse,
    changed_fields: Type.Array(Type.String(), { description: 'Changed parts: `status`, `metadata` or `snapshot`.' }),
    logical_node_id: Type.String({ description: 'The node of the workflow that the event is about.' }),
    attempt_summary: Type.Optional(WorkflowAttemptSummary),
    requires_resync: Type.Optional(
      Type.Boolean({ description: 'Read the whole workflow again: anything may differ.' }),
    ),
  },
  {
    $id: 'WorkflowEventProjection',
    additionalProperties: false,
    description: 'Effect of an event on the workflow of its bead; only on streams.',
  },
)
export type WorkflowEventProjection = Static<typeof WorkflowEventProjection>

/** The reference has nothing in these. */
export const LogicalNode = Type.Object({}, { $id: 'LogicalNode', ...closed })
export const ScopeGroup = Type.Object({}, { $id: 'ScopeGroup', ...closed })

const sequence = { format: 'int64', minimum: 0 } as const

export const WorkflowSnapshotResponse = Type.Object(
  {
    workflow_id: Type.String(),
    root_bead_id: Type.String(),
    root_store_ref: Type.String({ description: 'The city or rig of the root: `city:name` or `rig:name`.' }),
    resolved_root_store: Type.String({ description: 'The same as `root_store_ref`.' }),
    scope_kind: Type.String({ description: '`city` or `rig`.' }),
    scope_ref: Type.String({ description: 'The name of that city or rig.' }),
    beads: Type.Array(WorkflowBeadResponse),
    deps: Type.Array(WorkflowDepResponse),
    logical_nodes: Type.Array(LogicalNode, { description: 'Always empty.' }),
    logical_edges: Type.Array(WorkflowDepResponse, { description: 'Always empty.' }),
    scope_groups: Type.Array(ScopeGroup, { description: 'Always empty.' }),
    partial: Type.Boolean(),
    stores_scanned: Type.Array(Type.String(), { description: 'The city and its rigs.' }),
    snapshot_version: Type.Integer({ ...sequence, description: 'The number of the last event it takes part of.' }),
    snapshot_event_seq: Type.Optional(Type.Integer({ ...sequence, description: 'The same as `snapshot_version`.' })),
  },
  { $id: 'WorkflowSnapshotResponse', ...closed },
)
export type WorkflowSnapshotResponse = Static<typeof WorkflowSnapshotResponse>

export const WorkflowDeleteResponse = Type.Object(
  {
    workflow_id: Type.String(),
    closed: Type.Integer({ format: 'int64', description: 'Number of closed beads.' }),
    deleted: Type.Integer({ format: 'int64', description: 'Number of removed beads.' }),
    partial: Type.Optional(Type.Boolean()),
    partial_errors: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'WorkflowDeleteResponse', ...closed },
)
export type WorkflowDeleteResponse = Static<typeof WorkflowDeleteResponse>

const scope = {
  scope_kind: Type.Optional(Type.String({ description: '`city` or `rig`; with `scope_ref`.' })),
  scope_ref: Type.Optional(Type.String({ description: 'The name of that city or rig.' })),
}
export const ScopeQuery = Type.Object(scope)
export type ScopeQuery = Static<typeof ScopeQuery>

export const WorkflowDeleteQuery = Type.Object({
  ...scope,
  delete: Type.Optional(Type.Boolean({ description: 'True if its beads are removed as well.' })),
})
export type WorkflowDeleteQuery = Static<typeof WorkflowDeleteQuery>

export const RunsQuery = Type.Object({ limit })
