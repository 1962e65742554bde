import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { BeadSearch, BeadsFound } from './schema.ts'
import type { Search } from './search.ts'

/** The operation that searches. */
export const searchRoutes = (city: CityOf<{ search: Search }>) => [
  route(
    'GET ~/beads/search',
    {
      id: 'search-beads',
      summary: 'Search beads',
      description:
        'Searches titles, descriptions, labels and comments, also of closed beads. Of sessions, messages and waits only ' +
        'the comments are searched.',
      query: BeadSearch,
      ok: BeadsFound,
      errors: ['invalid-cursor'],
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).search.find(exchange.query),
  ),
]
