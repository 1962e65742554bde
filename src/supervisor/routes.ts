import { Type } from '@sinclair/typebox'
import { GapFrame, knownEvents, taggedEnvelope } from '../city/events/index.ts'
import { METRICS_MEDIA } from '../core/metrics/index.ts'
import { cityOf } from '../http/caller.ts'
import { route } from '../http/route.ts'
import { AsyncAcceptedResponse, HeartbeatEvent, OKResponseBody } from '../http/schema.ts'
import { healthRoute } from './health-route.ts'
import type { Metrics } from './metrics.ts'
import { CityCreate, CityRegister, HostStatus, Stop, SupervisorCities } from './schema.ts'
import type { Supervisor } from './supervisor.ts'

const Envelope = taggedEnvelope(knownEvents)

const EventList = Type.Object(
  {
    event_cursor: Type.String({
      description: 'The position of every log; send it as `after_cursor` to resume from here.',
    }),
    items: Type.Array(Envelope),
    total: Type.Integer({ description: 'Total number, regardless of the limit.' }),
  },
  { $id: 'SupervisorEventListOutputBody', additionalProperties: false },
)

export const supervisorRoutes = (gc: Supervisor, metrics: Metrics) => [
  healthRoute(gc),
  route(
    'GET /metrics',
    {
      id: 'get-metrics',
      summary: 'Read metrics for Prometheus',
      needs: 'operator',
      description:
        'Text format 0.0.4. Counters reset when the supervisor starts; those of a store reset when its city is opened.',
      ok: { media: METRICS_MEDIA },
      errors: ['forbidden'],
      extension: true,
    },
    () => metrics.text(),
  ),
  route('GET /v0/cities', { id: 'get-v0-cities', summary: 'List the registered cities', ok: SupervisorCities }, (x) =>
    gc.list(cityOf(x.caller)),
  ),
  route(
    'POST /v0/city',
    {
      id: 'post-v0-city',
      summary: 'Create a city',
      needs: 'operator',
      description:
        'Writes a new city into a folder and registers it. The city is ready once the event ' +
        '`request.result.city.create` with this `request_id` is recorded; `request.failed` says why it failed.',
      body: CityCreate,
      ok: { 202: AsyncAcceptedResponse },
      errors: ['forbidden', 'conflict-wrong-state', 'operation-in-progress', 'validation-failed', 'store-unavailable'],
    },
    (x) => gc.accept((keep) => gc.cities.create(x.caller, x.body, keep)),
  ),
  route(
    'POST /v0/city/register',
    {
      id: 'register-city',
      summary: 'Register the folder of an existing city',
      needs: 'operator',
      description: 'Ends with the same events as creating one.',
      body: CityRegister,
      ok: { 202: AsyncAcceptedResponse },
      errors: [
        'forbidden',
        'invalid-request',
        'conflict-wrong-state',
        'operation-in-progress',
        'validation-failed',
        'store-unavailable',
      ],
      extension: true,
    },
    (x) => gc.accept((keep) => gc.cities.register(x.caller, x.body, keep)),
  ),
  route(
    'POST ~/unregister',
    {
      id: 'post-v0-city-by-city-name-unregister',
      registry: true,
      summary: 'Remove a city from the registry',
      needs: 'operator',
      description: 'Ends its sessions. Its folder stays, with everything in it, and can be registered again.',
      ok: { 202: AsyncAcceptedResponse },
      errors: ['forbidden', 'city-not-found', 'operation-in-progress', 'store-unavailable'],
    },
    (x) => gc.accept((keep) => gc.cities.unregister(x.caller, x.params.cityName, keep)),
  ),
  route(
    'POST ~/stop',
    {
      id: 'stop-city',
      registry: true,
      summary: 'Stop a city',
      needs: 'operator',
      description:
        'Ends its sessions and closes it until it is started; it stays registered. `GET /v0/cities` lists it as ' +
        '`stopping`, then as `stopped`.',
      ok: { 202: OKResponseBody },
      errors: ['forbidden', 'city-not-found', 'operation-in-progress', 'store-unavailable'],
      extension: true,
    },
    (x) => gc.cities.stop(x.caller, x.params.cityName),
  ),
  route(
    'POST ~/start',
    {
      id: 'start-city',
      registry: true,
      summary: 'Start a stopped or failed city',
      needs: 'operator',
      description: 'Ends with the same events as creating one.',
      ok: { 202: AsyncAcceptedResponse },
      errors: ['forbidden', 'city-not-found', 'conflict-wrong-state', 'operation-in-progress', 'store-unavailable'],
      extension: true,
    },
    (x) => gc.accept((keep) => gc.cities.start(x.caller, x.params.cityName, keep)),
  ),
  route(
    'GET /v0/events',
    {
      id: 'get-v0-events',
      summary: 'List the events of all cities, oldest first',
      description: 'A program that gc started gets those of its own city.',
      query: Type.Object({
        type: Type.Optional(Type.String({ description: 'Only events of exactly this type.' })),
        actor: Type.Optional(Type.String({ description: 'Only what exactly this actor did.' })),
        since: Type.Optional(Type.String({ description: 'Only events of this duration up to now: `30m`, `1h30m`.' })),
        limit: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 10_000,
            description: 'Number of newest events to return; 0 for the maximum.',
          }),
        ),
      }),
      ok: EventList,
      errors: ['invalid-request'],
    },
    (x) => gc.eventLogs.list(x.query, cityOf(x.caller)),
  ),
  route(
    'GET /v0/events/stream',
    {
      id: 'stream-supervisor-events',
      summary: 'Follow the events of all cities',
      description:
        'The `id` of a frame holds the position of every log; send it back to resume there. Without a resume point the ' +
        'stream begins now; `0` begins with the oldest events kept. A program that gc started gets those of its own city.',
      headers: { 'Last-Event-ID': 'The `id` of the last frame you got; takes precedence over `after_cursor`.' },
      query: Type.Object({
        after_cursor: Type.Optional(
          Type.String({ description: 'The cursor of a list, of a 202 response, or of a frame.' }),
        ),
      }),
      ok: { frames: { tagged_event: Envelope, gap: GapFrame, heartbeat: HeartbeatEvent } },
      errors: ['invalid-cursor'],
    },
    (x) => gc.eventLogs.follow(x.request.headers.get('last-event-id') || x.query.after_cursor, cityOf(x.caller)),
  ),
  route(
    'GET /v0/host',
    { id: 'get-host', summary: 'Read the state of the session host', ok: HostStatus, extension: true },
    () => gc.hostStatus(),
  ),
  route(
    'POST /v0/stop',
    {
      id: 'stop-supervisor',
      summary: 'Stop the supervisor',
      repeat: { outside: 'look with `gc status` whether it still runs' },
      needs: 'operator',
      description:
        'With `sessions`, ends every session and the host first; without it, agents keep running in the host.',
      body: Stop,
      ok: { 202: OKResponseBody },
      errors: ['forbidden'],
      extension: true,
    },
    (x) => gc.stop(x.caller, x.body),
  ),
]
