import { type Static, type TLiteral, type TProperties, type TSchema, type TString, Type } from '@sinclair/typebox'
import type { EventDefinition } from '../../core/events/index.ts'
import { PROJECTED_TYPES, WorkflowEventProjection } from '../../orchestration/runs/index.ts'

const facts = {
  seq: Type.Integer({ minimum: 0, description: 'Number in its log: no gaps, never used twice.' }),
  ts: Type.String({ format: 'date-time' }),
  actor: Type.String({ description: 'Actor.' }),
  subject: Type.Optional(Type.String({ description: 'Subject: an id or a name.' })),
  message: Type.Optional(Type.String()),
  run_id: Type.Optional(Type.String()),
  session_id: Type.Optional(Type.String()),
  step_id: Type.Optional(Type.String()),
  depends_on_step_ids: Type.Optional(
    Type.Array(Type.String(), { description: 'Absent: not known. Empty: a step that depends on nothing.' }),
  ),
}

const tag = {
  city: Type.String({ description: 'The city it happened in; `__supervisor__` for the supervisor itself.' }),
}

const pascal = (type: string): string =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const variant = <Kind extends TLiteral<string> | TString, More extends TProperties>(
  id: string,
  type: Kind,
  payload: TSchema,
  more: More,
  description: string,
) => Type.Object({ ...facts, ...more, type, payload }, { $id: id, additionalProperties: false, description })

/** An event that we know; one that means something to a workflow says in a stream what it means. */
const knownEvent = <More extends TProperties>(id: string, { type, payload, summary }: EventDefinition, more: More) => {
  const literal = Type.Literal(type)
  if (!PROJECTED_TYPES.has(type)) return variant(id + pascal(type), literal, payload, more, summary)
  const workflow = Type.Optional(WorkflowEventProjection)
  return variant(id + pascal(type), literal, payload, { ...more, workflow }, summary)
}

/** A type of an event that is none of ours. */
const otherThan = (defs: readonly EventDefinition[]) => Type.String({ not: { enum: defs.map(({ type }) => type) } })

const union = <More extends TProperties>(id: string, defs: readonly EventDefinition[], more: More) =>
  Type.Union(
    [
      ...defs.map((def) => knownEvent(id, def, more)),
      variant(`${id}Custom`, otherThan(defs), Type.Unknown(), more, 'An event of a type that only its emitter knows.'),
    ],
    { $id: id },
  )

/** Shape of a city's event, for known types. */
export const envelope = (defs: readonly EventDefinition[]) => union('TypedEventStreamEnvelope', defs, {})

/** The same with the city it came from, for lists and streams over all cities. */
export const taggedEnvelope = (defs: readonly EventDefinition[]) => union('TypedTaggedEventStreamEnvelope', defs, tag)

/** Shapes of events that known clients look up by name: any payload, and an envelope that holds any of them. */
export function eventShapes(defs: readonly EventDefinition[]): TSchema[] {
  const payloads = [...new Map(defs.map(({ payload }) => [payload.$id, payload])).values()]
  const EventPayload = Type.Union(payloads, { $id: 'EventPayload', description: 'The payload of a known event.' })
  const workflow = Type.Optional(WorkflowEventProjection)
  const any = { ...facts, type: Type.String(), payload: Type.Optional(EventPayload), workflow }
  const shape = (id: string, more: TProperties) =>
    Type.Object({ ...any, ...more }, { $id: id, additionalProperties: false, description: 'An event of any type.' })
  return [EventPayload, shape('EventStreamEnvelope', {}), shape('TaggedEventStreamEnvelope', tag)]
}

export const EventEmit = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Dotted name of your own, such as `deploy.finished`.',
    }),
    actor: Type.String({ minLength: 1, maxLength: 256, description: 'Actor. A session may only name itself.' }),
    subject: Type.Optional(Type.String({ maxLength: 1024 })),
    message: Type.Optional(Type.String({ maxLength: 65536 })),
  },
  { $id: 'EventEmitRequest', additionalProperties: false },
)
export type EventEmit = Static<typeof EventEmit>

export const EventEmitted = Type.Object(
  { status: Type.String({ description: 'Always `recorded`.' }) },
  { $id: 'EventEmitOutputBody', additionalProperties: false },
)
export type EventEmitted = Static<typeof EventEmitted>

export const RotateArchive = Type.Object(
  {
    path: Type.String({ description: 'The archive file, gzip of one JSON event a line.' }),
    first_seq: Type.Integer({ minimum: 0 }),
    last_seq: Type.Integer({ minimum: 0 }),
    compression_status: Type.Union([Type.Literal('pending'), Type.Literal('complete')]),
  },
  { $id: 'EventRotateArchive', additionalProperties: false },
)

export const RotateAnchor = Type.Object(
  { seq: Type.Integer({ minimum: 0 }), ts: Type.String({ format: 'date-time' }), type: Type.String() },
  { $id: 'EventRotateAnchor', additionalProperties: false },
)

export const EventRotated = Type.Object(
  {
    rotated: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Reason nothing was archived.' })),
    archive: Type.Optional(RotateArchive),
    anchor_event: Type.Optional(RotateAnchor),
  },
  { $id: 'EventRotateResponse', additionalProperties: false },
)
export type EventRotated = Static<typeof EventRotated>

/** Actor of an event, besides the displayed name. */
export const EventActor = Type.Object(
  {
    kind: Type.String({ description: '`session`, `process`, `human`, `operator`, `person` or `gc`.' }),
    session: Type.Optional(Type.String({ description: 'The id of the session.' })),
    agent: Type.Optional(Type.String({ description: 'The agent of the session.' })),
    bead: Type.Optional(Type.String({ description: 'The bead that the session worked on.' })),
    label: Type.Optional(Type.String({ description: 'The name that a person gave, which proves nothing.' })),
  },
  { $id: 'EventActor', additionalProperties: false },
)
export type EventActor = Static<typeof EventActor>
