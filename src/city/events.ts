import { Type } from '@sinclair/typebox'
import { defineEvent, NoPayload, payload } from '../core/events/index.ts'

// The city

export const CitySuspended = defineEvent(
  'city.suspended',
  NoPayload,
  'The city starts no new sessions until it is resumed.',
)
export const CityResumed = defineEvent('city.resumed', NoPayload, 'The city starts sessions again.')
export const ControllerStarted = defineEvent('controller.started', NoPayload, 'The city was opened.')
export const ControllerStopped = defineEvent('controller.stopped', NoPayload, 'The city was closed.')

// Maintenance of the store

const bytes = Type.Integer({ format: 'int64' })

export const StoreMaintenanceDone = defineEvent(
  'gc.store.maintenance.done',
  payload('StoreMaintenanceDonePayload', {
    duration_s: Type.Number({ format: 'double' }),
    before_bytes: bytes,
    after_bytes: bytes,
    snapshot_path: Type.String({ description: 'Always empty: no prior copies are needed.' }),
  }),
  'Unused space was given back to the disk.',
)

export const StoreMaintenanceFailed = defineEvent(
  'gc.store.maintenance.failed',
  payload('StoreMaintenanceFailedPayload', {
    stage: Type.String(),
    error_msg: Type.String(),
    duration_s: Type.Number({ format: 'double' }),
    snapshot_path: Type.Optional(Type.String()),
  }),
  'Maintenance of the store failed.',
)

// The supervisor

const place = { name: Type.String(), path: Type.String() }
const requested = { request_id: Type.String(), ...place }
const Place = payload('CityLifecyclePayload', place)

export const CityCreated = defineEvent('city.created', Place, 'A city was registered; it is not running yet.')

export const CityUnregisterRequested = defineEvent(
  'city.unregister_requested',
  Place,
  'A city was taken out of the registry; its sessions are stopping.',
)

export const CityCreateSucceeded = defineEvent(
  'request.result.city.create',
  payload('CityCreateSucceededPayload', requested),
  'A requested city is up and takes requests.',
)

export const CityUnregisterSucceeded = defineEvent(
  'request.result.city.unregister',
  payload('CityUnregisterSucceededPayload', requested),
  'A city is unregistered and its sessions are gone; its folder stays.',
)

export const SupervisorStarted = defineEvent(
  'supervisor.started',
  payload('SupervisorStartedPayload', {
    previous_exit: Type.Union([Type.Literal('clean'), Type.Literal('crash'), Type.Literal('unknown')], {
      description: 'Outcome of the previous run.',
    }),
  }),
  'The supervisor came up.',
)

export const SupervisorShutdownRequested = defineEvent(
  'supervisor.shutdown_requested',
  payload('SupervisorShutdownPayload', {
    source: Type.Union([Type.Literal('signal'), Type.Literal('socket_stop')]),
    signal: Type.Optional(Type.String()),
    client_addr: Type.Optional(Type.String()),
    mode: Type.Union([Type.Literal('destructive'), Type.Literal('preserve_sessions'), Type.Literal('unknown')], {
      description: 'True if the sessions were stopped; false if the host keeps them.',
    }),
  }),
  'The supervisor was asked to end.',
)

export const PersonAdded = defineEvent(
  'person.added',
  payload('PersonAddedPayload', { name: Type.String(), grants: Type.Array(Type.String()) }),
  'A person was given a token, with what they may do beyond reading.',
)

export const PersonRemoved = defineEvent(
  'person.removed',
  payload('PersonRemovedPayload', { name: Type.String() }),
  'The token of a person ended.',
)
