import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { PriceList, SessionUsage, UsageBody, UsageHistory } from './schema.ts'
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
    'GET ~/usage/days',
    {
      id: 'list-usage-days',
      summary: 'Show daily usage',
      description: 'In all, by agent and by model. Days are those of the local time of the supervisor.',
      query: Type.Object({
        days: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 90, description: 'Number of days up to today; default 14.' }),
        ),
      }),
      ok: UsageHistory,
      extension: true,
    },
    (x) => city(x).usage.history(x.query.days ?? 14),
  ),
  route(
    'GET ~/session/{id}/usage',
    {
      id: 'show-session-usage',
      summary: 'Show the usage of a session',
      description: 'Finds sessions by id, alias, run-time name or configured identity, including closed ones.',
      ok: SessionUsage,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).usage.showSession(x.params.id),
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
