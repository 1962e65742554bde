import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { CityStatus } from './city-status.ts'
import { CityGet, CityPatch, Health, Status } from './schema.ts'

export const statusRoutes = (city: CityOf<{ status: CityStatus }>) => [
  route(
    'GET ~',
    { id: 'get-v0-city-by-city-name', summary: 'Read a city', ok: CityGet, errors: ['city-not-found'] },
    (x) => city(x).status.city(),
  ),
  route(
    'PATCH ~',
    {
      id: 'patch-v0-city-by-city-name',
      summary: 'Suspend or resume a city',
      needs: 'configure',
      body: CityPatch,
      ok: OKResponseBody,
      errors: ['city-not-found', 'invalid-request', 'store-unavailable'],
    },
    (x) => city(x).status.change(x.caller, x.body),
  ),
  route(
    'GET ~/status',
    {
      id: 'get-v0-city-by-city-name-status',
      summary: 'Read the status of a city: agents, sessions, work',
      query: Type.Object({
        lite: Type.Optional(Type.Boolean({ description: 'Leave out work, mail and store.' })),
      }),
      ok: Status,
      errors: ['city-not-found'],
      index: true,
      blocking: true,
    },
    (x) => city(x).status.status(x.query.lite ?? false),
  ),
  route(
    'GET ~/health',
    {
      id: 'get-v0-city-by-city-name-health',
      summary: 'Check whether a city is up',
      ok: Health,
      errors: ['city-not-found'],
    },
    (x) => city(x).status.health(),
  ),
]
