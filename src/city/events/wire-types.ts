import { Type } from '@sinclair/typebox'
import { defineEvent, type EventDefinition, NoPayload, payload } from '../../core/events/index.ts'
import { SessionLifecyclePayload } from '../../work/events.ts'

/**
 * Event types that clients of the wire know and gc does not record: a caller may emit them, and clients find their shapes
 * in the API document. A type that gc begins to record moves to `events.ts` of the wing that records it.
 */

const text = Type.String()
const optional = Type.Optional(text)
const integer = Type.Integer()
const timestamp = Type.String({ format: 'date-time' })

const words = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))

const EmergencyRecord = payload('Record', {
  id: text,
  severity: text,
  actor: text,
  message: text,
  created_at: timestamp,
  hostname: optional,
  ref_bead: optional,
  source_path: optional,
  source_pid: Type.Optional(integer),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
})

const StorageBindingOutcome = payload('StorageBindingOutcomePayload', {
  binding: text,
  database: text,
  outcome: text,
  invariant: text,
})

const work = [
  defineEvent('execution.step_defined', NoPayload, 'A step of a run was defined.'),
  defineEvent('execution.step_started', NoPayload, 'A step of a run started.'),
  defineEvent('execution.step_completed', NoPayload, 'A step of a run was completed.'),
  defineEvent('execution.work_associated', NoPayload, 'Work was associated with a run.'),
]

const sessions = [
  defineEvent('session.cold_start_timeout', NoPayload, 'A session did not become ready in time.'),
  defineEvent('session.work_query_failed', SessionLifecyclePayload, 'The query for a session’s work failed.'),
  defineEvent(
    'session.reset_stalled',
    payload('SessionResetStalledPayload', {
      session_name: text,
      template: text,
      reset_committed_at: text,
      elapsed_s: integer,
    }),
    'A session did not come back from its reset.',
  ),
  defineEvent(
    'session.unknown_state',
    payload('SessionUnknownStatePayload', {
      session_id: text,
      session_name: optional,
      state: text,
      first_seen: optional,
      escalated: Type.Boolean(),
    }),
    'A session is in a state that its server does not know.',
  ),
  defineEvent('provider.swapped', NoPayload, 'A session was moved to another provider.'),
]

const stores = [
  defineEvent(
    'backend.credential_resolved',
    payload('BackendCredentialResolvedPayload', {
      backend: text,
      scope_kind: text,
      scope_name: text,
      source: text,
      host: text,
      port: text,
      user: text,
    }),
    'The credential of a storage backend was resolved.',
  ),
  defineEvent(
    'beads.conditional_writes.degraded',
    payload('ConditionalWritesDegradedPayload', {
      store_id: text,
      store_kind: text,
      mode: text,
      origin: text,
      reason: text,
      bd_version: optional,
    }),
    'A store writes without conditions.',
  ),
  defineEvent(
    'gc.store.disk_warn',
    payload('StoreDiskWarnPayload', { free_bytes: integer, warn_bytes: integer, floor_bytes: integer, data_dir: text }),
    'The disk of a store is getting full.',
  ),
  defineEvent(
    'gc.store.disk_critical',
    payload('StoreDiskCriticalPayload', { free_bytes: integer, floor_bytes: integer, data_dir: text }),
    'The disk of a store is full.',
  ),
  defineEvent(
    'project.identity.stamped',
    payload('ProjectIdentityStampedPayload', {
      scope_root: text,
      source: text,
      layer: text,
      new_id: text,
      old_id: optional,
    }),
    'A project was given its id.',
  ),
  ...['genesis', 'converged', 'unconverged', 'uncheckable'].map((outcome) =>
    defineEvent(
      `storage.binding.${outcome}`,
      StorageBindingOutcome,
      `The check of a storage binding ended ${outcome}.`,
    ),
  ),
]

const supervisor = [
  defineEvent('emergency.signaled', EmergencyRecord, 'An emergency was signaled.'),
  defineEvent('emergency.acked', EmergencyRecord, 'An emergency was acknowledged.'),
  defineEvent(
    'supervisor.fs_pressure.skipped_tick',
    payload('SupervisorFSPressureSkippedTickPayload', {
      avg60: Type.Number(),
      threshold: Type.Number(),
      consecutive_skips: integer,
      max_consecutive_skips: integer,
      outcome: text,
      trigger: optional,
    }),
    'A supervisor left out its work because the disk was slow.',
  ),
  defineEvent(
    'supervisor.request',
    payload('SupervisorRequestPayload', {
      method: text,
      path: text,
      status: integer,
      duration_ms: integer,
      remote_addr_class: words('loopback', 'private', 'public', 'unknown'),
      origin_allowed: Type.Boolean(),
      phase: words('start', 'complete'),
      host: optional,
      request_id: optional,
    }),
    'A request was answered.',
  ),
]

/** Every type that clients of the wire know and gc does not record. */
export const wireEvents: readonly EventDefinition[] = [...work, ...sessions, ...stores, ...supervisor]
