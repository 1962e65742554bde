import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { ServiceList, ServiceLog, ServiceLogFrame, ServiceProcessView, ServiceRestarted, Status } from './schema.ts'
import type { Services } from './services.ts'

const DEFAULT_LINES = 100
const MAX_LINES = 2_000

/** The operations on services. */
export const serviceRoutes = (city: CityOf<{ services: Services }>) => [
  route(
    'GET ~/services',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-services',
      summary: 'List services',
      ok: ServiceList,
      index: true,
    },
    (x) => city(x).services.list(),
  ),
  route(
    'GET ~/service/{name}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-service-by-name',
      summary: 'Show a service',
      ok: Status,
      errors: ['service-not-found'],
      index: true,
    },
    (x) => city(x).services.get(x.params.name),
  ),
  route(
    'POST ~/service/{name}/restart',
    {
      id: 'post-v0-city-by-city-name-service-by-name-restart',
      summary: 'Restart a service',
      repeat: { outside: 'look at the service with `gc service list`' },
      description:
        'Stops its process if it runs and starts it again, regardless of earlier failures. It becomes ready shortly after.',
      needs: 'coordinate',
      ok: ServiceRestarted,
      errors: ['service-not-found', 'conflict-wrong-state', 'internal'],
    },
    (x) => city(x).services.restart(x.caller, x.params.name),
  ),
  route(
    'GET ~/service/{name}/process',
    {
      configuration: true,
      id: 'get-service-process',
      summary: 'Show the process behind a service',
      ok: ServiceProcessView,
      errors: ['service-not-found'],
      extension: true,
    },
    (x) => city(x).services.process(x.params.name),
  ),
  route(
    'GET ~/service/{name}/log',
    {
      id: 'get-service-log',
      summary: 'Show the last output of a service',
      needs: 'watch',
      query: Type.Object({
        lines: Type.Optional(
          Type.Integer({ minimum: 1, maximum: MAX_LINES, description: 'Maximum rows; default 100.' }),
        ),
      }),
      ok: ServiceLog,
      errors: ['service-not-found', 'invalid-request'],
      extension: true,
    },
    (x) => city(x).services.log(x.params.name, x.query.lines ?? DEFAULT_LINES),
  ),
  route(
    'GET ~/service/{name}/log/stream',
    {
      id: 'stream-service-log',
      summary: 'Stream the output of a service',
      needs: 'watch',
      query: Type.Object({
        from: Type.Optional(
          Type.Integer({ minimum: 0, description: 'The `offset` of the log after which it begins; now when absent.' }),
        ),
      }),
      headers: { 'Last-Event-ID': 'Like `from`, and wins over it.' },
      ok: { frames: { log: ServiceLogFrame } },
      errors: ['service-not-found', 'invalid-request'],
      extension: true,
    },
    (x) => city(x).services.follow(x.params.name, offsetOf(x.request) ?? x.query.from, x.signal),
  ),
]

/** The place that a stream continues from after it was cut off. */
function offsetOf(request: Request): number | undefined {
  const last = request.headers.get('last-event-id') ?? ''
  return /^\d{1,15}$/.test(last) ? Number(last) : undefined
}
