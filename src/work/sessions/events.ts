import { Type } from '@sinclair/typebox'
import { defineEvent, NoPayload } from '../../core/events/index.ts'
import { SessionResponse } from './schema.ts'

const closed = { additionalProperties: false } as const

export const SessionLifecyclePayload = Type.Object(
  { session_id: Type.String(), template: Type.Optional(Type.String()), reason: Type.Optional(Type.String()) },
  { $id: 'SessionLifecyclePayload', ...closed },
)

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
  Type.Object(
    {
      session_id: Type.String(),
      session_name: Type.Optional(Type.String()),
      template: Type.Optional(Type.String()),
      work_bead_ids: Type.Optional(Type.Array(Type.String())),
    },
    { $id: 'SessionStrandedPayload', ...closed },
  ),
  'A session left work that waits for a decision of a person.',
)
export const SessionDrainAckedWithWork = defineEvent(
  'session.drain_acked_with_assigned_work',
  Type.Object(
    {
      session_id: Type.String(),
      bead_id: Type.String(),
      template: Type.Optional(Type.String()),
      bead_status: Type.Optional(Type.String()),
      reason: Type.Optional(Type.String()),
    },
    { $id: 'SessionDrainAckedWithAssignedWorkPayload', ...closed },
  ),
  'A session reported that it is done while it still had work.',
)

export const SessionCreateSucceeded = defineEvent(
  'request.result.session.create',
  Type.Object(
    { request_id: Type.String(), session: SessionResponse },
    { $id: 'SessionCreateSucceededPayload', ...closed },
  ),
  'A requested session is running.',
)
export const SessionMessageSucceeded = defineEvent(
  'request.result.session.message',
  Type.Object(
    { request_id: Type.String(), session_id: Type.String() },
    { $id: 'SessionMessageSucceededPayload', ...closed },
  ),
  'A message was delivered to its session.',
)
export const SessionSubmitSucceeded = defineEvent(
  'request.result.session.submit',
  Type.Object(
    {
      request_id: Type.String(),
      session_id: Type.String(),
      queued: Type.Boolean({ description: 'True if it waits for the current turn to end.' }),
      intent: Type.String({ description: '`default`, `follow_up` or `interrupt_now`.' }),
    },
    { $id: 'SessionSubmitSucceededPayload', ...closed },
  ),
  'A submitted message was delivered to its session, or queued.',
)

const timestamp = Type.String({ format: 'date-time' })
const optionalInteger = Type.Optional(Type.Integer())
const optionalString = Type.Optional(Type.String())
const optionalBoolean = Type.Optional(Type.Boolean())

export const WorkerOperation = defineEvent(
  'worker.operation',
  Type.Object(
    {
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
    },
    { $id: 'WorkerOperationEventPayload', ...closed },
  ),
  'The result of an operation on a session’s program.',
)
