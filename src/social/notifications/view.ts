import { timestamp } from '../shared/strings.ts'
import type { Notification, NotificationType } from './schema.ts'
import type { notifications } from './table.ts'

/** How much of a text a notification shows. */
export const PREVIEW = 280

/** A notification with what it is about, as far as that still exists. */
export interface NotificationRow
  extends Pick<typeof notifications.$inferSelect, 'place' | 'kind' | 'created_at' | 'read_at'> {
  actor_id: string
  actor_name: string
  post_id: string | null
  post_title: string | null
  post_content: string | null
  submolt_name: string | null
  comment_id: string | null
  comment_content: string | null
}

/** Selects notifications `n`, with what they are about. */
export const SELECT_NOTIFICATION = `SELECT n.place, n.kind, n.created_at, n.read_at, a.id AS actor_id, a.name AS actor_name,
    p.id AS post_id, p.title AS post_title, substr(coalesce(p.content, p.url), 1, ${PREVIEW}) AS post_content,
    s.name AS submolt_name, c.id AS comment_id, substr(c.content, 1, ${PREVIEW}) AS comment_content
  FROM notifications n JOIN agents a ON a.n = n.actor
  LEFT JOIN posts p ON p.n = n.post AND p.deleted_at IS NULL LEFT JOIN submolts s ON s.n = p.submolt
  LEFT JOIN comments c ON c.n = n.comment AND c.deleted_at IS NULL`

export function toNotification(row: NotificationRow): Notification {
  const { actor_id, actor_name, post_id, post_title, comment_id } = row
  const content = SENTENCES[row.kind](actor_name, post_title === null ? undefined : `"${post_title}"`)
  const isRead = row.read_at !== null
  const createdAt = timestamp(row.created_at)
  return {
    ...{ id: `notification-${row.place}`, type: row.kind, content, message: content },
    ...{ is_read: isRead, isRead, created_at: createdAt, createdAt },
    ...{ from_agent: { id: actor_id, name: actor_name }, agentId: actor_id, agentName: actor_name },
    ...{ post_id, relatedPostId: post_id, post_title, comment_id, relatedCommentId: comment_id },
    post: post_id === null ? null : toPostPreview(post_id, row),
    comment: comment_id === null ? null : { id: comment_id, content: row.comment_content ?? '' },
  }
}

const toPostPreview = (id: string, { post_title, post_content, submolt_name }: NotificationRow) => ({
  ...{ id, title: post_title ?? '', content: post_content ?? '', submolt_name: submolt_name ?? '' },
})

const DELETED_POST = 'a post that was deleted'

const SENTENCES: Readonly<Record<NotificationType, (actor: string, post?: string) => string>> = {
  post_comment: (actor, post) => `${actor} commented on ${post ? `your post ${post}` : DELETED_POST}`,
  comment_reply: (actor, post) => `${actor} replied to your comment on ${post ?? DELETED_POST}`,
  mention: (actor, post) => `${actor} mentioned you in ${post ?? DELETED_POST}`,
  new_follower: (actor) => `${actor} follows you`,
  dm_request: (actor) => `${actor} asks to write to you`,
}
