import { type Static, Type } from '@sinclair/typebox'
import { defineEvent, NoPayload, payload } from '../core/events/index.ts'
import { Bead, BeadComment, Message, SessionResponse } from './schema.ts'

const timestamp = Type.String({ format: 'date-time' })
const optionalInteger = Type.Optional(Type.Integer())
const optionalString = Type.Optional(Type.String())
const optionalBoolean = Type.Optional(Type.Boolean())

// Beads

const BeadEventPayload = payload('BeadEventPayload', { bead: Bead })
export type BeadEventPayload = Static<typeof BeadEventPayload>

export const BeadCreated = defineEvent('bead.created', BeadEventPayload, 'A bead was created.')
export const BeadUpdated = defineEvent('bead.updated', BeadEventPayload, 'Something about a bead changed.')
export const BeadClosed = defineEvent('bead.closed', BeadEventPayload, 'A bead was closed.')
export const BeadDeleted = defineEvent('bead.deleted', BeadEventPayload, 'A bead was removed for good.')

// Comments

export const BeadCommented = defineEvent(
  'bead.commented',
  payload('BeadCommentedPayload', { comment: BeadComment }),
  'Somebody commented on a bead.',
)

// Convoys

export const ConvoyCreated = defineEvent('convoy.created', NoPayload, 'A convoy was created.')
export const ConvoyClosed = defineEvent('convoy.closed', NoPayload, 'A convoy was closed.')

// Claims

export const BeadClaimRejected = defineEvent(
  'bead.claim_rejected',
  payload('BeadClaimRejectedPayload', {
    bead_id: Type.String(),
    existing_claimant: Type.String(),
    attempted_claimant: Type.String(),
  }),
  'A session tried to claim a bead that another holds.',
)
export const BeadDeadAssigneeReopened = defineEvent(
  'bead.dead_assignee_reopened',
  payload('BeadDeadAssigneeReopenedPayload', {
    bead_id: Type.String(),
    dead_assignee: optionalString,
    routed_to: optionalString,
  }),
  'A bead was reopened because its session is gone, so that another can work on it.',
)
export const BeadClaimDisplaced = defineEvent(
  'bead.claim_displaced',
  payload('BeadClaimDisplacedPayload', {
    bead_id: Type.String(),
    session_id: Type.String(),
    displaced: Type.String({ description: 'Person who held it.' }),
  }),
  'A bead was closed or taken away while a session held it, by somebody else.',
)

// Mail

const MailEventPayload = payload('MailEventPayload', {
  rig: Type.String({ description: 'The label of the request; may be empty.' }),
  message: Type.Optional(Message),
})
export type MailEventPayload = Static<typeof MailEventPayload>

export const MailSent = defineEvent('mail.sent', MailEventPayload, 'A message was sent.')
export const MailReplied = defineEvent('mail.replied', MailEventPayload, 'A reply was sent.')
export const MailRead = defineEvent('mail.read', MailEventPayload, 'A message was read.')
export const MailMarkedRead = defineEvent('mail.marked_read', MailEventPayload, 'A message was marked as read.')
export const MailMarkedUnread = defineEvent('mail.marked_unread', MailEventPayload, 'A message was marked as unread.')
export const MailArchived = defineEvent('mail.archived', MailEventPayload, 'A message was archived.')
export const MailDeleted = defineEvent('mail.deleted', MailEventPayload, 'A message was deleted.')

// Sessions

export const SessionLifecyclePayload = payload('SessionLifecyclePayload', {
  session_id: Type.String(),
  template: optionalString,
  reason: optionalString,
})

export const SessionWoke = defineEvent('session.woke', NoPayload, 'A session’s program was started.')
export const SessionStopped = defineEvent(
  'session.stopped',
  SessionLifecyclePayload,
  'A session’s program was stopped, or exited without an error.',
)
export const SessionCrashed = defineEvent(
  'session.crashed',
  SessionLifecyclePayload,
  'A session’s program ended unexpectedly.',
)
export const SessionDraining = defineEvent(
  'session.draining',
  NoPayload,
  'A session takes no new work and ends when it is done.',
)
export const SessionUndrained = defineEvent('session.undrained', NoPayload, 'The drain of a session was canceled.')
export const SessionUpdated = defineEvent(
  'session.updated',
  NoPayload,
  'Changes of `session_live` were applied to a running session.',
)
export const SessionQuarantined = defineEvent(
  'session.quarantined',
  NoPayload,
  'A session failed so often that it is not started for a while.',
)
export const SessionSuspended = defineEvent(
  'session.suspended',
  NoPayload,
  'A session is not started until someone wakes it.',
)
export const SessionLent = defineEvent(
  'session.lent',
  NoPayload,
  'A token was issued for an external program to work as a session.',
)
export const SessionIdleKilled = defineEvent(
  'session.idle_killed',
  NoPayload,
  'A session was idle too long and is restarted.',
)
export const SessionMaxAgeKilled = defineEvent(
  'session.max_age_killed',
  NoPayload,
  'A session ran for too long and is restarted.',
)
export const SessionStranded = defineEvent(
  'session.stranded',
  payload('SessionStrandedPayload', {
    session_id: Type.String(),
    session_name: optionalString,
    template: optionalString,
    work_bead_ids: Type.Optional(Type.Array(Type.String())),
  }),
  'A session left work that waits for a decision of a person.',
)
export const SessionDrainAckedWithWork = defineEvent(
  'session.drain_acked_with_assigned_work',
  payload('SessionDrainAckedWithAssignedWorkPayload', {
    session_id: Type.String(),
    bead_id: Type.String(),
    template: optionalString,
    bead_status: optionalString,
    reason: optionalString,
  }),
  'A session reported that it is done while it still had work.',
)

export const SessionCreateSucceeded = defineEvent(
  'request.result.session.create',
  payload('SessionCreateSucceededPayload', { request_id: Type.String(), session: SessionResponse }),
  'A requested session is running.',
)
export const SessionMessageSucceeded = defineEvent(
  'request.result.session.message',
  payload('SessionMessageSucceededPayload', { request_id: Type.String(), session_id: Type.String() }),
  'A message was delivered to its session.',
)
export const SessionSubmitSucceeded = defineEvent(
  'request.result.session.submit',
  payload('SessionSubmitSucceededPayload', {
    request_id: Type.String(),
    session_id: Type.String(),
    queued: Type.Boolean({ description: 'True if it waits for the current turn to end.' }),
    intent: Type.String({ description: '`default`, `follow_up` or `interrupt_now`.' }),
  }),
  'A submitted message was delivered to its session, or queued.',
)

export const WorkerOperation = defineEvent(
  'worker.operation',
  payload('WorkerOperationEventPayload', {
    op_id: Type.String(),
    operation: Type.String({ description: 'Such as `start`, `stop`, `kill`, `message` or `interrupt`.' }),
    result: Type.String({ description: '`succeeded` or `failed`.' }),
    started_at: timestamp,
    finished_at: timestamp,
    duration_ms: Type.Integer(),
    session_id: optionalString,
    session_name: optionalString,
    provider: optionalString,
    transport: optionalString,
    template: optionalString,
    queued: optionalBoolean,
    delivered: optionalBoolean,
    error: optionalString,
    model: optionalString,
    agent_name: optionalString,
    prompt_version: optionalString,
    prompt_sha: optionalString,
    bead_id: optionalString,
    prompt_tokens: optionalInteger,
    completion_tokens: optionalInteger,
    cache_read_tokens: optionalInteger,
    cache_creation_tokens: optionalInteger,
    latency_ms: optionalInteger,
    cost_usd_estimate: Type.Optional(Type.Number()),
    run_id: optionalString,
    unpriced: optionalBoolean,
  }),
  'The result of an operation on a session’s program.',
)
