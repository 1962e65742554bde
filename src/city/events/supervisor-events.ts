import { Type } from '@sinclair/typebox'
import { defineEvent, type EventDefinition } from '../../core/events/index.ts'

const Place = Type.Object(
  { name: Type.String(), path: Type.String() },
  { $id: 'CityLifecyclePayload', additionalProperties: false },
)

const placed = (id: string) =>
  Type.Object(
    { request_id: Type.String(), name: Type.String(), path: Type.String() },
    { $id: id, additionalProperties: false },
  )

export const CityCreated = defineEvent('city.created', Place, 'A city was registered; it is not running yet.')

export const CityUnregisterRequested = defineEvent(
  'city.unregister_requested',
  Place,
  'A city was taken out of the registry; its sessions are stopping.',
)

export const CityCreateSucceeded = defineEvent(
  'request.result.city.create',
  placed('CityCreateSucceededPayload'),
  'A requested city is up and takes requests.',
)

export const CityUnregisterSucceeded = defineEvent(
  'request.result.city.unregister',
  placed('CityUnregisterSucceededPayload'),
  'A city is unregistered and its sessions are gone; its folder stays.',
)

export const SupervisorStarted = defineEvent(
  'supervisor.started',
  Type.Object(
    {
      previous_exit: Type.Union([Type.Literal('clean'), Type.Literal('crash'), Type.Literal('unknown')], {
        description: 'Outcome of the previous run.',
      }),
    },
    { $id: 'SupervisorStartedPayload', additionalProperties: false },
  ),
  'The supervisor came up.',
)

export const SupervisorShutdownRequested = defineEvent(
  'supervisor.shutdown_requested',
  Type.Object(
    {
      source: Type.Union([Type.Literal('signal'), Type.Literal('socket_stop')]),
      signal: Type.Optional(Type.String()),
      client_addr: Type.Optional(Type.String()),
      mode: Type.Union([Type.Literal('destructive'), Type.Literal('preserve_sessions'), Type.Literal('unknown')], {
        description: 'True if the sessions were stopped; false if the host keeps them.',
      }),
    },
    { $id: 'SupervisorShutdownPayload', additionalProperties: false },
  ),
  'The supervisor was asked to end.',
)

export const PersonAdded = defineEvent(
  'person.added',
  Type.Object(
    { name: Type.String(), grants: Type.Array(Type.String()) },
    { $id: 'PersonAddedPayload', additionalProperties: false },
  ),
  'A person was given a token, with what they may do beyond reading.',
)

export const PersonRemoved = defineEvent(
  'person.removed',
  Type.Object({ name: Type.String() }, { $id: 'PersonRemovedPayload', additionalProperties: false }),
  'The token of a person ended.',
)

/** Every event that the supervisor records itself. */
export const supervisorEvents: readonly EventDefinition[] = [
  CityCreated,
  CityUnregisterRequested,
  CityCreateSucceeded,
  CityUnregisterSucceeded,
  SupervisorStarted,
  SupervisorShutdownRequested,
  PersonAdded,
  PersonRemoved,
]
