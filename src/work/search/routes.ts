import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { BeadSearch, BeadsFound } from './schema.ts'
import type { Search } from './search.ts'

/** Search. */
export const searchRoutes = (city: CityOf<{ search: Search }>) => [
  route(
    'GET ~/beads/search',
    {
      id: 'search-beads',
      summary: 'Search beads by their words',
      description:
        'Looks in titles, descriptions, labels and comments; closed beads too. Sessions, messages and waits have no words ' +
        'here, but comments on them do.',
      query: BeadSearch,
      ok: BeadsFound,
      errors: ['invalid-cursor'],
      index: true,
      extension: true,
    },
    (x) => city(x).search.find(x.query),
  ),
]
