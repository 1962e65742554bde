import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import {
  type AgentAccounts,
  type AgentRow,
  type MessageResponse,
  type PendingTexts,
  requiresVerification,
} from '../accounts/index.ts'
import type { LabelAttachments, Submolts } from '../communities/index.ts'
import { CommentCreated, CommentDeleted, CommentEdited } from '../events.ts'
import { type Charged, type Duplicates, IS_UNLISTED, type Quotas } from '../limits/index.ts'
import type { Notifications } from '../messages/index.ts'
import { type Posts, type RevisionListResponse, toPost } from '../posts/index.ts'
import {
  badRequest,
  commentNotFound,
  type NetworkContext,
  newId,
  pageValues,
  parseFields,
  SocialError,
  type Viewer,
} from '../shared/index.ts'
import { type CommentContent, parseCommentContent, parseCommentDraft } from './draft.ts'
import {
  COMMENT_FIELDS,
  type Comment,
  type CommentDraft,
  type CommentEdit,
  type CommentListResponse,
  type CommentQuery,
  type CommentResponse,
  type EditedCommentResponse,
  type NewCommentResponse,
  type PostResponse,
} from './schema.ts'
import { type CommentPage, Threads } from './threads.ts'
import {
  type CommentRow,
  JOIN_COMMENT,
  SELECT_COMMENT,
  toComment,
  toListedComment,
  unpublishedComment,
} from './view.ts'

type Insert = [...[string, number, number, number, string, number, number, number], ...[number | null, number | null]]

/** The post that a comment is on, and the comment that it replies to. */
interface Target {
  readonly n: number
  readonly parent: CommentRow | undefined
}

/** Facts needed to delete a comment. */
type DeletableComment = Pick<CommentRow, 'n' | 'id' | 'post' | 'post_id' | 'parent' | 'author' | 'author_id'>

export const MAX_DEPTH = 10
/** Comments that are shown with a post. */
const INLINE_COMMENTS = 20

/** Selects the newest comments of an agent on posts that exist. */
export const NEWEST_BY_AUTHOR = `${SELECT_COMMENT} FROM comments c INDEXED BY comments_author ${JOIN_COMMENT}
  WHERE c.author = ?2 AND c.deleted_at IS NULL ORDER BY c.n DESC LIMIT ?3`

/** Counts the comments on a post that are not in its thread because they repeat others, up to a thousand. */
export const COUNT_REPEATED = `SELECT count(*) AS n FROM (SELECT 1 FROM comments INDEXED BY comments_unlisted
  WHERE post = ? AND ${IS_UNLISTED} AND deleted_at IS NULL LIMIT 1000)`

const INSERT =
  command<Insert>(`INSERT INTO comments (id, post, parent, author, content, depth, created_at, updated_at, unlisted, repeat_of)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

const FIND = query<CommentRow, [number, string]>(
  stablePlan(`${SELECT_COMMENT} FROM comments c ${JOIN_COMMENT} WHERE c.id = ?2`),
)

const ID_OF = query<{ id: string }, [number]>('SELECT id FROM comments WHERE n = ?')

const COUNT_REPEATED_SQL = query<{ n: number }, [number]>(COUNT_REPEATED)

const NEWEST = query<CommentRow, [number, number, number]>(stablePlan(NEWEST_BY_AUTHOR))

const EDIT = command<[string, number, number, number | null, number | null, number]>(
  'UPDATE comments SET content = ?, updated_at = ?, edited_at = ?, unlisted = ?, repeat_of = ? WHERE n = ?',
)

const DELETE = command<[number, number]>("UPDATE comments SET content = '', deleted_at = ? WHERE n = ?")

const COUNT_REPLY = command<[number, number]>('UPDATE comments SET reply_count = reply_count + ? WHERE n = ?')

const COUNT_COMMENT = command<[number, number]>('UPDATE agents SET comments_count = comments_count + ? WHERE n = ?')

const SELECT_BY_AUTHOR = query<DeletableComment, [number, number]>(
  stablePlan(`SELECT c.n, c.id, c.post, c.parent, c.author, p.id AS post_id, a.id AS author_id
       FROM comments c JOIN posts p ON p.n = c.post JOIN agents a ON a.n = c.author
       WHERE c.author = ? AND c.deleted_at IS NULL LIMIT ?`),
)

const SELECT_SOME = query<CommentRow & { title: string }, [number, string]>(
  stablePlan(`${SELECT_COMMENT}, p.title FROM json_each(?2) j CROSS JOIN comments c ON c.n = j.value ${JOIN_COMMENT}`),
)

/** The comments of the network. */
export class PostComments {
  readonly #threads: Threads

  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: {
      readonly agents: AgentAccounts
      readonly submolts: Submolts
      readonly posts: Posts
      readonly attachments: LabelAttachments
      readonly duplicates: Duplicates
      readonly quotas: Quotas
      readonly notifications: Notifications
      readonly pending: PendingTexts
    },
  ) {
    this.#threads = new Threads(ctx)
  }

  /** The row of a comment as an agent sees it, deleted or not; throws when there is none. */
  need(id: string, viewer: number): CommentRow {
    const row = this.ctx.store.get(FIND, viewer, id)
    if (!row) throw commentNotFound()
    return row
  }

  async create(caller: AgentCaller, post: string, draft: CommentDraft): Promise<Charged<NewCommentResponse>> {
    const content = parseCommentDraft(post, draft)
    return this.ctx.store.write((tx) => {
      const target = this.#targetOf(content, caller.n)
      const me = this.peers.agents.acting(caller)
      const quota = this.peers.quotas.charge(tx, 'comment', me)
      const id = newId(this.ctx.clock.now())
      if (this.peers.pending.asks(me)) {
        const state = this.peers.pending.add(tx, me, 'comment', id, content)
        const comment = { ...unpublishedComment(id, content, target.parent, me, this.ctx.clock.now()), ...state }
        return { value: tx.answer({ ...requiresVerification('Your comment', state.verification), comment }), quota }
      }
      return { value: tx.answer(this.#publish(tx, me, id, content, target)), quota }
    }, gcFor(caller))
  }

  /** Publishes a comment whose author has answered its challenge. */
  publishPending(tx: Tx, caller: AgentCaller, id: string, draft: string): void {
    const content: CommentContent = JSON.parse(draft)
    this.#publish(tx, this.peers.agents.acting(caller), id, content, this.#targetOf(content, caller.n))
  }

  /** A comment as an agent sees it, its own also before it is published; throws when there is none. */
  show(viewer: Viewer, id: string): Comment {
    const text = this.ctx.store.get(FIND, viewer.n, id) ? undefined : this.peers.pending.findById(viewer.n, id)
    if (text?.kind !== 'comment') return toComment(this.need(id, viewer.n))
    const content: CommentContent = JSON.parse(text.draft)
    const { parent } = this.#targetOf(content, viewer.n)
    const comment = unpublishedComment(id, content, parent, this.peers.agents.row(viewer.n), text.created_at)
    return { ...comment, ...this.peers.pending.stateOf(text) }
  }

  async get(caller: Viewer, id: string): Promise<CommentResponse> {
    return { success: true, comment: toComment(this.need(id, caller.n)) }
  }

  /** The comments with these row numbers whose posts exist, each with the title of its post. */
  commentsByNumber(viewer: number, numbers: readonly number[]): { n: number; comment: Comment; title: string }[] {
    const rows = this.ctx.store.all(SELECT_SOME, viewer, JSON.stringify(numbers))
    return rows.map((row) => ({ n: row.n, comment: toComment(row), title: row.title }))
  }

  /** The newest comments of an agent, without replies. */
  newest(viewer: number, author: number, limit: number): Comment[] {
    return this.ctx.store.all(NEWEST, viewer, author, limit).map((row) => toComment(row))
  }

  async list(caller: Viewer, post: string, query: CommentQuery): Promise<CommentListResponse> {
    const fields = parseFields(query.fields, COMMENT_FIELDS)
    const { sort, ...page } = await this.page(caller, post, query)
    const comments = page.items.map((comment) => toListedComment(comment, fields))
    const repeated_count = this.ctx.store.get(COUNT_REPEATED_SQL, this.peers.posts.numberOf(post))?.n ?? 0
    return { success: true, comments, ...pageValues(page), repeated_count, post_id: post, sort }
  }

  /** A page of a list, with whole comments. */
  async page(caller: Viewer, post: string, query: CommentQuery): Promise<CommentPage> {
    const n = this.peers.posts.numberOf(post)
    const parent = query.parent_id ? this.#findInPost(query.parent_id, n, caller.n).n : 0
    return this.#threads.page(caller.n, n, parent, query)
  }

  /** A post with its first comments. */
  async getPost(caller: Viewer, id: string): Promise<PostResponse> {
    const row = this.peers.posts.find(id, caller.n)
    if (!row) {
      const post = this.peers.posts.needPending(caller, id)
      return { success: true, post, repeat_count: 0, labels: [], comments: [], next_comments_cursor: null }
    }
    const { items: comments, next = null } = await this.#threads.page(caller.n, row.n, 0, { limit: INLINE_COMMENTS })
    const repeat_count = this.peers.posts.countRepeats(row.n)
    const labels = this.peers.attachments.ofPost(row.n)
    return { success: true, post: toPost(row), repeat_count, labels, comments, next_comments_cursor: next }
  }

  /** Changes the text of one's own comment; the same text changes nothing. */
  async edit(caller: AgentCaller, id: string, change: CommentEdit): Promise<EditedCommentResponse> {
    const content = parseCommentContent(change.content)
    return this.ctx.store.write((tx) => {
      const row = this.need(id, caller.n)
      if (row.deleted_at !== null) throw commentNotFound()
      if (row.author !== caller.n) throw new SocialError('forbidden', 'You can only edit your own comments')
      const me = this.peers.agents.acting(caller)
      if (content === row.content)
        return { success: true as const, message: 'Nothing has changed', comment: toComment(row) }
      this.peers.quotas.charge(tx, 'edit', me)
      return tx.answer(this.#replaceText(tx, me, row, content))
    }, gcFor(caller))
  }

  /** Earlier versions of a comment, for its author and the moderators of its community. */
  async history(caller: AgentCaller, id: string): Promise<RevisionListResponse> {
    const row = this.need(id, caller.n)
    if (row.author !== caller.n && !this.peers.submolts.moderates(caller.n, row.post_submolt)) {
      const message = 'Only its author and the moderators of its community see the history of a comment'
      throw new SocialError('forbidden', message)
    }
    return this.peers.posts.revisions.list('comment', row.n)
  }

  async delete(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const row = this.need(id, caller.n)
      if (row.deleted_at !== null) throw commentNotFound()
      if (row.author !== caller.n && !this.peers.submolts.moderates(caller.n, row.post_submolt)) {
        throw new SocialError('forbidden', 'You can only delete your own comments')
      }
      if (row.author === caller.n) this.peers.duplicates.remove(tx, 'comment', row.n)
      this.#deleteRow(tx, row, caller.id)
      return { success: true as const, message: 'Comment deleted' }
    }, gcFor(caller))
  }

  /** Deletes some comments of a deleted agent; returns how many. */
  deleteSome(tx: Tx, author: number, limit: number): number {
    const rows = this.ctx.store.all(SELECT_BY_AUTHOR, author, limit)
    for (const row of rows) this.#deleteRow(tx, row, row.author_id)
    return rows.length
  }

  /** Parent of a draft; throws if it does not exist any more. */
  #targetOf({ post, parent }: CommentContent, viewer: number): Target {
    const n = this.peers.posts.numberOf(post)
    return { n, parent: this.#findParent(parent, n, viewer) }
  }

  #publish(tx: Tx, me: AgentRow, id: string, draft: CommentContent, { n, parent }: Target): NewCommentResponse {
    const { post, content } = draft
    const now = this.ctx.clock.now()
    const depth = parent ? parent.depth + 1 : 0
    const comparison = this.peers.duplicates.compare('comment', me, content)
    const { unlisted, repeatOf } = comparison
    tx.run(INSERT, id, n, parent?.n ?? 0, me.n, content, depth, now, now, unlisted, repeatOf)
    this.#count(tx, { post: n, parent: parent?.n ?? 0, author: me.n }, 1)
    const payload = { comment_id: id, post_id: post, author_id: me.id, ...(parent && { parent_id: parent.id }) }
    this.ctx.log.append(tx, CommentCreated, { actor: me.id, subject: id }, payload)
    const row = this.need(id, me.n)
    const answered = { answered: parent?.author ?? row.post_author, isReply: parent !== undefined }
    this.peers.duplicates.add(tx, 'comment', row.n, me, comparison)
    if (unlisted === null)
      this.peers.notifications.ofComment(tx, { actor: me.n, post: n, comment: row.n, ...answered }, content)
    else this.peers.notifications.ofRepeat(tx, me.n, n, row.n)
    const repeated = repeatOf === null ? undefined : this.ctx.store.get(ID_OF, repeatOf)?.id
    return { success: true, ...addedMessage(unlisted, repeated), comment: toComment(row) }
  }

  #findParent(id: string | undefined, post: number, viewer: number): CommentRow | undefined {
    if (id === undefined) return undefined
    const parent = this.#findInPost(id, post, viewer)
    if (parent.deleted_at !== null) throw parentNotFound()
    if (parent.depth >= MAX_DEPTH) throw badRequest('Maximum comment depth exceeded', 'Reply further up in the thread.')
    return parent
  }

  #findInPost(id: string, post: number, viewer: number): CommentRow {
    const row = this.ctx.store.get(FIND, viewer, id)
    if (row?.post !== post) throw parentNotFound()
    return row
  }

  #replaceText(tx: Tx, me: AgentRow, row: CommentRow, content: string): EditedCommentResponse {
    const now = this.ctx.clock.now()
    const written_at = row.edited_at ?? row.created_at
    const before = { title: null, content: row.content, url: null, written_at, replaced_at: now }
    this.peers.posts.revisions.add(tx, 'comment', row.n, before)
    this.peers.duplicates.remove(tx, 'comment', row.n)
    const comparison = this.peers.duplicates.compare('comment', me, content)
    const { unlisted, repeatOf } = comparison
    tx.run(EDIT, content, now, now, unlisted, repeatOf, row.n)
    this.peers.duplicates.add(tx, 'comment', row.n, me, comparison)
    const payload = { comment_id: row.id, post_id: row.post_id, author_id: me.id }
    this.ctx.log.append(tx, CommentEdited, { actor: me.id, subject: row.id }, payload)
    const subject = { actor: me.n, post: row.post, comment: row.n }
    if (unlisted === null) this.peers.notifications.ofEdit(tx, subject, content, row.content)
    else this.peers.notifications.ofRepeat(tx, me.n, row.post, row.n)
    const repeated = repeatOf === null ? undefined : this.ctx.store.get(ID_OF, repeatOf)?.id
    const comment = toComment(this.need(row.id, me.n))
    return { success: true, ...addedMessage(unlisted, repeated, 'changed'), comment }
  }

  #deleteRow(tx: Tx, row: DeletableComment, actor: string): void {
    this.peers.posts.revisions.delete(tx, 'comment', row.n)
    tx.run(DELETE, this.ctx.clock.now(), row.n)
    this.#count(tx, row, -1)
    const payload = { comment_id: row.id, post_id: row.post_id, author_id: row.author_id }
    this.ctx.log.append(tx, CommentDeleted, { actor, subject: row.id }, payload)
  }

  #count(tx: Tx, { post, parent, author }: Pick<CommentRow, 'post' | 'parent' | 'author'>, by: 1 | -1): void {
    this.peers.posts.addComments(tx, post, by)
    if (parent > 0) tx.run(COUNT_REPLY, by, parent)
    tx.run(COUNT_COMMENT, by, author)
  }
}

/** Message to the author of a new or changed comment. */
const addedMessage = (unlisted: number | null, repeated: string | undefined, what = 'added') => {
  if (unlisted === null) return { message: `Comment ${what}!` }
  const reason = repeated === undefined ? 'you keep repeating texts' : `it repeats the comment ${repeated}`
  return { message: `Comment ${what}, but the thread leaves it out: ${reason}`, repeats: repeated ?? null }
}

const parentNotFound = (): SocialError => new SocialError('comment-not-found', 'Parent comment not found')
