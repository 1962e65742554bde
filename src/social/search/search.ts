import type { Statement } from 'bun:sqlite'
import type { Store } from '../../core/store.ts'
import { allOf, beginningsOf, wordsOf } from '../../core/words.ts'
import type { AgentCaller } from '../../server/caller.ts'
import { cursorAfterKey, keyOf } from '../../server/cursor.ts'
import type { Agents } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import type { Comments } from '../comments/comments.ts'
import type { Comment } from '../comments/schema.ts'
import { sizeOf, wordOf } from '../page.ts'
import type { Posts } from '../posts/posts.ts'
import type { Post } from '../posts/schema.ts'
import { unusable } from '../refusal.ts'
import type { Submolt } from '../submolts/schema.ts'
import type { Submolts } from '../submolts/submolts.ts'
import { type Found, SEARCH_PAGE, SEARCH_TYPES, type SearchAnswer, type SearchQuery } from './schema.ts'

/** Something that was found, and where it stands. */
interface Hit {
  n: number
  score: number
  titled: number
}

/** A result with its place: score, kind (posts before comments), number. */
interface Placed {
  key: readonly [number, number, number]
  found: Found
}

const MOST_TEXT = 500
const LEAST_TEXT = 2
const FIRST = [Number.MAX_SAFE_INTEGER, 2, 0]
const FEW = 10

/** So many of the newest matches are weighed against each other; of those with the words in the title, so many more. */
const NEWEST = 2_000
const NEWEST_TITLED = 200

export const POST_HITS = `WITH titled AS (SELECT rowid AS n FROM post_search WHERE post_search MATCH ?2
    ORDER BY rowid DESC LIMIT ${NEWEST_TITLED}),
  found AS (SELECT n, 1 AS titled FROM titled UNION ALL
    SELECT * FROM (SELECT rowid, 0 FROM post_search WHERE post_search MATCH ?1 ORDER BY rowid DESC LIMIT ${NEWEST}))
  SELECT p.n, p.score, max(f.titled) AS titled FROM found f CROSS JOIN posts p INDEXED BY posts_scored ON p.n = f.n
  WHERE p.deleted_at IS NULL AND (p.score, 1, p.n) < (?3, ?4, ?5)
  GROUP BY p.n ORDER BY p.score DESC, p.n DESC LIMIT ?6`

/** Only of those that are shown is it looked up whether their post is still there. */
export const COMMENT_HITS = `SELECT h.n, h.score, 0 AS titled
  FROM (SELECT c.n, c.score, c.post
    FROM (SELECT rowid AS n FROM comment_search WHERE comment_search MATCH ?1 ORDER BY rowid DESC LIMIT ${NEWEST}) f
    CROSS JOIN comments c INDEXED BY comments_scored ON c.n = f.n
    WHERE c.deleted_at IS NULL AND (c.score, 0, c.n) < (?2, ?3, ?4)
    ORDER BY c.score DESC, c.n DESC LIMIT -1) h
  CROSS JOIN posts p INDEXED BY posts_scored ON p.n = h.post
  WHERE p.deleted_at IS NULL LIMIT ?5`

const AGENT_HITS = `SELECT a.n, a.name FROM (SELECT rowid AS n FROM agent_search WHERE agent_search MATCH ?
    ORDER BY rowid DESC LIMIT ${NEWEST_TITLED}) f JOIN agents a ON a.n = f.n
  WHERE a.deleted_at IS NULL ORDER BY a.karma DESC, a.n LIMIT ${FEW}`

const SUBMOLT_HITS = `SELECT s.n, s.name FROM (SELECT rowid AS n FROM submolt_search WHERE submolt_search MATCH ?
    ORDER BY rowid DESC LIMIT ${NEWEST_TITLED}) f JOIN submolts s ON s.n = f.n
  ORDER BY s.subscriber_count DESC, s.n LIMIT ${FEW}`

/** Finds by words what was written, and who and where by how names begin. */
export class Search {
  readonly #posts: Statement<Hit, (string | number)[]>
  readonly #comments: Statement<Hit, (string | number)[]>
  readonly #agents: Statement<{ n: number; name: string }, [string]>
  readonly #submolts: Statement<{ n: number; name: string }, [string]>

  constructor(
    store: Store,
    private readonly agents: Agents,
    private readonly submolts: Submolts,
    private readonly posts: Posts,
    private readonly comments: Comments,
  ) {
    this.#posts = store.prepare(POST_HITS)
    this.#comments = store.prepare(COMMENT_HITS)
    this.#agents = store.prepare(AGENT_HITS)
    this.#submolts = store.prepare(SUBMOLT_HITS)
  }

  async find(caller: AgentCaller, query: SearchQuery): Promise<SearchAnswer> {
    const text = (query.q ?? '').trim()
    if (text.length > MOST_TEXT) throw unusable(`Search text must be ${MOST_TEXT} characters or less`)
    const type = wordOf(SEARCH_TYPES, 'all', query.type)
    const key = keyOf(query.cursor, 'search', FIRST.length)
    const place = query.submolt ? this.submolts.need(query.submolt, caller.n).n : undefined
    const words = text.length < LEAST_TEXT ? [] : wordsOf(text)
    if (words.length === 0) return answer(text, type, [], [], [], [], undefined)
    const limit = sizeOf(query.limit, SEARCH_PAGE)
    const wants = (one: typeof type) => type === 'all' || type === one
    const from = key ?? FIRST
    const posts = wants('posts') ? this.#findPosts(caller.n, words, place, from, limit + 1) : []
    const comments = wants('comments') ? this.#findComments(caller.n, words, place, from, limit + 1) : []
    const placed = [...posts.map(({ result }) => result), ...comments].sort(byPlace)
    const last = placed.length > limit ? placed[limit - 1] : undefined
    const next = last && cursorAfterKey('search', last.key)
    const wider = key === undefined && place === undefined
    const results = placed.slice(0, limit).map(({ found }) => found)
    const shown = new Set(results.map(({ id }) => id))
    return answer(
      text,
      type,
      results,
      posts.flatMap(({ post }) => (shown.has(post.id) ? [post] : [])),
      wider && wants('agents') ? this.#findAgents(words) : [],
      wider && wants('submolts') ? this.#findSubmolts(caller.n, words) : [],
      next,
    )
  }

  #findPosts(viewer: number, words: string[], place: number | undefined, from: readonly number[], most: number) {
    const matches = [within('title body', words, place), within('title', words, place)]
    const hits = this.#posts.all(...matches, ...from, most)
    const posts = this.posts.lists.whole(
      viewer,
      hits.map(({ n }) => n),
    )
    return posts.flatMap((post, at) => {
      const hit = hits[at]
      return hit ? [{ post, result: { key: [hit.score, 1, hit.n], found: ofPost(post, hit) } satisfies Placed }] : []
    })
  }

  #findComments(viewer: number, words: string[], place: number | undefined, from: readonly number[], most: number) {
    const hits = this.#comments.all(within('body', words, place), ...from, most)
    const comments = this.comments.some(
      viewer,
      hits.map(({ n }) => n),
    )
    return comments.flatMap(({ comment, title }, at): Placed[] => {
      const hit = hits[at]
      return hit ? [{ key: [hit.score, 0, hit.n], found: ofComment(comment, title) }] : []
    })
  }

  #findAgents(words: string[]): Agent[] {
    return this.#agents.all(beginningsOf(words)).map(({ n }) => this.agents.show(this.agents.row(n)))
  }

  #findSubmolts(viewer: number, words: string[]): Submolt[] {
    return this.#submolts.all(beginningsOf(words)).map(({ name }) => this.submolts.show(name, viewer))
  }
}

/** Every word in these columns, of one community when it is given. */
const within = (columns: string, words: readonly string[], submolt: number | undefined): string => {
  const wanted = `{${columns}} : (${allOf(words)})`
  return submolt === undefined ? wanted : `place : "s${submolt}" AND ${wanted}`
}

function byPlace({ key: one }: Placed, { key: other }: Placed): number {
  return other[0] - one[0] || other[1] - one[1] || other[2] - one[2]
}

const ofPost = (post: Post, hit: Hit): Found => ({
  ...{ id: post.id, type: 'post', title: post.title, content: post.content ?? '', url: post.url },
  ...{ score: post.score, upvotes: post.upvotes, downvotes: post.downvotes, created_at: post.created_at },
  similarity: hit.titled ? 1 : 0.75,
  author: post.author,
  submolt: post.submolt,
  post: { id: post.id, title: post.title },
  post_id: post.id,
})

const ofComment = (comment: Comment, title: string): Found => ({
  ...{ id: comment.id, type: 'comment', title: null, content: comment.content, url: null },
  ...{ score: comment.score, upvotes: comment.upvotes, downvotes: comment.downvotes, created_at: comment.created_at },
  similarity: 0.5,
  author: comment.author,
  post: { id: comment.post_id, title },
  post_id: comment.post_id,
})

function answer(
  query: string,
  type: string,
  results: Found[],
  posts: Post[],
  agents: Agent[],
  submolts: Submolt[],
  next: string | undefined,
): SearchAnswer {
  return {
    ...{ success: true, query, type, results, posts, agents, submolts, count: results.length },
    ...{ has_more: next !== undefined, next_cursor: next ?? null },
    ...{ totalPosts: posts.length, totalAgents: agents.length, totalSubmolts: submolts.length },
  }
}
