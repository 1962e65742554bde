import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { cursorAfterKey, fillPage, parseKeyCursor } from '../../../http/respond/index.ts'
import type { AgentAccounts } from '../../accounts/index.ts'
import { type NetworkContext, parseLimit, postNotFound, timestamp } from '../../shared/index.ts'
import { mentionedNames } from './mentions.ts'
import {
  NOTIFICATION_PAGE,
  type Notification,
  type NotificationListResponse,
  type NotificationQuery,
  type NotificationsReadResponse,
  type NotificationType,
} from './schema.ts'
import type { notifications } from './table.ts'

/** Length of a text in a notification. */
const PREVIEW = 280

/** A notification with what it is about, as far as that still exists. */
interface NotificationRow extends Pick<typeof notifications.$inferSelect, 'place' | 'kind' | 'created_at' | 'read_at'> {
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
const SELECT_NOTIFICATION = `SELECT n.place, n.kind, n.created_at, n.read_at, a.id AS actor_id, a.name AS actor_name,
    p.id AS post_id, p.title AS post_title, substr(coalesce(p.content, p.url), 1, ${PREVIEW}) AS post_content,
    s.name AS submolt_name, c.id AS comment_id, substr(c.content, 1, ${PREVIEW}) AS comment_content
  FROM notifications n JOIN agents a ON a.n = n.actor
  LEFT JOIN posts p ON p.n = n.post AND p.deleted_at IS NULL LEFT JOIN submolts s ON s.n = p.submolt
  LEFT JOIN comments c ON c.n = n.comment AND c.deleted_at IS NULL`

function toNotification(row: NotificationRow): Notification {
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
  repeat: (_, post) => `Lists leave out what you wrote, because it repeats another text: ${post ?? DELETED_POST}`,
}

/** The subject of a notification, by row numbers. */
interface NotificationSubject {
  readonly kind: NotificationType
  readonly actor: number
  readonly post?: number
  readonly comment?: number
}

/** Unread notifications about one post. */
export interface PostActivity {
  readonly post: number
  readonly post_id: string
  readonly post_title: string
  readonly submolt_name: string
  readonly count: number
}

/** A notification about a post, as little of it as an overview shows. */
export interface RecentNotification {
  readonly actor_name: string
  readonly created_at: number
  readonly comment_content: string | null
}

/** Number of notifications of one agent that are stored. */
const MAX_STORED = 2_000

export const NOTIFICATION_SQL = {
  page: `${SELECT_NOTIFICATION} WHERE n.agent = ? AND n.place < ? AND (? = 'all' OR n.read_at IS NULL) ORDER BY n.place DESC LIMIT ?`,
  unreadPosts: `SELECT post, count(*) AS count, max(place) AS newest FROM notifications INDEXED BY notifications_unread
    WHERE agent = ? AND read_at IS NULL AND post > 0 AND actor <> agent GROUP BY post ORDER BY newest DESC`,
  post: `SELECT p.id AS post_id, p.title AS post_title, s.name AS submolt_name FROM posts p JOIN submolts s ON s.n = p.submolt
    WHERE p.n = ? AND p.deleted_at IS NULL`,
  recent: `SELECT a.name AS actor_name, n.created_at, substr(c.content, 1, ${PREVIEW}) AS comment_content
    FROM notifications n INDEXED BY notifications_unread JOIN agents a ON a.n = n.actor
    LEFT JOIN comments c ON c.n = n.comment AND c.deleted_at IS NULL
    WHERE n.agent = ? AND n.post = ? AND n.read_at IS NULL AND n.actor <> n.agent ORDER BY n.place DESC LIMIT ?`,
  hasUnread: `SELECT 1 AS one FROM notifications INDEXED BY notifications_unread
    WHERE agent = ? AND post = 0 AND read_at IS NULL AND kind = ? AND actor = ?`,
  readPost: 'UPDATE notifications SET read_at = ? WHERE agent = ? AND post = ? AND read_at IS NULL',
  readAll: 'UPDATE notifications SET read_at = ? WHERE agent = ? AND read_at IS NULL',
}

const INSERT = command<
  [number, number, string, number, number, number, number],
  { place: number }
>(`INSERT INTO notifications (agent, place, kind, actor, post, comment, created_at)
       VALUES (?, 1 + coalesce((SELECT max(place) FROM notifications WHERE agent = ?), 0), ?, ?, ?, ?, ?) RETURNING place`)

const TRIM = command<[number, number]>('DELETE FROM notifications WHERE agent = ? AND place <= ?')

const HAS_UNREAD = query<{ one: number }, [number, NotificationType, number]>(stablePlan(NOTIFICATION_SQL.hasUnread))

const PAGE = query<NotificationRow, [number, number, string, number]>(stablePlan(NOTIFICATION_SQL.page))

const COUNTS = query<
  { total: number; unread: number },
  [number, number]
>(`SELECT (SELECT count(*) FROM notifications WHERE agent = ?) AS total,
         (SELECT count(*) FROM notifications INDEXED BY notifications_unread WHERE agent = ? AND read_at IS NULL) AS unread`)

const UNREAD_POSTS = query<Pick<PostActivity, 'post' | 'count'>, [number]>(stablePlan(NOTIFICATION_SQL.unreadPosts))

const POST = query<Omit<PostActivity, 'post' | 'count'>, [number]>(NOTIFICATION_SQL.post)

const RECENT = query<RecentNotification, [number, number, number]>(stablePlan(NOTIFICATION_SQL.recent))

const POST_NUMBER = query<{ n: number }, [string]>('SELECT n FROM posts WHERE id = ?')

const READ_POST = command<[number, number, number]>(stablePlan(NOTIFICATION_SQL.readPost))

const READ_ALL = command<[number, number]>(stablePlan(NOTIFICATION_SQL.readAll))

const DELETE_SOME = command<[number, number]>(
  'DELETE FROM notifications WHERE agent = ? AND place IN (SELECT place FROM notifications WHERE agent = ?1 LIMIT ?2)',
)

/** Notifications of an agent: comments on its posts, replies to its comments, mentions, new followers, repeats. */
export class Notifications {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
  ) {}

  /** Notifies of a post: the agents it mentions. */
  ofPost(tx: Tx, actor: number, post: number, text: string): void {
    this.#ofMentions(tx, { kind: 'mention', actor, post }, text, [actor])
  }

  /** Notifies of an edit: the agents that the text did not mention before. */
  ofEdit(tx: Tx, subject: Omit<NotificationSubject, 'kind'>, text: string, before: string): void {
    const known = mentionedNames(before).flatMap((name) => this.agents.find(name)?.n ?? [])
    this.#ofMentions(tx, { kind: 'mention', ...subject }, text, [subject.actor, ...known])
  }

  /** Notifies of a comment: the author of what it answers, and the agents it mentions. */
  ofComment(
    tx: Tx,
    {
      actor,
      post,
      comment,
      answered,
      isReply,
    }: Required<Omit<NotificationSubject, 'kind'>> & { answered: number; isReply: boolean },
    text: string,
  ): void {
    if (answered !== actor)
      this.#add(tx, answered, { kind: isReply ? 'comment_reply' : 'post_comment', actor, post, comment })
    this.#ofMentions(tx, { kind: 'mention', actor, post, comment }, text, [actor, answered])
  }

  /** Notifies an author that lists leave out its post, or its comment on a post. */
  ofRepeat(tx: Tx, agent: number, post: number, comment = 0): void {
    this.#add(tx, agent, { kind: 'repeat', actor: agent, post, comment })
  }

  /** Notifies of a new follower, once until that is read. */
  ofFollower(tx: Tx, agent: number, follower: number): void {
    this.#addOnce(tx, agent, { kind: 'new_follower', actor: follower })
  }

  /** Notifies of a request for a conversation, once until that is read. */
  ofRequest(tx: Tx, agent: number, actor: number): void {
    this.#addOnce(tx, agent, { kind: 'dm_request', actor })
  }

  async list({ n }: AgentCaller, query: NotificationQuery): Promise<NotificationListResponse> {
    const filter = query.filter === 'unread' ? 'unread' : 'all'
    const list = `notifications.${filter}`
    const [before = Number.MAX_SAFE_INTEGER] = parseKeyCursor(query.cursor, list, 1) ?? []
    const limit = parseLimit(query.limit, NOTIFICATION_PAGE)
    const rows = this.ctx.store.iterate(PAGE, n, before, filter, limit + 1)
    const { items, last } = fillPage(rows, limit, toNotification)
    const { total, unread } = this.#count(n)
    return {
      ...{ success: true, notifications: items, total, unread_count: unread, has_more: last !== undefined },
      next_cursor: last ? cursorAfterKey(list, [last.place]) : null,
    }
  }

  countUnread({ n }: AgentCaller): number {
    return this.#count(n).unread
  }

  /** The posts with unread notifications, those with the newest first. */
  activity({ n }: AgentCaller, limit: number): PostActivity[] {
    const threads: PostActivity[] = []
    for (const unread of this.ctx.store.iterate(UNREAD_POSTS, n)) {
      const post = this.ctx.store.get(POST, unread.post)
      if (post) threads.push({ ...unread, ...post })
      if (threads.length === limit) break
    }
    return threads
  }

  /** The newest unread notifications about a post, by row number. */
  recent({ n }: AgentCaller, post: number, limit: number): RecentNotification[] {
    return this.ctx.store.all(RECENT, n, post, limit)
  }

  /** Marks those about one post as read. */
  async readByPost(caller: AgentCaller, id: string): Promise<NotificationsReadResponse> {
    const { n } = caller
    return this.ctx.store.write((tx) => {
      const post = this.ctx.store.get(POST_NUMBER, id)
      if (!post) throw postNotFound()
      return this.#toReadResponse(n, tx.run(READ_POST, this.ctx.clock.now(), n, post.n).changes)
    }, gcFor(caller))
  }

  async readAll(caller: AgentCaller): Promise<NotificationsReadResponse> {
    const { n } = caller
    return this.ctx.store.write(
      (tx) => this.#toReadResponse(n, tx.run(READ_ALL, this.ctx.clock.now(), n).changes),
      gcFor(caller),
    )
  }

  /** Deletes some notifications of a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    return tx.run(DELETE_SOME, agent, limit).changes
  }

  #ofMentions(tx: Tx, occasion: NotificationSubject, text: string, others: readonly number[]): void {
    for (const name of mentionedNames(text)) {
      const agent = this.agents.find(name)
      if (agent && !others.includes(agent.n)) this.#add(tx, agent.n, occasion)
    }
  }

  /** Adds one about no post, unless there is the same unread. */
  #addOnce(tx: Tx, agent: number, occasion: NotificationSubject): void {
    if (!this.ctx.store.get(HAS_UNREAD, agent, occasion.kind, occasion.actor)) this.#add(tx, agent, occasion)
  }

  #add(tx: Tx, agent: number, { kind, actor, post = 0, comment = 0 }: NotificationSubject): void {
    const place =
      tx.get(INSERT, ...([agent, agent, kind, actor, post, comment, this.ctx.clock.now()] as const))?.place ?? 0
    if (place > MAX_STORED) tx.run(TRIM, agent, place - MAX_STORED)
  }

  #count(agent: number): { total: number; unread: number } {
    return this.ctx.store.get(COUNTS, agent, agent) ?? { total: 0, unread: 0 }
  }

  #toReadResponse(agent: number, marked_count: number): NotificationsReadResponse {
    const message = marked_count === 0 ? 'Nothing was unread' : 'Marked as read'
    return { success: true, message, marked_count, unread_count: this.#count(agent).unread }
  }
}
