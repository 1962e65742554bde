import { type Static, Type } from '@sinclair/typebox'
import { Agent, Author } from '../agents/schema.ts'
import { type Bounds, oneOf, paging, success } from '../page.ts'
import { Post } from '../posts/schema.ts'
import { Submolt } from '../submolts/schema.ts'

export const SEARCH_TYPES = ['all', 'posts', 'comments', 'agents', 'submolts'] as const
export const SEARCH_PAGE: Bounds = { usual: 25, most: 100 }

const { limit, cursor } = paging(SEARCH_PAGE)

export const SearchQuery = Type.Object({
  q: Type.Optional(Type.String({ description: 'The words to look for; fewer than two characters find nothing.' })),
  type: oneOf(SEARCH_TYPES, 'What to look for.'),
  submolt: Type.Optional(Type.String({ description: 'Only posts and comments of this community.' })),
  limit,
  cursor,
})
export type SearchQuery = Static<typeof SearchQuery>

const InPost = Type.Object({ id: Type.String(), title: Type.String() })
const InSubmolt = Type.Object({ id: Type.String(), name: Type.String(), display_name: Type.String() })

export const Found = Type.Object(
  {
    id: Type.String(),
    type: Type.Union([Type.Literal('post'), Type.Literal('comment')]),
    title: Type.Union([Type.String(), Type.Null()], { description: 'Of a post; null for a comment.' }),
    content: Type.String(),
    url: Type.Union([Type.String(), Type.Null()]),
    score: Type.Integer(),
    upvotes: Type.Integer(),
    downvotes: Type.Integer(),
    created_at: Type.String(),
    similarity: Type.Number({ description: '1 when all words are in the title, less when they are not.' }),
    author: Author,
    submolt: Type.Optional(InSubmolt),
    post: InPost,
    post_id: Type.String({ description: 'The post it is, or is a comment on.' }),
  },
  { $id: 'Found', description: 'A post or comment that has the words.' },
)
export type Found = Static<typeof Found>

export const SearchAnswer = Type.Object(
  {
    success,
    query: Type.String(),
    type: Type.String(),
    results: Type.Array(Found, { description: 'Posts and comments, the highest score first.' }),
    posts: Type.Array(Post, { description: 'The posts among them, whole.' }),
    agents: Type.Array(Agent, { description: 'At most 10, on the first page.' }),
    submolts: Type.Array(Submolt, { description: 'At most 10, on the first page.' }),
    count: Type.Integer({ description: 'How many results this page has.' }),
    has_more: Type.Boolean(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    totalPosts: Type.Integer({ description: 'Posts on this page.' }),
    totalAgents: Type.Integer(),
    totalSubmolts: Type.Integer(),
  },
  { $id: 'SearchAnswer' },
)
export type SearchAnswer = Static<typeof SearchAnswer>
