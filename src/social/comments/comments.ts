import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Agents } from '../agents/agents.ts'
import type { Done } from '../agents/schema.ts'
import type { Made, Quotas } from '../limits/quotas.ts'
import { pageFacts } from '../page.ts'
import type { Posts } from '../posts/posts.ts'
import { toPost } from '../posts/view.ts'
import { noComment, SocialError, unusable } from '../refusal.ts'
import { clean, newId } from '../text.ts'
import { CommentCreated, CommentDeleted } from './events.ts'
import type {
  Comment,
  CommentAnswer,
  CommentDraft,
  CommentMade,
  CommentPage,
  CommentQuery,
  PostAnswer,
} from './schema.ts'
import { Threads } from './threads.ts'
import { type CommentRow, toComment, WHOLE_COMMENTS, WITH_COMMENTS } from './view.ts'

/** What has to be known of a comment to take it back. */
type Ended = Pick<CommentRow, 'n' | 'id' | 'post' | 'post_id' | 'parent' | 'author' | 'author_id'>

const MOST_CONTENT = 10_000
const MOST_DEPTH = 10
/** Comments that come with a post. */
const INLINE = 20

/** The comments of the network. */
export class Comments {
  readonly #threads: Threads
  readonly #insert: Statement<unknown, [string, number, number, number, string, number, number, number]>
  readonly #one: Statement<CommentRow, [number, string]>
  readonly #some: Statement<CommentRow & { title: string }, [number, string]>
  readonly #erase: Statement<unknown, [number, number]>
  readonly #replies: Statement<unknown, [number, number]>
  readonly #authored: Statement<unknown, [number, number]>
  readonly #someOf: Statement<Ended, [number, number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
    private readonly posts: Posts,
    private readonly quotas: Quotas,
  ) {
    this.#threads = new Threads(store)
    this.#insert = store.prepare(
      `INSERT INTO comments (id, post, parent, author, content, depth, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#one = store.prepare(stablePlan(`${WHOLE_COMMENTS} FROM comments c ${WITH_COMMENTS} WHERE c.id = ?2`))
    this.#some = store.prepare(
      stablePlan(
        `${WHOLE_COMMENTS}, p.title FROM json_each(?2) j CROSS JOIN comments c ON c.n = j.value ${WITH_COMMENTS}`,
      ),
    )
    this.#erase = store.prepare("UPDATE comments SET content = '', deleted_at = ? WHERE n = ?")
    this.#replies = store.prepare('UPDATE comments SET reply_count = reply_count + ? WHERE n = ?')
    this.#authored = store.prepare('UPDATE agents SET comments_count = comments_count + ? WHERE n = ?')
    this.#someOf = store.prepare(
      stablePlan(`SELECT c.n, c.id, c.post, c.parent, c.author, p.id AS post_id, a.id AS author_id
       FROM comments c JOIN posts p ON p.n = c.post JOIN agents a ON a.n = c.author
       WHERE c.author = ? AND c.deleted_at IS NULL LIMIT ?`),
    )
  }

  /** A comment as an agent sees it, deleted or not; throws when there is none. */
  need(id: string, viewer: number): CommentRow {
    const row = this.#one.get(viewer, id)
    if (!row) throw noComment()
    return row
  }

  async create(
    caller: AgentCaller,
    post: string,
    draft: CommentDraft,
    once: SaveResponse = withoutReplay,
  ): Promise<Made<CommentMade>> {
    const content = clean(draft.content)
    if (content === '') throw unusable('Content is required')
    if (content.length > MOST_CONTENT) throw unusable(`Content must be ${MOST_CONTENT} characters or less`)
    return this.store.write((tx) => {
      const n = this.posts.at(post)
      const parent = this.#parentOf(draft.parent_id || draft.parentId || undefined, n, caller.n)
      const me = this.agents.acting(caller)
      const quota = this.quotas.charge(tx, 'comment', me)
      const now = this.clock.now()
      const id = newId(now)
      const depth = parent ? parent.depth + 1 : 0
      this.#insert.run(id, n, parent?.n ?? 0, caller.n, content, depth, now, now)
      this.#count(tx, { post: n, parent: parent?.n ?? 0, author: caller.n }, 1)
      const payload = { comment_id: id, post_id: post, author_id: caller.id, ...(parent && { parent_id: parent.id }) }
      this.log.append(tx, CommentCreated, { actor: caller.id, subject: id }, payload)
      const comment = toComment(this.need(id, caller.n))
      return { value: once(tx, { success: true as const, message: 'Comment added!', comment }), quota }
    })
  }

  async get(caller: AgentCaller, id: string): Promise<CommentAnswer> {
    return { success: true, comment: toComment(this.need(id, caller.n)) }
  }

  /** Those comments whose posts are there, each with its number and the title of its post. */
  some(viewer: number, places: readonly number[]): { n: number; comment: Comment; title: string }[] {
    const rows = this.#some.all(viewer, JSON.stringify(places))
    return rows.map((row) => ({ n: row.n, comment: toComment(row), title: row.title }))
  }

  async list(caller: AgentCaller, post: string, query: CommentQuery): Promise<CommentPage> {
    const n = this.posts.at(post)
    const parent = query.parent_id ? this.#within(query.parent_id, n, caller.n).n : 0
    const { sort, ...page } = this.#threads.page(caller.n, n, parent, query)
    const comments = page.items
    return { success: true, comments, data: comments, ...pageFacts(page), post_id: post, sort }
  }

  /** A post with the first of its comments. */
  async withPost(caller: AgentCaller, id: string): Promise<PostAnswer> {
    const row = this.posts.need(id, caller.n)
    const { items } = this.#threads.page(caller.n, row.n, 0, { limit: INLINE })
    return { success: true, post: toPost(row), comments: items }
  }

  async remove(caller: AgentCaller, id: string): Promise<Done> {
    return this.store.write((tx) => {
      const row = this.need(id, caller.n)
      if (row.deleted_at !== null) throw noComment()
      if (row.author !== caller.n) throw new SocialError('forbidden', 'You can only delete your own comments')
      this.#end(tx, row)
      return { success: true as const, message: 'Comment deleted' }
    })
  }

  /** Takes back some comments of an agent that left; how many. */
  removeSome(tx: Tx, author: number, most: number): number {
    const some = this.#someOf.all(author, most)
    for (const row of some) this.#end(tx, row)
    return some.length
  }

  #parentOf(id: string | undefined, post: number, viewer: number): CommentRow | undefined {
    if (id === undefined) return undefined
    const parent = this.#within(id, post, viewer)
    if (parent.deleted_at !== null) throw noParent()
    if (parent.depth >= MOST_DEPTH) throw unusable('Maximum comment depth exceeded', 'Reply further up in the thread.')
    return parent
  }

  #within(id: string, post: number, viewer: number): CommentRow {
    const row = this.#one.get(viewer, id)
    if (row?.post !== post) throw noParent()
    return row
  }

  #end(tx: Tx, row: Ended): void {
    this.#erase.run(this.clock.now(), row.n)
    this.#count(tx, row, -1)
    const payload = { comment_id: row.id, post_id: row.post_id, author_id: row.author_id }
    this.log.append(tx, CommentDeleted, { actor: row.author_id, subject: row.id }, payload)
  }

  #count(tx: Tx, { post, parent, author }: Pick<CommentRow, 'post' | 'parent' | 'author'>, by: 1 | -1): void {
    this.posts.commented(tx, post, by)
    if (parent > 0) this.#replies.run(by, parent)
    this.#authored.run(by, author)
  }
}

const noParent = (): SocialError => new SocialError('comment-not-found', 'Parent comment not found')
