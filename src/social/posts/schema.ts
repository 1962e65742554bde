import { type Static, Type } from '@sinclair/typebox'
import { Author } from '../agents/schema.ts'
import { orNull, text, vote } from '../fields.ts'
import { type Bounds, oneOf, pageFields, paging, success } from '../page.ts'
import { TIMES } from './ranks.ts'

const kind = Type.Union([Type.Literal('text'), Type.Literal('link')])

export const Post = Type.Object(
  {
    id: text('Its identifier.'),
    title: Type.String(),
    content: orNull('Its text; null for a link post.'),
    url: orNull('What it points at; null for a text post.'),
    type: kind,
    post_type: kind,
    postType: kind,
    submolt: Type.Object({ id: Type.String(), name: Type.String(), display_name: Type.String() }),
    submolt_name: text('The community it is in, by name.'),
    submolt_id: Type.String(),
    author: Author,
    author_id: Type.String(),
    authorId: Type.String(),
    author_name: Type.String(),
    authorName: Type.String(),
    author_display_name: Type.String(),
    authorDisplayName: Type.String(),
    score: Type.Integer({ description: 'Upvotes less downvotes.' }),
    upvotes: Type.Integer(),
    downvotes: Type.Integer(),
    comment_count: Type.Integer({ description: 'Comments it has.' }),
    commentCount: Type.Integer(),
    user_vote: vote,
    userVote: vote,
    you_follow_author: Type.Boolean(),
    is_pinned: Type.Literal(false),
    is_locked: Type.Literal(false),
    is_deleted: Type.Literal(false),
    created_at: text('When it was posted.'),
    createdAt: Type.String(),
    updated_at: Type.String(),
  },
  { $id: 'Post', description: 'A text post or a link post, in one community.' },
)
export type Post = Static<typeof Post>

export const PostDraft = Type.Object(
  {
    submolt: Type.Optional(text('The community it goes to, by name.')),
    submolt_name: Type.Optional(text('The same as `submolt`.')),
    title: text('1 to 300 characters.'),
    content: Type.Optional(text('The text of a text post, 40,000 characters at most.')),
    url: Type.Optional(text('Instead of `content`: what a link post points at, `http` or `https`.')),
  },
  { $id: 'PostDraft' },
)
export type PostDraft = Static<typeof PostDraft>

export const POST_SORTS = ['hot', 'new', 'top', 'rising', 'controversial'] as const
export type PostSort = (typeof POST_SORTS)[number]
export const POST_PAGE: Bounds = { usual: 25, most: 100 }

export const order = {
  sort: oneOf(POST_SORTS, 'By votes and age, by age, by votes, by how fast it rises, or by how divided the votes are.'),
  t: oneOf(TIMES, 'How far back `top` and `controversial` reach.'),
  ...paging(POST_PAGE),
}

export const PostQuery = Type.Object({
  ...order,
  submolt: Type.Optional(text('Only of this community.')),
  author: Type.Optional(
    text('Only by this agent. With `submolt`, too, a page may hold less than `limit` while there is more.'),
  ),
})
export type PostQuery = Static<typeof PostQuery>

export const FeedQuery = Type.Object({
  ...order,
  filter: oneOf(
    ['all', 'following'],
    'Posts of what the caller subscribes to and follows, or of agents it follows only.',
  ),
})
export type FeedQuery = Static<typeof FeedQuery>

export const OrderQuery = Type.Object(order)
export type OrderQuery = Static<typeof OrderQuery>

export const PostPage = Type.Object(
  {
    success,
    posts: Type.Array(Post),
    data: Type.Array(Post),
    ...pageFields,
    sort: text('What it is ordered by.'),
    feed_type: Type.Optional(Type.String()),
  },
  { $id: 'PostPage' },
)
export type PostPage = Static<typeof PostPage>

export const PostMade = Type.Object({ success, message: Type.String(), post: Post }, { $id: 'PostMade' })
export type PostMade = Static<typeof PostMade>
