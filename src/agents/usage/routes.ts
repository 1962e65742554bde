import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { UsageBody } from './schema.ts'
import type { Usage } from './usage.ts'

export const usageRoutes = (city: CityOf<{ usage: Usage }>) => [
  route(
    'GET ~/usage',
    {
      id: 'get-v0-city-by-city-name-usage',
      summary: 'Show what a city uses: tokens, money, time',
      description: 'From the logs of its agents’ own programs, priced by list or as `[[pricing]]` in city.toml says.',
      query: Type.Object({
        aggregate_only: Type.Optional(Type.Boolean({ description: 'Leaves out what each session used.' })),
      }),
      ok: UsageBody,
      errors: ['store-unavailable'],
    },
    (x) => city(x).usage.show(x.query.aggregate_only),
  ),
]
