import {
  type AgentRow,
  AUTHOR_COLUMNS,
  type AuthorColumns,
  authorColumns,
  DELETED,
  deletedAuthor,
  toAuthor,
} from '../accounts/index.ts'
import { authorFields, compactAuthor } from '../posts/index.ts'
import { pickFields, timestamp } from '../shared/index.ts'
import type { CommentContent } from './draft.ts'
import type { Comment, ListedComment } from './schema.ts'
import type { comments } from './table.ts'

/** A comment as one agent sees it. */
export interface CommentRow
  extends Omit<typeof comments.$inferSelect, 'top_place' | 'best_place' | 'controversial_place'>,
    AuthorColumns {
  post_id: string
  post_author: number
  post_submolt: number
  parent_id: string | null
  user_vote: 1 | -1 | null
}

/** Selects comments of existing posts as one agent sees them; the first parameter is that agent. */
export const SELECT_COMMENT = `SELECT c.n, c.id, c.post, p.id AS post_id, p.author AS post_author, p.submolt AS post_submolt, c.parent,
    q.id AS parent_id, c.author, c.content, c.depth, c.score, c.upvotes, c.downvotes, c.reply_count, c.best,
    c.controversy, c.created_at, c.updated_at, c.edited_at, c.deleted_at, ${AUTHOR_COLUMNS}, v.value AS user_vote`

export const JOIN_COMMENT = `JOIN posts p ON p.n = c.post AND p.deleted_at IS NULL JOIN agents a ON a.n = c.author
  LEFT JOIN comments q ON q.n = c.parent LEFT JOIN votes v ON v.agent = ?1 AND v.kind = 1 AND v.target = c.n`

export function toComment(row: CommentRow, replies: Comment[] = []): Comment {
  const isDeleted = row.deleted_at !== null
  const author = isDeleted ? deletedAuthor() : toAuthor(row)
  return {
    ...{ id: row.id, post_id: row.post_id, parent_id: row.parent_id },
    content: isDeleted ? DELETED : row.content,
    ...authorFields(author),
    ...{ score: row.score, upvotes: row.upvotes, downvotes: row.downvotes, depth: row.depth },
    reply_count: row.reply_count,
    ...{ user_vote: row.user_vote, is_deleted: isDeleted },
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    edited_at: row.edited_at === null || isDeleted ? null : timestamp(row.edited_at),
    replies,
  }
}

/** A comment as its author sees it before it is published. */
export const unpublishedComment = (
  id: string,
  { post, content }: CommentContent,
  parent: CommentRow | undefined,
  author: AgentRow,
  at: number,
): Comment =>
  toComment({
    ...{ n: 0, id, content, post: 0, post_id: post, post_author: 0, post_submolt: 0, author: author.n },
    ...{ parent: parent?.n ?? 0, parent_id: parent?.id ?? null, depth: parent ? parent.depth + 1 : 0 },
    ...{ score: 0, upvotes: 0, downvotes: 0, reply_count: 0, best: 0, controversy: 0 },
    ...{ unlisted: null, repeat_of: null, deleted_at: null, user_vote: null },
    ...{ ...authorColumns(author), created_at: at, updated_at: at, edited_at: null },
  })

/** A comment in a list, with its replies: the chosen fields, or those that most readers need. */
export function toListedComment(comment: Comment, fields: ReadonlySet<string> | undefined): ListedComment {
  const { id, next_replies_cursor: next } = comment
  const replies = comment.replies.map((reply) => toListedComment(reply, fields))
  const branch = { replies, ...(next !== undefined && { next_replies_cursor: next }) }
  return fields ? { id, ...pickFields(comment, fields), ...branch } : { ...compactComment(comment), ...branch }
}

const compactComment = (comment: Comment): Omit<ListedComment, 'replies'> => ({
  ...{ id: comment.id, post_id: comment.post_id, parent_id: comment.parent_id, content: comment.content },
  author: compactAuthor(comment.author),
  ...{ author_id: comment.author_id, author_name: comment.author_name },
  ...{ score: comment.score, upvotes: comment.upvotes, downvotes: comment.downvotes },
  ...{ depth: comment.depth, reply_count: comment.reply_count },
  ...(comment.user_vote !== null && { user_vote: comment.user_vote }),
  ...{ is_deleted: comment.is_deleted, created_at: comment.created_at },
  ...(comment.edited_at !== null && { edited_at: comment.edited_at }),
})
