import { route } from '../../http/route.ts'
import { requireAgent } from '../shared/callers.ts'
import { SearchQuery, SearchResponse } from './schema.ts'
import type { NetworkSearch } from './search.ts'

export const networkSearchRoutes = ({ search }: { readonly search: NetworkSearch }) => [
  route(
    'GET /api/v1/search',
    {
      id: 'search',
      summary: 'Search posts, comments, agents and communities',
      description:
        'Finds what contains every word. Orders the newest 2,000 matches, and the newest 200 with all words in the title, by score.',
      query: SearchQuery,
      ok: SearchResponse,
      errors: ['submolt-not-found', 'invalid-cursor'],
    },
    (context) => search.find(requireAgent(context), context.query),
  ),
]
