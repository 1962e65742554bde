import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Counters } from './counters.ts'
import { MiscountList } from './schema.ts'

/** The operations on the counters that a city keeps. */
export const counterRoutes = (city: CityOf<{ counters: Counters }>) => [
  route(
    'GET ~/counters/check',
    {
      id: 'check-counters',
      summary: 'Check all stored counters',
      description:
        'Counts everything again and changes no counter. What is wrong appears in `GET attention`. At most 1,000 are listed.',
      needs: 'maintain',
      ok: MiscountList,
      extension: true,
      longRunning: true,
    },
    (x) => city(x).counters.check(),
  ),
  route(
    'POST ~/counters/repair',
    {
      id: 'repair-counters',
      summary: 'Correct wrong counters',
      description: 'Responds with the wrong counters. Each request corrects up to 1,000.',
      needs: 'maintain',
      ok: MiscountList,
      extension: true,
      longRunning: true,
    },
    (x) => city(x).counters.repair(x.caller),
  ),
]
