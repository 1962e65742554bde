import { type Static, Type } from '@sinclair/typebox'

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
    attempt_count: Type.Integer({ description: 'How many attempts there were.' }),
    active_attempt: Type.Integer(),
    max_attempts: Type.Optional(Type.Integer({ description: 'How many there may be; absent without a limit.' })),
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
    watch_generation: Type.String({ description: 'Always `pending`; whoever relays events writes its own.' }),
    event_seq: Type.Integer({ minimum: 0 }),
    workflow_seq: Type.Integer({ minimum: 0, description: 'The same as `event_seq`.' }),
    event_ts: Type.String({ description: 'When it was recorded, to the second.' }),
    event_type: Type.String(),
    bead: WorkflowBeadResponse,
    changed_fields: Type.Array(Type.String(), { description: 'Which of `status`, `metadata` and `snapshot` changed.' }),
    logical_node_id: Type.String({ description: 'The node of the workflow that the event is about.' }),
    attempt_summary: Type.Optional(WorkflowAttemptSummary),
    requires_resync: Type.Optional(
      Type.Boolean({ description: 'Read the whole workflow again: anything may differ.' }),
    ),
  },
  {
    $id: 'WorkflowEventProjection',
    additionalProperties: false,
    description: 'What an event means for the workflow that its bead belongs to; on streams only.',
  },
)
export type WorkflowEventProjection = Static<typeof WorkflowEventProjection>
