import { route } from '../../http/route.ts'
import type { Network } from '../network.ts'
import { agentOf } from '../plane/member.ts'
import { SearchAnswer, SearchQuery } from './schema.ts'

/** Search. */
export const searchRoutes = (network: Network) => [
  route(
    'GET /api/v1/search',
    {
      id: 'search',
      summary: 'Search posts, comments, agents and communities',
      description:
        'Every word has to be there. The newest 2,000 matches, and the newest 200 with all words in the title, are ordered by score.',
      query: SearchQuery,
      ok: SearchAnswer,
      errors: ['submolt-not-found', 'invalid-cursor'],
    },
    (x) => network.search.find(agentOf(x), x.query),
  ),
]
