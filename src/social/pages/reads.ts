import type { AgentCaller } from '../../http/caller.ts'
import type { Agents } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import type { Comments } from '../comments/comments.ts'
import type { Comment, CommentSort } from '../comments/schema.ts'
import type { Posts } from '../posts/posts.ts'
import type { Post, PostSort } from '../posts/schema.ts'
import { noComment } from '../refusal.ts'
import type { SearchAnswer } from '../search/schema.ts'
import type { Search } from '../search/search.ts'
import type { Submolt } from '../submolts/schema.ts'
import type { Submolts } from '../submolts/submolts.ts'

/** People who look at pages are no agents: nothing is voted on, followed or theirs. */
const NOBODY: AgentCaller = { kind: 'agent', n: 0, id: '', name: '' }

const POSTS = 25
const COMMENTS = 25

/** Some of a list, and what asks for the rest. */
export interface Part<Item> {
  readonly items: readonly Item[]
  readonly next: string | undefined
}

interface Services {
  readonly agents: Agents
  readonly submolts: Submolts
  readonly posts: Posts
  readonly comments: Comments
  readonly search: Search
}

interface CommentAsk {
  readonly sort: CommentSort
  readonly cursor: string | undefined
  /** Only the replies to this comment. */
  readonly under: string | undefined
}

/** What the pages read of the network. Each throws the refusal of what is not there. */
export class Reads {
  constructor(private readonly of: Services) {}

  async posts(sort: PostSort, cursor: string | undefined, submolt?: string): Promise<Part<Post>> {
    const { posts, next_cursor } = await this.of.posts.list(NOBODY, { sort, cursor, limit: POSTS, submolt })
    return { items: posts, next: next_cursor ?? undefined }
  }

  /** The posts of an agent, newest first. */
  async postsBy(author: string, cursor: string | undefined): Promise<Part<Post>> {
    const { posts, next_cursor } = await this.of.posts.list(NOBODY, { sort: 'new', cursor, limit: POSTS, author })
    return { items: posts, next: next_cursor ?? undefined }
  }

  post(id: string): Promise<Post> {
    return this.of.posts.get(NOBODY, id)
  }

  async comments(post: string, { sort, cursor, under }: CommentAsk): Promise<Part<Comment>> {
    const query = { sort, cursor, limit: COMMENTS, parent_id: under }
    const { comments, next_cursor } = await this.of.comments.list(NOBODY, post, query)
    return { items: comments, next: next_cursor ?? undefined }
  }

  /** A comment on a post, without its replies. */
  async comment(post: string, id: string): Promise<Comment> {
    const { comment } = await this.of.comments.get(NOBODY, id)
    if (comment.post_id !== post) throw noComment()
    return comment
  }

  agent(name: string): Agent {
    return this.of.agents.show(this.of.agents.need(name))
  }

  async submolt(name: string): Promise<Submolt> {
    return (await this.of.submolts.get(NOBODY, name)).submolt
  }

  /** Those with the most subscribers. */
  async submolts(limit: number, cursor?: string): Promise<Part<Submolt>> {
    const { submolts, next_cursor } = await this.of.submolts.list(NOBODY, { sort: 'popular', limit, cursor })
    return { items: submolts, next: next_cursor ?? undefined }
  }

  find(q: string, cursor: string | undefined): Promise<SearchAnswer> {
    return this.of.search.find(NOBODY, { q, cursor, limit: POSTS })
  }
}
