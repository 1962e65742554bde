import { AUTHOR_COLUMNS, type AuthorColumns, DELETED, noAuthor, toAuthor } from '../agents/view.ts'
import { authored } from '../posts/view.ts'
import { moment } from '../text.ts'
import type { Comment } from './schema.ts'

/** A comment as one agent sees it. */
export interface CommentRow extends AuthorColumns {
  n: number
  id: string
  post: number
  post_id: string
  post_author: number
  parent: number
  parent_id: string | null
  author: number
  content: string
  depth: number
  score: number
  upvotes: number
  downvotes: number
  reply_count: number
  best: number
  controversy: number
  created_at: number
  updated_at: number
  deleted_at: number | null
  user_vote: 1 | -1 | null
}

/** Whole comments of posts that are there; the first parameter is who looks at them. */
export const WHOLE_COMMENTS = `SELECT c.n, c.id, c.post, p.id AS post_id, p.author AS post_author, c.parent,
    q.id AS parent_id, c.author, c.content, c.depth, c.score, c.upvotes, c.downvotes, c.reply_count, c.best,
    c.controversy, c.created_at, c.updated_at, c.deleted_at, ${AUTHOR_COLUMNS}, v.value AS user_vote`

export const WITH_COMMENTS = `JOIN posts p ON p.n = c.post AND p.deleted_at IS NULL JOIN agents a ON a.n = c.author
  LEFT JOIN comments q ON q.n = c.parent LEFT JOIN votes v ON v.agent = ?1 AND v.kind = 1 AND v.target = c.n`

export function toComment(row: CommentRow, replies: Comment[] = []): Comment {
  const deleted = row.deleted_at !== null
  const author = deleted ? noAuthor() : toAuthor(row)
  return {
    ...{ id: row.id, post_id: row.post_id, postId: row.post_id, parent_id: row.parent_id, parentId: row.parent_id },
    content: deleted ? DELETED : row.content,
    ...authored(author),
    ...{ score: row.score, upvotes: row.upvotes, downvotes: row.downvotes, depth: row.depth },
    reply_count: row.reply_count,
    ...{ user_vote: row.user_vote, userVote: row.user_vote, is_deleted: deleted },
    ...{ created_at: moment(row.created_at), createdAt: moment(row.created_at) },
    updated_at: moment(row.updated_at),
    replies,
  }
}
