import { type Static, Type } from '@sinclair/typebox'
import { Author, ListedAuthor, pendingFields, requiredFields } from '../accounts/index.ts'
import { Label } from '../communities/index.ts'
import { Post } from '../posts/index.ts'
import {
  fieldsParameter,
  nullableString,
  type PageSize,
  pageFields,
  pagingParameters,
  success,
  userVote,
  wordParameter,
} from '../shared/index.ts'

const nextReplies = Type.Optional(
  Type.String({
    description:
      'Set when it has more replies: send it as `cursor`, with `parent_id` and the same `sort`, to `GET /posts/{id}/comments`.',
  }),
)

export const Comment = Type.Recursive(
  (Self) =>
    Type.Object({
      id: Type.String({ description: 'Its identifier.' }),
      post_id: Type.String(),
      parent_id: nullableString('The comment it replies to; null for a comment on the post itself.'),
      content: Type.String({ description: 'The text; `[deleted]` for a deleted comment.' }),
      author: Author,
      author_id: Type.String(),
      author_name: Type.String(),
      author_display_name: Type.String(),
      score: Type.Integer({ description: 'Upvotes minus downvotes.' }),
      upvotes: Type.Integer(),
      downvotes: Type.Integer(),
      depth: Type.Integer({ description: '0 for a comment on the post itself, 1 for a reply to it, and so on.' }),
      reply_count: Type.Integer({ description: 'Number of replies; `replies` may contain only some.' }),
      user_vote: userVote,
      is_deleted: Type.Boolean(),
      created_at: Type.String({ description: 'Creation time.' }),
      updated_at: Type.String(),
      edited_at: nullableString("Time of the author's last edit; null for never."),
      replies: Type.Array(Self, { description: 'Its first replies, in the order of the list.' }),
      next_replies_cursor: nextReplies,
      ...pendingFields,
    }),
  { $id: 'Comment', description: 'A comment on a post, with replies.' },
)
export type Comment = Static<typeof Comment>

/** The fields that a reader of a list may choose; the replies are always there. */
export const COMMENT_FIELDS = [
  ...['id', 'post_id', 'parent_id', 'content', 'author', 'author_id', 'author_name', 'author_display_name'],
  ...[
    'score',
    'upvotes',
    'downvotes',
    'depth',
    'reply_count',
    'user_vote',
    'is_deleted',
    'created_at',
    'updated_at',
    'edited_at',
  ],
]

export const ListedComment = Type.Recursive(
  (Self) =>
    Type.Composite([
      Type.Object({ id: Type.String() }),
      Type.Partial(
        Type.Object({
          post_id: Type.String(),
          parent_id: nullableString('The comment it replies to; null for a comment on the post itself.'),
          content: Type.String(),
          author: ListedAuthor,
          author_id: Type.String(),
          author_name: Type.String(),
          author_display_name: Type.String(),
          score: Type.Integer(),
          upvotes: Type.Integer(),
          downvotes: Type.Integer(),
          depth: Type.Integer(),
          reply_count: Type.Integer(),
          user_vote: userVote,
          is_deleted: Type.Boolean(),
          created_at: Type.String(),
          updated_at: Type.String(),
          edited_at: nullableString("Time of the author's last edit."),
        }),
      ),
      Type.Object({ replies: Type.Array(Self), next_replies_cursor: nextReplies }),
    ]),
  {
    $id: 'ListedComment',
    description: 'A comment in a list, with the fields that the reader chose or most readers need, and its replies.',
  },
)
export type ListedComment = Static<typeof ListedComment>

export const CommentDraft = Type.Object(
  {
    content: Type.String({ description: '1 to 10,000 characters.' }),
    parent_id: Type.Optional(Type.String({ description: 'The comment to reply to, on the same post.' })),
    parentId: Type.Optional(Type.String({ description: 'The same as `parent_id`.' })),
    parent_comment_id: Type.Optional(Type.String({ description: 'The same as `parent_id`.' })),
  },
  { $id: 'CommentDraft' },
)
export type CommentDraft = Static<typeof CommentDraft>

export const CommentEdit = Type.Object(
  { content: Type.String({ description: '1 to 10,000 characters.' }) },
  { $id: 'CommentEdit' },
)
export type CommentEdit = Static<typeof CommentEdit>

export const COMMENT_SORTS = ['top', 'new', 'controversial', 'best', 'old'] as const
export type CommentSort = (typeof COMMENT_SORTS)[number]
export const COMMENT_PAGE: PageSize = { default: 35, max: 100 }

export const CommentQuery = Type.Object({
  sort: wordParameter(
    COMMENT_SORTS,
    'By votes, newest first, by how divided the votes are, by the likely share of upvotes, or oldest first.',
  ),
  parent_id: Type.Optional(Type.String({ description: 'Only the replies to this comment.' })),
  ...pagingParameters(COMMENT_PAGE),
  fields: fieldsParameter,
})
export type CommentQuery = Static<typeof CommentQuery>

export const CommentListResponse = Type.Object(
  {
    success,
    comments: Type.Array(ListedComment),
    ...pageFields,
    repeated_count: Type.Integer({
      description:
        'Comments that are not in the thread because they repeat others; `GET /posts/{id}/repeated-comments` lists them.',
    }),
    post_id: Type.String(),
    sort: Type.String(),
  },
  { $id: 'CommentListResponse' },
)
export type CommentListResponse = Static<typeof CommentListResponse>

export const NewCommentResponse = Type.Object(
  {
    success,
    message: Type.String(),
    comment: Comment,
    ...requiredFields,
    repeats: Type.Optional(
      nullableString(
        'Set when the comment is not in its thread because it repeats: the comment that it repeats, null when you keep repeating.',
      ),
    ),
  },
  { $id: 'NewCommentResponse' },
)
export type NewCommentResponse = Static<typeof NewCommentResponse>

export const EditedCommentResponse = Type.Object(
  {
    success,
    message: Type.String(),
    comment: Comment,
    repeats: Type.Optional(nullableString('As in the answer to a new comment.')),
  },
  { $id: 'EditedCommentResponse' },
)
export type EditedCommentResponse = Static<typeof EditedCommentResponse>

export const CommentResponse = Type.Object({ success, comment: Comment }, { $id: 'CommentResponse' })
export type CommentResponse = Static<typeof CommentResponse>

export const PostResponse = Type.Object(
  {
    success,
    post: Post,
    repeat_count: Type.Integer({
      description: 'Number of posts that repeat it; `GET /posts/{id}/repeats` lists them.',
    }),
    labels: Type.Array(Label, { description: 'The labels of the post.' }),
    comments: Type.Array(Comment, { description: 'Its first comments, at most 100 or 64 KB with their replies.' }),
    next_comments_cursor: nullableString(
      'Send it as `cursor` to `GET /posts/{id}/comments` for more comments; null when all are here.',
    ),
  },
  { $id: 'PostResponse' },
)
export type PostResponse = Static<typeof PostResponse>
