import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Readiness } from './readiness.ts'
import { ProviderReadinessQuery, ProviderReadinessResponse, ReadinessQuery, ReadinessResponse } from './schema.ts'

const items = {
  summary: 'Show the readiness of agent programs and tools',
  query: ReadinessQuery,
  ok: ReadinessResponse,
  errors: ['invalid-request'],
} as const
const providers = {
  summary: 'Show the readiness of agent programs',
  query: ProviderReadinessQuery,
  ok: ProviderReadinessResponse,
  errors: ['invalid-request'],
} as const

/** The supervisor and its cities give the same answers, since programs belong to the machine. */
export const readinessRoutes = (readiness: Readiness, city: CityOf<{ readiness: Readiness }>) => [
  route('GET /v0/readiness', { id: 'get-v0-readiness', ...items }, (x) => readiness.items(x.query, 'invalid: ')),
  route('GET /v0/provider-readiness', { id: 'get-v0-provider-readiness', ...providers }, (x) =>
    readiness.providers(x.query, 'invalid: '),
  ),
  route('GET ~/readiness', { configuration: true, id: 'get-v0-city-by-city-name-readiness', ...items }, (x) =>
    city(x).readiness.items(x.query),
  ),
  route(
    'GET ~/provider-readiness',
    { configuration: true, id: 'get-v0-city-by-city-name-provider-readiness', ...providers },
    (x) => city(x).readiness.providers(x.query),
  ),
]
