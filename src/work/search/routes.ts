import { type Route, route } from '../../http/route.ts'
import type { CityOf } from '../../city/city.ts'
import { BeadSearch, BeadsFound } from './schema.ts'

/** Search. */
export const searchRoutes = (city: CityOf): Route[] => [
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
      refuses: ['invalid-cursor'],
      index: true,
      extension: true,
    },
    (x) => city(x).search.find(x.query),
  ),
]
