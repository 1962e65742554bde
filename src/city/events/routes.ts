import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { HeartbeatEvent, listOf, paging } from '../../http/schema.ts'
import type { Events } from './events.ts'
import { GapFrame } from './frames.ts'
import { knownEvents } from './known.ts'
import { EventActor, EventEmit, EventEmitted, EventRotated, envelope } from './schema.ts'

const Envelope = envelope(knownEvents)

const EventList = listOf(Envelope, 'ListBodyWireEvent')

const BeadHistory = Type.Composite(
  [
    EventList,
    Type.Object({
      actors: Type.Record(Type.String(), EventActor, {
        description: 'More about the actors, by the number of the event.',
      }),
    }),
  ],
  { $id: 'BeadHistory', additionalProperties: false },
)

const filters = {
  type: Type.Optional(Type.String({ description: 'Only events of exactly this type.' })),
  actor: Type.Optional(Type.String({ description: 'Only what exactly this actor did.' })),
  since: Type.Optional(Type.String({ description: 'Only events of this duration up to now: `30m`, `1h30m`.' })),
}

export const eventRoutes = (city: CityOf<{ events: Events }>) => [
  route(
    'GET ~/events',
    {
      id: 'get-v0-city-by-city-name-events',
      summary: "List a city's events, newest first",
      query: Type.Object({
        ...paging,
        ...filters,
        subject: Type.Optional(Type.String({ description: 'Only events about exactly this; a page may be short.' })),
      }),
      ok: EventList,
      errors: ['city-not-found', 'invalid-cursor', 'invalid-request'],
      index: true,
      blocking: true,
    },
    (x) => city(x).events.list(x.query),
  ),
  route(
    'POST ~/events',
    {
      id: 'emit-event',
      summary: 'Record a custom event',
      needs: 'work',
      description:
        'Any type may be recorded, with you as its actor. One that gc records itself gets the payload that readers expect, ' +
        'empty, and nothing that would follow from the true one follows from it.',
      body: EventEmit,
      ok: { 201: EventEmitted },
      errors: ['city-not-found', 'forbidden', 'store-unavailable'],
    },
    (x) => city(x).events.emit(x.caller, x.body),
  ),
  route(
    'GET ~/events/stream',
    {
      id: 'stream-events',
      summary: "Follow a city's events",
      description:
        'Server-sent events: everything after the resume point, then new events as they are recorded. Without a resume ' +
        'point the stream begins now; `0` begins with the oldest event kept. A `gap` frame names events that cannot be sent.',
      headers: { 'Last-Event-ID': 'The `id` of the last frame you got; takes precedence over `after_seq`.' },
      query: Type.Object({
        after_seq: Type.Optional(Type.String({ description: 'The number of the last event you have.' })),
      }),
      ok: { frames: { event: Envelope, gap: GapFrame, heartbeat: HeartbeatEvent } },
      errors: ['city-not-found', 'invalid-cursor'],
    },
    (x) => city(x).events.follow(x.request.headers.get('last-event-id') || x.query.after_seq),
  ),
  route(
    'GET ~/bead/{id}/history',
    {
      id: 'list-bead-history',
      summary: 'List the history of a bead, newest first',
      description: 'As far back as events are kept, also of a bead that is gone. `total` counts those on the page.',
      query: Type.Object(paging),
      ok: BeadHistory,
      errors: ['bead-not-found', 'invalid-cursor'],
      index: true,
      extension: true,
    },
    (x) => city(x).events.history(x.params.id, x.query),
  ),
  route(
    'POST ~/events/rotate',
    {
      id: 'rotate-events',
      summary: 'Archive events',
      needs: 'maintain',
      description: 'Lists and streams do not notice: events stay until they are too old or too many to be kept.',
      query: Type.Object({
        wait: Type.Optional(Type.Boolean({ description: 'Answer once the archive is written, within 30 s.' })),
      }),
      ok: EventRotated,
      errors: ['city-not-found', 'store-unavailable'],
    },
    (x) => city(x).events.rotate(x.caller, x.query.wait ?? false, x.signal),
  ),
]
