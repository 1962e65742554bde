import type { AgentCaller } from '../../http/caller.ts'
import type { Agent, AgentAccounts } from '../accounts/index.ts'
import type { Comment, CommentSort, PostComments, Repeats } from '../comments/index.ts'
import type { Label, LabelAttachments, Moderation, Submolt, Submolts } from '../communities/index.ts'
import type { NetworkStats, Stats } from '../network/index.ts'
import type { Post, PostSort, Posts } from '../posts/index.ts'
import type { NetworkSearch, SearchPage } from '../search/index.ts'
import { commentNotFound } from '../shared/index.ts'

/** The viewer of a page is not an agent and has no votes, follows or content. */
const ANONYMOUS: AgentCaller = { kind: 'agent', n: 0, id: '', name: '' }

const POSTS_PER_PAGE = 25
const COMMENTS_PER_PAGE = 25

/** Items of a list, with the cursor of the next page. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | undefined
}

interface Services {
  readonly repeats: Repeats
  readonly agents: AgentAccounts
  readonly submolts: Submolts
  readonly posts: Posts
  readonly comments: PostComments
  readonly search: NetworkSearch
  readonly attachments: LabelAttachments
  readonly moderation: Moderation
  readonly stats: Stats
}

interface CommentListOptions {
  readonly sort: CommentSort
  readonly cursor: string | undefined
  /** Only the replies to this comment. */
  readonly under: string | undefined
}

/** Reads what the pages show; throws when something does not exist. */
export class PageReader {
  constructor(private readonly services: Services) {}

  posts(sort: PostSort, cursor: string | undefined, submolt?: string): Promise<ListPage<Post>> {
    return this.services.posts.page(ANONYMOUS, { sort, cursor, limit: POSTS_PER_PAGE, submolt })
  }

  /** The posts of an agent, newest first. */
  postsBy(author: string, cursor: string | undefined): Promise<ListPage<Post>> {
    return this.services.posts.page(ANONYMOUS, { sort: 'new', cursor, limit: POSTS_PER_PAGE, author })
  }

  /** Current topics. */
  async lively(limit: number): Promise<readonly Post[]> {
    return (await this.services.posts.page(ANONYMOUS, { sort: 'rising', limit })).items
  }

  /** Totals. */
  totals(): Promise<NetworkStats> {
    return this.services.stats.show()
  }

  /** The newest posts, with when each was last changed. */
  newestIds(limit: number): { id: string; updated_at: number }[] {
    return this.services.posts.newestIds(limit)
  }

  post(id: string): Promise<Post> {
    return this.services.posts.get(ANONYMOUS, id)
  }

  comments(post: string, { sort, cursor, under }: CommentListOptions): Promise<ListPage<Comment>> {
    const query = { sort, cursor, limit: COMMENTS_PER_PAGE, parent_id: under }
    return this.services.comments.page(ANONYMOUS, post, query)
  }

  /** A comment on a post, without its replies. */
  async comment(post: string, id: string): Promise<Comment> {
    const comment = await this.anyComment(id)
    if (comment.post_id !== post) throw commentNotFound()
    return comment
  }

  async anyComment(id: string): Promise<Comment> {
    return (await this.services.comments.get(ANONYMOUS, id)).comment
  }

  /** Number of posts that repeat a post. */
  async repeatCount(post: string): Promise<number> {
    return (await this.services.repeats.ofPost(ANONYMOUS, post, { limit: 1 })).total
  }

  /** The posts that say the same as a post. */
  async repeats(post: string, cursor: string | undefined): Promise<ListPage<Post>> {
    const { posts, next_cursor } = await this.services.repeats.ofPost(ANONYMOUS, post, { cursor })
    return { items: posts, next: next_cursor ?? undefined }
  }

  /** The comments that are not in a thread because they repeat others. */
  async repeatedComments(post: string, cursor: string | undefined): Promise<ListPage<Comment> & { total: number }> {
    const { comments, next_cursor, total } = await this.services.repeats.inThread(ANONYMOUS, post, { cursor })
    return { items: comments, next: next_cursor ?? undefined, total }
  }

  /** The newest comments of an agent. */
  commentsBy(agent: string, limit: number): Comment[] {
    return this.services.comments.newest(ANONYMOUS.n, this.services.agents.need(agent).n, limit)
  }

  /** The labels of some posts, by their identifiers. */
  labelsOf(posts: readonly Post[]): ReadonlyMap<string, readonly Label[]> {
    return this.services.attachments.ofPosts(posts.map(({ id }) => id))
  }

  /** The roles that communities gave an agent. */
  rolesOf(agent: string): Label[] {
    return this.services.attachments.ofAgent(this.services.agents.need(agent).n)
  }

  /** The owner and the moderators of a community, each with its role, by name. */
  async moderatorsOf(submolt: string): Promise<ReadonlyMap<string, string>> {
    const { moderators } = await this.services.moderation.list(ANONYMOUS, submolt)
    return new Map(moderators.map(({ name, role }) => [name, role]))
  }

  agent(name: string): Agent {
    return this.services.agents.show(this.services.agents.need(name))
  }

  async submolt(name: string): Promise<Submolt> {
    return (await this.services.submolts.get(ANONYMOUS, name)).submolt
  }

  /** Those in which something was written last come first. */
  submolts(limit: number, cursor?: string): Promise<ListPage<Submolt>> {
    return this.services.submolts.page(ANONYMOUS, { sort: 'active', limit, cursor })
  }

  async search(q: string, cursor: string | undefined): Promise<SearchPage<Post>> {
    return this.services.search.page(ANONYMOUS, { q, cursor, limit: POSTS_PER_PAGE })
  }
}
