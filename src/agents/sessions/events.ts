import { Type } from '@sinclair/typebox'
import { defineEvent, NoPayload } from '../../core/events/event.ts'
import { SessionResponse } from './schema.ts'

const closed = { additionalProperties: false } as const

const Lifecycle = Type.Object(
  { session_id: Type.String(), template: Type.Optional(Type.String()), reason: Type.Optional(Type.String()) },
  { $id: 'SessionLifecyclePayload', ...closed },
)

export const SessionWoke = defineEvent('session.woke', NoPayload, 'A session’s program was started.')
export const SessionStopped = defineEvent('session.stopped', Lifecycle, 'A session’s program ended as it was meant to.')
export const SessionCrashed = defineEvent(
  'session.crashed',
  Lifecycle,
  'A session’s program ended against anyone’s will.',
)
export const SessionDraining = defineEvent('session.draining', NoPayload, 'A session takes no new work and will end.')
export const SessionUndrained = defineEvent('session.undrained', NoPayload, 'A draining session goes on after all.')
export const SessionUpdated = defineEvent(
  'session.updated',
  NoPayload,
  'What changed in `session_live` was applied to a running session.',
)
export const SessionQuarantined = defineEvent(
  'session.quarantined',
  NoPayload,
  'A session failed so often that it is left alone for a while.',
)
export const SessionSuspended = defineEvent('session.suspended', NoPayload, 'A session is held until someone wakes it.')
export const SessionLent = defineEvent(
  'session.lent',
  NoPayload,
  'A program from elsewhere was let to work as a session.',
)
export const SessionIdleKilled = defineEvent(
  'session.idle_killed',
  NoPayload,
  'A session was idle too long and starts anew.',
)
export const SessionMaxAgeKilled = defineEvent(
  'session.max_age_killed',
  NoPayload,
  'A session grew too old and starts anew.',
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
  'A session left work that nobody goes on with until a person says how.',
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
  'A session said that it is done while it still had work.',
)

export const SessionCreateSucceeded = defineEvent(
  'request.result.session.create',
  Type.Object(
    { request_id: Type.String(), session: SessionResponse },
    { $id: 'SessionCreateSucceededPayload', ...closed },
  ),
  'A requested session is up.',
)
export const SessionMessageSucceeded = defineEvent(
  'request.result.session.message',
  Type.Object(
    { request_id: Type.String(), session_id: Type.String() },
    { $id: 'SessionMessageSucceededPayload', ...closed },
  ),
  'A message reached its session.',
)
export const SessionSubmitSucceeded = defineEvent(
  'request.result.session.submit',
  Type.Object(
    {
      request_id: Type.String(),
      session_id: Type.String(),
      queued: Type.Boolean({ description: 'Whether it still waits for the current turn to end.' }),
      intent: Type.String({ description: '`default`, `follow_up` or `interrupt_now`.' }),
    },
    { $id: 'SessionSubmitSucceededPayload', ...closed },
  ),
  'A submitted message reached its session, or waits for its turn.',
)

const moment = Type.String({ format: 'date-time' })
const count = Type.Optional(Type.Integer())
const text = Type.Optional(Type.String())
const flag = Type.Optional(Type.Boolean())

export const WorkerOperation = defineEvent(
  'worker.operation',
  Type.Object(
    {
      op_id: Type.String(),
      operation: Type.String({ description: '`start`, `stop`, `kill`, `message`, `interrupt` and their kin.' }),
      result: Type.String({ description: '`succeeded` or `failed`.' }),
      started_at: moment,
      finished_at: moment,
      duration_ms: Type.Integer(),
      session_id: text,
      session_name: text,
      provider: text,
      transport: text,
      template: text,
      queued: flag,
      delivered: flag,
      error: text,
      model: text,
      agent_name: text,
      prompt_version: text,
      prompt_sha: text,
      bead_id: text,
      prompt_tokens: count,
      completion_tokens: count,
      cache_read_tokens: count,
      cache_creation_tokens: count,
      latency_ms: count,
      cost_usd_estimate: Type.Optional(Type.Number()),
      run_id: text,
      unpriced: flag,
    },
    { $id: 'WorkerOperationEventPayload', ...closed },
  ),
  'Something was done to a session’s program, and how that went.',
)
