import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { PriceList, UsageBody } from './schema.ts'
import type { Usage } from './usage.ts'

export const usageRoutes = (city: CityOf<{ usage: Usage }>) => [
  route(
    'GET ~/usage',
    {
      id: 'get-v0-city-by-city-name-usage',
      summary: 'Show the usage of a city: tokens, money, time',
      description:
        'Counted from the logs of the agents’ programs and priced as `[[pricing]]` in city.toml declares, else as the program reports, else by list price.',
      query: Type.Object({
        aggregate_only: Type.Optional(Type.Boolean({ description: 'Leaves out the usage of each session.' })),
      }),
      ok: UsageBody,
      errors: ['store-unavailable'],
    },
    (x) => city(x).usage.show(x.query.aggregate_only),
  ),
  route(
    'GET ~/usage/prices',
    {
      id: 'list-prices',
      summary: 'List the prices of models',
      description:
        'US dollars for a million tokens. They apply where neither `[[pricing]]` in city.toml nor the program gives a price.',
      ok: PriceList,
      extension: true,
    },
    (x) => city(x).usage.prices(),
  ),
]
