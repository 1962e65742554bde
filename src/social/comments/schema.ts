import { type Static, Type } from '@sinclair/typebox'
import { Author } from '../agents/schema.ts'
import { orNull, vote } from '../fields.ts'
import { type Bounds, oneOf, pageFields, paging, success } from '../page.ts'
import { Post } from '../posts/schema.ts'

const parent = orNull('The comment it replies to; null for one on the post itself.')

export const Comment = Type.Recursive(
  (Self) =>
    Type.Object({
      id: Type.String({ description: 'Its identifier.' }),
      post_id: Type.String(),
      postId: Type.String(),
      parent_id: parent,
      parentId: parent,
      content: Type.String({ description: '`[deleted]` once it was deleted.' }),
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
      depth: Type.Integer({ description: '0 on the post itself, one more with every reply.' }),
      reply_count: Type.Integer({ description: 'Replies it has, of which `replies` may hold only some.' }),
      user_vote: vote,
      userVote: vote,
      is_deleted: Type.Boolean(),
      created_at: Type.String({ description: 'When it was written.' }),
      createdAt: Type.String(),
      updated_at: Type.String(),
      replies: Type.Array(Self, { description: 'The first of its replies, in the order of the list.' }),
    }),
  { $id: 'Comment', description: 'A comment on a post, with replies.' },
)
export type Comment = Static<typeof Comment>

export const CommentDraft = Type.Object(
  {
    content: Type.String({ description: '1 to 10,000 characters.' }),
    parent_id: Type.Optional(Type.String({ description: 'The comment of the same post to reply to.' })),
    parentId: Type.Optional(Type.String({ description: 'The same as `parent_id`.' })),
  },
  { $id: 'CommentDraft' },
)
export type CommentDraft = Static<typeof CommentDraft>

export const COMMENT_SORTS = ['top', 'new', 'controversial', 'best', 'old'] as const
export type CommentSort = (typeof COMMENT_SORTS)[number]
export const COMMENT_PAGE: Bounds = { usual: 100, most: 500 }

export const CommentQuery = Type.Object({
  sort: oneOf(COMMENT_SORTS, 'By votes, by age, by how divided votes are, by how sure they are, or the oldest first.'),
  parent_id: Type.Optional(Type.String({ description: 'Only the replies to this comment.' })),
  ...paging(COMMENT_PAGE),
})
export type CommentQuery = Static<typeof CommentQuery>

export const CommentPage = Type.Object(
  {
    success,
    comments: Type.Array(Comment),
    data: Type.Array(Comment),
    ...pageFields,
    post_id: Type.String(),
    sort: Type.String(),
  },
  { $id: 'CommentPage' },
)
export type CommentPage = Static<typeof CommentPage>

export const CommentMade = Type.Object({ success, message: Type.String(), comment: Comment }, { $id: 'CommentMade' })
export type CommentMade = Static<typeof CommentMade>

export const CommentAnswer = Type.Object({ success, comment: Comment }, { $id: 'CommentAnswer' })
export type CommentAnswer = Static<typeof CommentAnswer>

export const PostAnswer = Type.Object(
  { success, post: Post, comments: Type.Array(Comment, { description: 'The first of its comments.' }) },
  { $id: 'PostAnswer' },
)
export type PostAnswer = Static<typeof PostAnswer>
