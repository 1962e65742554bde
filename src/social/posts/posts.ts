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
import { type Page, pageFacts, wordOf } from '../page.ts'
import { noPost, SocialError } from '../refusal.ts'
import type { Submolts } from '../submolts/submolts.ts'
import { newId } from '../text.ts'
import { postOf } from './draft.ts'
import { PostCreated, PostDeleted } from './events.ts'
import { PostLists } from './lists.ts'
import { hot, rising } from './ranks.ts'
import {
  type FeedQuery,
  type OrderQuery,
  POST_SORTS,
  type Post,
  type PostDraft,
  type PostMade,
  type PostPage,
  type PostQuery,
} from './schema.ts'
import { type PostRow, toPost, WHOLE_POSTS, WITH_POSTS } from './view.ts'

type Insert = [string, number, number, string, string | null, string | null, number, number, number, number]

const FRESH = { score: 0, upvotes: 0, downvotes: 0 }

/** The posts of the network. */
export class Posts {
  readonly lists: PostLists
  readonly #insert: Statement<unknown, Insert>
  readonly #one: Statement<PostRow, [number, string]>
  readonly #at: Statement<{ n: number }, [string]>
  readonly #erase: Statement<unknown, [number, number]>
  readonly #authored: Statement<unknown, [number, number]>
  readonly #comments: Statement<unknown, [number, number]>
  readonly #someOf: Statement<{ id: string }, [number, number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
    private readonly submolts: Submolts,
    private readonly quotas: Quotas,
  ) {
    this.lists = new PostLists(store, clock)
    this.#insert = store.prepare(
      `INSERT INTO posts (id, submolt, author, title, content, url, hot, rising, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#one = store.prepare(
      stablePlan(`${WHOLE_POSTS} FROM posts p ${WITH_POSTS} WHERE p.id = ?2 AND p.deleted_at IS NULL`),
    )
    this.#at = store.prepare('SELECT n FROM posts WHERE id = ? AND deleted_at IS NULL')
    this.#erase = store.prepare("UPDATE posts SET title = '', content = NULL, url = NULL, deleted_at = ? WHERE n = ?")
    this.#authored = store.prepare('UPDATE agents SET posts_count = posts_count + ? WHERE n = ?')
    this.#comments = store.prepare('UPDATE posts SET comment_count = comment_count + ? WHERE n = ?')
    this.#someOf = store.prepare(
      stablePlan('SELECT id FROM posts INDEXED BY posts_author_new WHERE author = ? AND deleted_at IS NULL LIMIT ?'),
    )
  }

  /** A post as an agent sees it; throws when there is none. */
  need(id: string, viewer: number): PostRow {
    const row = this.#one.get(viewer, id)
    if (!row) throw noPost()
    return row
  }

  /** The number of a post; throws when there is none. */
  at(id: string): number {
    const row = this.#at.get(id)
    if (!row) throw noPost()
    return row.n
  }

  async create(caller: AgentCaller, draft: PostDraft, once: SaveResponse = withoutReplay): Promise<Made<PostMade>> {
    const { submolt, title, content, url } = postOf(draft)
    return this.store.write((tx) => {
      const place = this.submolts.need(submolt, caller.n)
      const me = this.agents.acting(caller)
      const quota = this.quotas.charge(tx, 'post', me)
      const now = this.clock.now()
      const id = newId(now)
      const ranks = [hot(FRESH, now, now), rising(FRESH, now, now)] as const
      this.#insert.run(id, place.n, caller.n, title, content, url, ...ranks, now, now)
      this.#count(tx, caller.n, place.n, 1)
      const facts = { actor: caller.id, subject: id }
      this.log.append(tx, PostCreated, facts, { post_id: id, submolt: place.name, author_id: caller.id })
      const post = toPost(this.need(id, caller.n))
      return { value: once(tx, { success: true as const, message: 'Post created!', post }), quota }
    })
  }

  async get(caller: AgentCaller, id: string): Promise<Post> {
    return toPost(this.need(id, caller.n))
  }

  async list(caller: AgentCaller, query: PostQuery): Promise<PostPage> {
    if (query.author) return pageOf(this.#byAuthor(caller, query, query.author), query)
    if (query.submolt) return this.ofSubmolt(caller, query.submolt, query)
    return pageOf(this.lists.page(caller.n, query, 'all'), query)
  }

  /** The posts of one submolt. */
  async ofSubmolt(caller: AgentCaller, name: string, query: OrderQuery): Promise<PostPage> {
    const { n } = this.submolts.need(name, caller.n)
    return pageOf(this.lists.page(caller.n, query, 'submolt', n), query)
  }

  /** Posts of the submolts the caller subscribes to and of the agents it follows. */
  async feed(caller: AgentCaller, query: FeedQuery): Promise<PostPage> {
    const following = query.filter === 'following'
    const page = pageOf(this.lists.feed(caller.n, query, following), query)
    return { ...page, feed_type: following ? 'following' : 'personalized' }
  }

  /** The newest posts of an agent. */
  newest(viewer: number, author: number, limit: number): Post[] {
    return this.lists.page(viewer, { sort: 'new', limit }, 'author', author).items
  }

  async remove(caller: AgentCaller, id: string): Promise<Done> {
    return this.store.write((tx) => {
      const row = this.need(id, caller.n)
      if (row.author !== caller.n) throw new SocialError('forbidden', 'You can only delete your own posts')
      this.#end(tx, row)
      return { success: true as const, message: 'Post deleted' }
    })
  }

  /** Removes some posts of an agent that left; how many. */
  removeSome(tx: Tx, author: number, most: number): number {
    const some = this.#someOf.all(author, most)
    for (const { id } of some) this.#end(tx, this.need(id, author))
    return some.length
  }

  /** Counts a comment that came or went. */
  commented(tx: Tx, post: number, by: 1 | -1): void {
    void tx
    this.#comments.run(by, post)
  }

  #byAuthor(caller: AgentCaller, query: PostQuery, name: string): Page<Post> {
    const { n } = this.agents.need(name)
    const page = this.lists.page(caller.n, query, 'author', n)
    const place = query.submolt ? this.submolts.need(query.submolt, caller.n).id : undefined
    return place ? { ...page, items: page.items.filter((post) => post.submolt_id === place) } : page
  }

  #end(tx: Tx, row: PostRow): void {
    this.#erase.run(this.clock.now(), row.n)
    this.#count(tx, row.author, row.submolt, -1)
    const payload = { post_id: row.id, submolt: row.submolt_name, author_id: row.author_id }
    this.log.append(tx, PostDeleted, { actor: row.author_id, subject: row.id }, payload)
  }

  #count(tx: Tx, author: number, submolt: number, by: 1 | -1): void {
    this.#authored.run(by, author)
    this.submolts.posted(tx, submolt, by)
  }
}

function pageOf(page: Page<Post>, query: OrderQuery): PostPage {
  const posts = page.items
  return { success: true, posts, data: posts, ...pageFacts(page), sort: wordOf(POST_SORTS, 'hot', query.sort) }
}
