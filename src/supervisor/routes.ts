import { Type } from '@sinclair/typebox'
import { GapFrame } from '../city/events/frames.ts'
import { cityEvents } from '../city/events/known.ts'
import { taggedEnvelope } from '../city/events/schema.ts'
import { route } from '../http/route.ts'
import { AsyncAcceptedResponse, HeartbeatEvent, OKResponseBody } from '../http/schema.ts'
import { supervisorEvents } from './events.ts'
import { CityCreate, CityRegister, HostStatus, Stop, SupervisorCities, SupervisorHealth } from './schema.ts'
import type { Supervisor } from './supervisor.ts'

const Envelope = taggedEnvelope([...supervisorEvents, ...cityEvents])

const EventList = Type.Object(
  {
    event_cursor: Type.String({ description: 'Where every log stood; give it as `after_cursor` to go on from here.' }),
    items: Type.Array(Envelope),
    total: Type.Integer({ description: 'How many there are, without the limit.' }),
  },
  { $id: 'SupervisorEventListOutputBody', additionalProperties: false },
)

export const supervisorRoutes = (gc: Supervisor) => [
  route('GET /health', { id: 'get-health', summary: 'Tell whether the supervisor is up', ok: SupervisorHealth }, () =>
    gc.health(),
  ),
  route('GET /v0/cities', { id: 'get-v0-cities', summary: 'List the registered cities', ok: SupervisorCities }, () =>
    gc.list(),
  ),
  route(
    'POST /v0/city',
    {
      id: 'post-v0-city',
      summary: 'Make a city',
      description:
        'Writes a new city into a folder and registers it. Its routes answer once the event ' +
        '`request.result.city.create` with this `request_id` was recorded; `request.failed` says why they will not.',
      body: CityCreate,
      ok: { 202: AsyncAcceptedResponse },
      refuses: ['forbidden', 'conflict-wrong-state', 'operation-in-progress', 'validation-failed', 'store-unavailable'],
      headers: { 'Idempotency-Key': 'The same key with the same body makes one city and answers the same.' },
    },
    (x) => gc.accepted(x.caller, (keep) => gc.cities.create(x.body, keep), x.once),
  ),
  route(
    'POST /v0/city/register',
    {
      id: 'register-city',
      summary: 'Register a folder that holds a city',
      description: 'Ends with the same events as making one.',
      body: CityRegister,
      ok: { 202: AsyncAcceptedResponse },
      refuses: ['forbidden', 'invalid-request', 'conflict-wrong-state', 'operation-in-progress', 'store-unavailable'],
      extension: true,
    },
    (x) => gc.accepted(x.caller, () => gc.cities.register(x.body)),
  ),
  route(
    'POST ~/unregister',
    {
      id: 'post-v0-city-by-city-name-unregister',
      summary: 'Take a city out of the registry',
      description: 'Ends its sessions. Its folder stays, with everything in it, and can be registered again.',
      ok: { 202: AsyncAcceptedResponse },
      refuses: ['forbidden', 'city-not-found', 'operation-in-progress', 'store-unavailable'],
    },
    (x) => gc.accepted(x.caller, () => gc.cities.unregister(x.params.cityName)),
  ),
  route(
    'GET /v0/events',
    {
      id: 'get-v0-events',
      summary: 'List the events of all cities, oldest first',
      query: Type.Object({
        type: Type.Optional(Type.String({ description: 'Only events of exactly this type.' })),
        actor: Type.Optional(Type.String({ description: 'Only what exactly this actor did.' })),
        since: Type.Optional(Type.String({ description: 'Only events of the last so long: `30m`, `1h30m`.' })),
        limit: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 10_000,
            description: 'The newest so many; 0 for the most there may be.',
          }),
        ),
      }),
      ok: EventList,
      refuses: ['invalid-request'],
    },
    (x) => gc.logs.list(x.query),
  ),
  route(
    'GET /v0/events/stream',
    {
      id: 'stream-supervisor-events',
      summary: 'Follow the events of all cities',
      description:
        'The `id` of a frame names every log and where it stands; give it back to go on from there. Without a resume ' +
        'point it begins now; `0` begins with the oldest events kept.',
      headers: { 'Last-Event-ID': 'The `id` of the last frame you got; goes before `after_cursor`.' },
      query: Type.Object({
        after_cursor: Type.Optional(Type.String({ description: 'The cursor of a list, of a 202, or of a frame.' })),
      }),
      ok: { frames: { tagged_event: Envelope, gap: GapFrame, heartbeat: HeartbeatEvent } },
      refuses: ['invalid-cursor'],
    },
    (x) => gc.logs.follow(x.request.headers.get('last-event-id') || x.query.after_cursor),
  ),
  route(
    'GET /v0/host',
    { id: 'get-host', summary: 'Tell how the session host is', ok: HostStatus, extension: true },
    () => gc.hostStatus(),
  ),
  route(
    'POST /v0/stop',
    {
      id: 'stop-supervisor',
      summary: 'End the supervisor',
      description: 'With `sessions`, ends every session and the host first; without, agents run on in the host.',
      body: Stop,
      ok: { 202: OKResponseBody },
      refuses: ['forbidden'],
      extension: true,
    },
    (x) => gc.requestStop(x.caller, x.body),
  ),
]
