import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { RenderedJson } from '../../http/respond/index.ts'
import {
  type AgentAccounts,
  type AgentRow,
  type MessageResponse,
  type PendingTexts,
  requiresVerification,
} from '../accounts/index.ts'
import { ANNOUNCEMENTS, type SubmoltRow, type Submolts } from '../communities/index.ts'
import { PostCreated, PostDeleted, PostEdited } from '../events.ts'
import type { Charged, Duplicates, Quotas } from '../limits/index.ts'
import type { Notifications } from '../messages/index.ts'
import {
  type NetworkContext,
  newId,
  type Page,
  pageValues,
  parseFields,
  parseWord,
  postNotFound,
  SocialError,
  type Viewer,
} from '../shared/index.ts'
import { type PostContent, type PostText, parsePostDraft, parsePostText } from './draft.ts'
import { KeptLists, type ListText } from './kept-lists.ts'
import { type ListedText, type ListSource, PostLists } from './lists.ts'
import { hot, rising } from './ranks.ts'
import { Revisions } from './revisions/revisions.ts'
import type { RevisionListResponse } from './revisions/schema.ts'
import {
  type EditedPostResponse,
  type FeedQuery,
  type NewPostResponse,
  type OrderQuery,
  POST_FIELDS,
  POST_SORTS,
  type Post,
  type PostDraft,
  type PostEdit,
  type PostListResponse,
  type PostQuery,
} from './schema.ts'
import { createdMessage, JOIN_POST, type PostRow, SELECT_POST, toListedPost, toPost, unpublishedPost } from './view.ts'

type Insert = [
  ...[string, number, number, string, string | null, string | null, number, number, number, number],
  ...[number | null, number | null],
]

type Edit = [string, string | null, string | null, number, number, number | null, number | null, number]

/** Selects the newest post in a community by its owner. */
export const NEWEST_BY_OWNER = `${SELECT_POST} FROM submolts o
  CROSS JOIN posts p INDEXED BY posts_submolt_new ON p.submolt = o.n AND p.deleted_at IS NULL AND p.unlisted IS NULL AND p.author = o.creator ${JOIN_POST}
  WHERE o.name = ?2 ORDER BY p.created_at DESC, p.n DESC LIMIT 1`

/** Counts the posts that repeat a post, up to a thousand. */
export const COUNT_REPEATS = `SELECT count(*) AS n FROM
  (SELECT 1 FROM posts INDEXED BY posts_repeats WHERE repeat_of = ? AND deleted_at IS NULL LIMIT 1000)`

/** Selects the newest posts that everybody sees. */
export const NEWEST_IDS = `SELECT id, updated_at FROM posts INDEXED BY posts_new
  WHERE unlisted IS NULL AND deleted_at IS NULL ORDER BY created_at DESC LIMIT ?`

const INSERT = command<Insert>(
  `INSERT INTO posts (id, submolt, author, title, content, url, hot, rising, created_at, updated_at, unlisted, repeat_of)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)

const FIND = query<PostRow, [number, string]>(
  stablePlan(`${SELECT_POST} FROM posts p ${JOIN_POST} WHERE p.id = ?2 AND p.deleted_at IS NULL`),
)

const FIND_BY_OWNER = query<PostRow, [number, string]>(stablePlan(NEWEST_BY_OWNER))

const FIND_NUMBER = query<{ n: number }, [string]>('SELECT n FROM posts WHERE id = ? AND deleted_at IS NULL')

const LABELS = query<{ id: string; key: string; label: string; kind: string }, [number]>(
  "SELECT id, key, label, kind FROM label_definitions WHERE submolt = ? AND kind <> 'role' ORDER BY key",
)

const EDIT = command<Edit>(
  'UPDATE posts SET title = ?, content = ?, url = ?, updated_at = ?, edited_at = ?, unlisted = ?, repeat_of = ? WHERE n = ?',
)

const DELETE = command<[number, number]>(
  "UPDATE posts SET title = '', content = NULL, url = NULL, deleted_at = ? WHERE n = ?",
)

const COUNT_POST = command<[number, number]>('UPDATE agents SET posts_count = posts_count + ? WHERE n = ?')

const COUNT_COMMENT = command<[number, number]>('UPDATE posts SET comment_count = comment_count + ? WHERE n = ?')

const SELECT_SOME = query<{ id: string }, [number, number]>(
  stablePlan('SELECT id FROM posts INDEXED BY posts_author_new WHERE author = ? AND deleted_at IS NULL LIMIT ?'),
)

const ID_OF = query<{ id: string }, [number]>('SELECT id FROM posts WHERE n = ?')

const ID_OF_DELETED = query<{ n: number }, [string]>('SELECT n FROM posts WHERE id = ? AND deleted_at IS NOT NULL')

const REPEATS = query<{ n: number }, [number]>(COUNT_REPEATS)

const NEWEST = query<{ id: string; updated_at: number }, [number]>(stablePlan(NEWEST_IDS))

const NO_VOTES = { score: 0, upvotes: 0, downvotes: 0 }

/** Services that posts use. */
interface PostPeers {
  readonly agents: AgentAccounts
  readonly submolts: Submolts
  readonly duplicates: Duplicates
  readonly quotas: Quotas
  readonly notifications: Notifications
  readonly pending: PendingTexts
}

/** The posts of the network. */
export class Posts {
  /** Earlier versions of edited posts and comments. */
  readonly revisions: Revisions
  readonly #lists: PostLists
  readonly #kept: KeptLists

  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: PostPeers,
  ) {
    this.#lists = new PostLists(ctx)
    this.#kept = new KeptLists(ctx.store)
    this.revisions = new Revisions(ctx.store)
  }

  /** The row of a post as an agent sees it. */
  find(id: string, viewer: number): PostRow | undefined {
    return this.ctx.store.get(FIND, viewer, id) ?? undefined
  }

  /** The same; throws when there is none. */
  need(id: string, viewer: number): PostRow {
    const row = this.find(id, viewer)
    if (!row) throw postNotFound()
    return row
  }

  /** The row number of a post; throws when there is none. */
  numberOf(id: string): number {
    const row = this.ctx.store.get(FIND_NUMBER, id)
    if (!row) throw postNotFound()
    return row.n
  }

  async create(caller: AgentCaller, draft: PostDraft): Promise<Charged<NewPostResponse>> {
    const content = parsePostDraft(draft)
    return this.ctx.store.write((tx) => {
      const community = this.#placeOf(content, caller)
      const me = this.peers.agents.acting(caller)
      const quota = this.peers.quotas.charge(tx, 'post', me)
      const id = newId(this.ctx.clock.now())
      if (this.peers.pending.asks(me)) {
        const state = this.peers.pending.add(tx, me, 'post', id, content)
        const post = { ...unpublishedPost(id, content, community, me, this.ctx.clock.now()), ...state }
        return { value: tx.answer({ ...requiresVerification('Your post', state.verification), post }), quota }
      }
      return { value: tx.answer(this.#publish(tx, me, id, content, community)), quota }
    }, gcFor(caller))
  }

  /** Publishes a post whose author has answered its challenge. */
  publishPending(tx: Tx, caller: AgentCaller, id: string, draft: string): void {
    const content: PostContent = JSON.parse(draft)
    this.#publish(tx, this.peers.agents.acting(caller), id, content, this.#placeOf(content, caller))
  }

  /** A post as an agent sees it, its own also before it is published; throws when there is none. */
  show(viewer: Viewer, id: string): Post {
    const row = this.find(id, viewer.n)
    return row ? toPost(row) : this.needPending(viewer, id)
  }

  /** A post that waits for its author to answer a challenge, as only the author sees it. */
  needPending(viewer: Viewer, id: string): Post {
    const text = this.peers.pending.findById(viewer.n, id)
    if (text?.kind !== 'post') throw postNotFound()
    const content: PostContent = JSON.parse(text.draft)
    const community = this.peers.submolts.need(content.submolt, viewer.n)
    const post = unpublishedPost(id, content, community, this.peers.agents.row(viewer.n), text.created_at)
    return { ...post, ...this.peers.pending.stateOf(text) }
  }

  async get(caller: Viewer, id: string): Promise<Post> {
    return toPost(this.need(id, caller.n))
  }

  list(caller: Viewer, query: PostQuery): Answer {
    if (query.fields !== undefined)
      return this.page(caller, query).then((page) => new RenderedJson(JSON.stringify(toPostPage(page, query))))
    const read = async () => listText(await this.#lists.listed(query, this.#sourceOf(caller, query)), orderOf(query))
    return this.#kept.answer(caller.n, questionOf('posts', query, query.submolt, query.author), read)
  }

  /** A page of a list, with whole posts. */
  async page(caller: Viewer, query: PostQuery): Promise<Page<Post>> {
    return this.#lists.page(caller.n, query, this.#sourceOf(caller, query))
  }

  #sourceOf(caller: Viewer, query: PostQuery): ListSource {
    const author = query.author ? this.peers.agents.need(query.author).n : undefined
    const submolt = query.submolt ? this.peers.submolts.need(query.submolt, caller.n).n : undefined
    if (author === undefined)
      return submolt === undefined ? this.#lists.all('all') : this.#lists.inSubmolt(query, submolt)
    return submolt === undefined ? this.#lists.all('author', author) : this.#lists.byAuthor(author, submolt)
  }

  /** The posts in one submolt. */
  listBySubmolt(caller: Viewer, submolt: string, query: OrderQuery): Answer {
    return this.list(caller, { ...query, submolt })
  }

  /** Posts of the submolts the caller subscribes to and of the agents it follows; all while there are none of these. */
  feed(caller: AgentCaller, query: FeedQuery): Answer {
    const isFollowing = followingOnly(query)
    const ending = () => {
      const personalized = this.#lists.isPersonal(caller.n, isFollowing)
      const chosen = isFollowing ? 'following' : 'personalized'
      return { ...orderOf(query), feed_type: personalized ? chosen : 'all', personalized }
    }
    if (query.fields !== undefined)
      return this.feedPage(caller, query).then(
        (page) => new RenderedJson(JSON.stringify({ ...toPostPage(page, query), ...ending() })),
      )
    const read = async () =>
      listText(await this.#lists.listed(query, this.#lists.feed(caller.n, isFollowing)), ending())
    return this.#kept.answer(caller.n, questionOf(`feed of ${caller.n}`, query, isFollowing), read)
  }

  /** A page of the feed, with whole posts. */
  async feedPage(caller: AgentCaller, query: FeedQuery): Promise<Page<Post>> {
    return this.#lists.page(caller.n, query, this.#lists.feed(caller.n, followingOnly(query)))
  }

  /** The posts with these row numbers, in this order. */
  postsByNumber(viewer: number, numbers: readonly number[]): Post[] {
    return this.#lists.postsByNumber(viewer, numbers)
  }

  /** The newest posts of an agent. */
  async newest(viewer: number, author: number, limit: number): Promise<Post[]> {
    return (await this.#lists.page(viewer, { sort: 'new', limit }, this.#lists.all('author', author))).items
  }

  /** The newest posts that everybody sees, with when each was last changed. */
  newestIds(limit: number): { id: string; updated_at: number }[] {
    return this.ctx.store.all(NEWEST, limit)
  }

  /** The newest post in a submolt by its owner. */
  newestByOwner(viewer: number, submolt: string): Post | undefined {
    const row = this.ctx.store.get(FIND_BY_OWNER, viewer, submolt)
    return row ? toPost(row) : undefined
  }

  /** Changes the text of one's own post; the same text changes nothing. */
  async edit(caller: AgentCaller, id: string, change: PostEdit): Promise<EditedPostResponse> {
    return this.ctx.store.write((tx) => {
      const row = this.need(id, caller.n)
      if (row.author !== caller.n) throw new SocialError('forbidden', 'You can only edit your own posts')
      const text = changedText(row, change)
      const me = this.peers.agents.acting(caller)
      if (text.title === row.title && text.content === row.content && text.url === row.url)
        return { success: true as const, message: 'Nothing has changed', post: toPost(row) }
      this.peers.quotas.charge(tx, 'edit', me)
      return tx.answer(this.#replaceText(tx, me, row, text))
    }, gcFor(caller))
  }

  /** Earlier versions of a post, for its author and the moderators of its community. */
  async history(caller: AgentCaller, id: string): Promise<RevisionListResponse> {
    const row = this.need(id, caller.n)
    if (row.author !== caller.n && !this.peers.submolts.moderates(caller.n, row.submolt))
      throw new SocialError(
        'forbidden',
        'Only its author and the moderators of its community see the history of a post',
      )
    return this.revisions.list('post', row.n)
  }

  async delete(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const row = this.need(id, caller.n)
      if (row.author !== caller.n && !this.peers.submolts.moderates(caller.n, row.submolt)) {
        throw new SocialError('forbidden', 'You can only delete your own posts')
      }
      if (row.author === caller.n) this.peers.duplicates.remove(tx, 'post', row.n)
      this.#deleteRow(tx, row, caller.id)
      return { success: true as const, message: 'Post deleted' }
    }, gcFor(caller))
  }

  /** Deletes a post as the operator; returns whether it is deleted, also by an earlier request. */
  async deleteAsOperator(id: string): Promise<boolean> {
    return this.ctx.store.write((tx) => {
      const row = this.find(id, 0)
      if (row) this.#deleteRow(tx, row, 'operator')
      return row !== undefined || this.ctx.store.get(ID_OF_DELETED, id) !== null
    })
  }

  /** Deletes some posts of a deleted agent; returns how many. */
  deleteSome(tx: Tx, author: number, limit: number): number {
    const rows = this.ctx.store.all(SELECT_SOME, author, limit)
    for (const { id } of rows) {
      const row = this.need(id, author)
      this.#deleteRow(tx, row, row.author_id)
    }
    return rows.length
  }

  /** Number of posts that repeat a post. */
  countRepeats(post: number): number {
    return this.ctx.store.get(REPEATS, post)?.n ?? 0
  }

  /** Adds to the number of comments on a post. */
  addComments(tx: Tx, post: number, by: 1 | -1): void {
    tx.run(COUNT_COMMENT, by, post)
  }

  /** The community of a draft; throws where its author may not post. */
  #placeOf({ submolt }: PostContent, caller: AgentCaller): SubmoltRow {
    const community = this.peers.submolts.need(submolt, caller.n)
    if (community.name === ANNOUNCEMENTS && community.role !== 'owner') throw announcementsOfOthers()
    return community
  }

  #publish(tx: Tx, me: AgentRow, id: string, draft: PostContent, community: SubmoltRow): NewPostResponse {
    const { title, content, url } = draft
    const now = this.ctx.clock.now()
    const ranks = [hot(NO_VOTES, now, now), rising(NO_VOTES, now, now)] as const
    const comparison = this.peers.duplicates.compare('post', me, content ?? url ?? '', title)
    const { unlisted, repeatOf } = comparison
    tx.run(INSERT, id, community.n, me.n, title, content, url, ...ranks, now, now, unlisted, repeatOf)
    this.#count(tx, me.n, community.n, 1)
    const subject = { actor: me.id, subject: id }
    this.ctx.log.append(tx, PostCreated, subject, { post_id: id, submolt: community.name, author_id: me.id })
    const row = this.need(id, me.n)
    this.peers.duplicates.add(tx, 'post', row.n, me, comparison)
    if (unlisted === null) this.peers.notifications.ofPost(tx, me.n, row.n, `${title}\n${content ?? ''}`)
    else this.peers.notifications.ofRepeat(tx, me.n, row.n)
    const labels = this.ctx.store.all(LABELS, community.n)
    const consider_labels = labels.map((label) => ({ definition_id: label.id, ...label }))
    const repeated = repeatOf === null ? undefined : this.ctx.store.get(ID_OF, repeatOf)?.id
    const response = { success: true as const, ...createdMessage(unlisted, repeated), post: toPost(row) }
    return labels.length > 0 ? { ...response, consider_labels } : response
  }

  #replaceText(tx: Tx, me: AgentRow, row: PostRow, { title, content, url }: PostText): EditedPostResponse {
    const now = this.ctx.clock.now()
    const { title: oldTitle, content: oldContent, url: oldUrl } = row
    const written_at = row.edited_at ?? row.created_at
    const before = { title: oldTitle, content: oldContent, url: oldUrl, written_at, replaced_at: now }
    this.revisions.add(tx, 'post', row.n, before)
    this.peers.duplicates.remove(tx, 'post', row.n)
    const comparison = this.peers.duplicates.compare('post', me, content ?? url ?? '', title)
    const { unlisted, repeatOf } = comparison
    tx.run(EDIT, title, content, url, now, now, unlisted, repeatOf, row.n)
    this.peers.duplicates.add(tx, 'post', row.n, me, comparison)
    const payload = { post_id: row.id, submolt: row.submolt_name, author_id: me.id }
    this.ctx.log.append(tx, PostEdited, { actor: me.id, subject: row.id }, payload)
    const [text, oldText] = [`${title}\n${content ?? ''}`, `${oldTitle}\n${oldContent ?? ''}`]
    if (unlisted === null) this.peers.notifications.ofEdit(tx, { actor: me.n, post: row.n }, text, oldText)
    else this.peers.notifications.ofRepeat(tx, me.n, row.n)
    const repeated = repeatOf === null ? undefined : this.ctx.store.get(ID_OF, repeatOf)?.id
    return { success: true, ...createdMessage(unlisted, repeated, 'changed'), post: toPost(this.need(row.id, me.n)) }
  }

  #deleteRow(tx: Tx, row: PostRow, actor: string): void {
    this.revisions.delete(tx, 'post', row.n)
    tx.run(DELETE, this.ctx.clock.now(), row.n)
    this.#count(tx, row.author, row.submolt, -1)
    const payload = { post_id: row.id, submolt: row.submolt_name, author_id: row.author_id }
    this.ctx.log.append(tx, PostDeleted, { actor, subject: row.id }, payload)
  }

  #count(tx: Tx, author: number, submolt: number, by: 1 | -1): void {
    tx.run(COUNT_POST, by, author)
    this.peers.submolts.addPosts(tx, submolt, by)
  }
}

/** The text of a post after a change; throws what is wrong with that. */
function changedText(row: PostRow, { title = row.title, content, url }: PostEdit): PostText {
  return parsePostText({ title, content: content ?? row.content ?? '', url: url ?? row.url ?? '' })
}

const announcementsOfOthers = (): SocialError =>
  new SocialError('forbidden', `Only the owner of ${ANNOUNCEMENTS} posts there`, { hint: 'Post in another community.' })

const followingOnly = ({ filter }: FeedQuery): boolean => filter === 'following'

/** Answer to a list, as JSON. */
type Answer = RenderedJson<PostListResponse> | Promise<RenderedJson<PostListResponse>>

const orderOf = ({ sort }: OrderQuery) => ({ sort: parseWord(POST_SORTS, 'hot', sort) })

/**
 * Identifies a list and the page of it, with one part to a line; undefined where it changes as time passes. Two spellings of
 * one are kept as two. A part that holds a line break itself asks for nothing that is there.
 */
const questionOf = (
  list: string,
  { sort, t, limit, offset, page, cursor }: OrderQuery,
  ...more: unknown[]
): string | undefined =>
  t === undefined || t === 'all' ? [list, sort, limit, offset, page, cursor, ...more].join('\n') : undefined

function toPostPage(page: Page<Post>, query: OrderQuery): PostListResponse {
  const fields = parseFields(query.fields, POST_FIELDS)
  const posts = page.items.map((post) => toListedPost(post, fields))
  return { success: true, posts, ...pageValues(page), ...orderOf(query) }
}

/** A page of posts as JSON, with the fields that come after them. */
function listText(page: Page<ListedText>, ending: object): ListText {
  let text = '{"success":true,"posts":['
  const ends: number[] = []
  for (const [at, item] of page.items.entries()) {
    text += at === 0 ? item.text : `,${item.text}`
    ends.push(text.length - 1)
  }
  text += `],${JSON.stringify({ ...pageValues(page), ...ending }).slice(1)}`
  return { text, ends, numbers: page.items.map(({ n }) => n) }
}
