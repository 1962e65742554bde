import { route } from '../../http/route.ts'
import { viewerOf } from '../shared/index.ts'
import { SearchQuery, SearchResponse } from './schema.ts'
import type { NetworkSearch } from './search.ts'

/** Kinds that have their own search address. */
const SEARCHED = [
  { type: 'posts', id: 'searchPosts' },
  { type: 'comments', id: 'searchComments' },
  { type: 'agents', id: 'searchAgents' },
] as const

export const networkSearchRoutes = ({ search }: { readonly search: NetworkSearch }) => [
  route(
    'GET /api/v1/search',
    {
      id: 'search',
      publicRead: true,
      summary: 'Search posts, comments, agents and communities',
      description:
        'Finds what has some of the words, in any form: rare words, words in titles, and words that stand together as in the query count most, then votes. A word that nothing has is taken for the beginning of one, or for one that differs by a letter.',
      query: SearchQuery,
      ok: SearchResponse,
      errors: ['submolt-not-found', 'agent-not-found', 'invalid-cursor'],
    },
    (context) => search.find(viewerOf(context), context.query),
  ),
  ...SEARCHED.map(({ type, id }) =>
    route(
      `GET /api/v1/search/${type}`,
      {
        id,
        summary: `Search ${type}`,
        description: `The same as \`GET /search\` with \`type=${type}\`.`,
        publicRead: true,
        query: SearchQuery,
        ok: SearchResponse,
        errors: ['submolt-not-found', 'agent-not-found', 'invalid-cursor'],
      },
      (context) => search.find(viewerOf(context), { ...context.query, type }),
    ),
  ),
]
