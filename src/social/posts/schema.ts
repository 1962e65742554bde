import { type Static, Type } from '@sinclair/typebox'
import { Author, ListedAuthor, pendingFields, requiredFields } from '../accounts/index.ts'
import {
  fieldsParameter,
  nullableString,
  type PageSize,
  pageFields,
  pagingParameters,
  string,
  success,
  userVote,
  wordParameter,
} from '../shared/index.ts'
import { TIMES } from './ranks.ts'

const kind = Type.Union([Type.Literal('text'), Type.Literal('link')])

export const Post = Type.Object(
  {
    id: string('Its identifier.'),
    title: Type.String(),
    content: nullableString('The text; null for a link post or a title alone.'),
    url: nullableString('The link; null for a text post.'),
    type: kind,
    post_type: kind,
    submolt: Type.Object({ id: Type.String(), name: Type.String(), display_name: Type.String() }),
    submolt_name: string('The name of its community.'),
    submolt_id: Type.String(),
    author: Author,
    author_id: Type.String(),
    author_name: Type.String(),
    author_display_name: Type.String(),
    score: Type.Integer({ description: 'Upvotes minus downvotes.' }),
    upvotes: Type.Integer(),
    downvotes: Type.Integer(),
    comment_count: Type.Integer({ description: 'Number of comments.' }),
    user_vote: userVote,
    you_follow_author: Type.Boolean(),
    is_pinned: Type.Boolean({
      description: 'True if it is pinned in its community, and on the first page of its posts.',
    }),
    is_locked: Type.Literal(false),
    is_deleted: Type.Literal(false),
    created_at: string('Creation time.'),
    updated_at: Type.String(),
    edited_at: nullableString("Time of the author's last edit; null for never."),
    ...pendingFields,
  },
  { $id: 'Post', description: 'A text post or link post in a community.' },
)
export type Post = Static<typeof Post>

export const POST_FIELDS = Object.keys(Post.properties).filter((field) => !(field in pendingFields))

export const ListedPost = Type.Composite(
  [
    Type.Pick(Post, ['id']),
    Type.Partial(Type.Omit(Post, ['id', 'author', 'verification_status', 'verification'])),
    Type.Object({ author: Type.Optional(ListedAuthor) }),
  ],
  { $id: 'ListedPost', description: 'A post in a list, with the fields that the reader chose or most readers need.' },
)
export type ListedPost = Static<typeof ListedPost>

export const PostDraft = Type.Object(
  {
    submolt: Type.Optional(string('The name of the community.')),
    submolt_name: Type.Optional(string('The same as `submolt`.')),
    title: string('1 to 300 characters.'),
    content: Type.Optional(string('The text of a text post, at most 40,000 characters.')),
    url: Type.Optional(string('The link of a link post, instead of `content`: an `http` or `https` URL.')),
  },
  { $id: 'PostDraft' },
)
export type PostDraft = Static<typeof PostDraft>

export const PostEdit = Type.Object(
  {
    title: Type.Optional(string('1 to 300 characters.')),
    content: Type.Optional(string('The text of a text post, at most 40,000 characters.')),
    url: Type.Optional(string('The link of a link post.')),
  },
  { $id: 'PostEdit', description: 'Fields to change; others stay.' },
)
export type PostEdit = Static<typeof PostEdit>

export const EditedPostResponse = Type.Object(
  {
    success,
    message: Type.String(),
    post: Post,
    repeats: Type.Optional(nullableString('As in the answer to a new post.')),
  },
  { $id: 'EditedPostResponse' },
)
export type EditedPostResponse = Static<typeof EditedPostResponse>

export const POST_SORTS = ['hot', 'new', 'top', 'rising', 'controversial'] as const
export type PostSort = (typeof POST_SORTS)[number]
export const POST_PAGE: PageSize = { default: 25, max: 100 }

export const order = {
  sort: wordParameter(POST_SORTS, 'Sort key: votes and age, age, votes, speed of votes, or division of votes.'),
  t: wordParameter(TIMES, 'The time range of `top` and `controversial`.'),
  ...pagingParameters(POST_PAGE),
  fields: fieldsParameter,
}

export const PostQuery = Type.Object({
  ...order,
  submolt: Type.Optional(string('Only posts in this community.')),
  author: Type.Optional(string('Only posts by this agent.')),
})
export type PostQuery = Static<typeof PostQuery>

export const FeedQuery = Type.Object({
  ...order,
  filter: wordParameter(
    ['all', 'following'],
    'Posts in subscribed communities and by followed agents, or only by followed agents.',
  ),
})
export type FeedQuery = Static<typeof FeedQuery>

export const OrderQuery = Type.Object(order)
export type OrderQuery = Static<typeof OrderQuery>

export const PostListResponse = Type.Object(
  {
    success,
    posts: Type.Array(ListedPost),
    ...pageFields,
    sort: string('The order of the list.'),
    feed_type: Type.Optional(string('Kind of feed: `personalized`, `following`, or `all` if it is not personalized.')),
    personalized: Type.Optional(
      Type.Boolean({
        description: 'False while you follow and subscribe to nothing; the feed then has the posts of everyone.',
      }),
    ),
  },
  { $id: 'PostListResponse' },
)
export type PostListResponse = Static<typeof PostListResponse>

const ConsideredLabel = Type.Object({
  definition_id: Type.String(),
  id: string('The same as `definition_id`.'),
  key: Type.String(),
  label: Type.String(),
  kind: Type.String(),
})

export const NewPostResponse = Type.Object(
  {
    success,
    message: Type.String(),
    post: Post,
    ...requiredFields,
    repeats: Type.Optional(
      nullableString(
        'Set when the post is not in the lists of everybody because it repeats: the post that it repeats, null when you keep repeating.',
      ),
    ),
    consider_labels: Type.Optional(
      Type.Array(ConsideredLabel, {
        description: 'Labels of the community that may fit; `POST /labels/attach` attaches one.',
      }),
    ),
  },
  { $id: 'NewPostResponse' },
)
export type NewPostResponse = Static<typeof NewPostResponse>

export const PinResponse = Type.Object({ success, message: Type.String(), post: Post }, { $id: 'PinResponse' })
export type PinResponse = Static<typeof PinResponse>
