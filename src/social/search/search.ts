import type { Statement } from 'bun:sqlite'
import { matchAllTerms, matchTermPrefixes, parseSearchTerms } from '../../core/search-terms.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { cursorAfterKey, parseKeyCursor } from '../../http/cursor.ts'
import { fillPage, jsonSize } from '../../http/page.ts'
import type { AgentAccounts } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import type { PostComments } from '../comments/comments.ts'
import type { Comment } from '../comments/schema.ts'
import type { Posts } from '../posts/posts.ts'
import { POST_FIELDS, type Post } from '../posts/schema.ts'
import { toListedPost } from '../posts/view.ts'
import type { Viewer } from '../shared/callers.ts'
import { badRequest } from '../shared/errors.ts'
import { parseLimit, parseWord } from '../shared/paging.ts'
import { parseFields } from '../shared/selection.ts'
import type { Submolt } from '../submolts/schema.ts'
import type { Submolts } from '../submolts/submolts.ts'
import { COMMENTS, type Kind, type Match, newestSql, POSTS, TITLES } from './matches.ts'
import { SEARCH_PAGE, SEARCH_TYPES, type SearchQuery, type SearchResponse, type SearchResult } from './schema.ts'

/** A result with its match, and with the post if it is one. */
interface Hit {
  match: Match
  result: SearchResult
  post?: Post
}

/** A response with whole posts. */
export type SearchPage = Omit<SearchResponse, 'posts'> & { posts: Post[] }

const MAX_QUERY = 500
const MIN_QUERY = 2
const START_KEY = [Number.MAX_SAFE_INTEGER, 2, 0]
const MAX_NAMES = 10

/** How many of the newest matches are ordered by score, and how many of those with all words in the title. */
const MAX_MATCHES = 2_000
const MAX_TITLE_MATCHES = 200

const SELECT_AGENTS = `SELECT a.n, a.name FROM (SELECT rowid AS n FROM agent_search WHERE agent_search MATCH ?
    ORDER BY rowid DESC LIMIT ${MAX_TITLE_MATCHES}) f JOIN agents a ON a.n = f.n
  WHERE a.deleted_at IS NULL ORDER BY a.karma DESC, a.n LIMIT ${MAX_NAMES}`

const SELECT_SUBMOLTS = `SELECT s.n, s.name FROM (SELECT rowid AS n FROM submolt_search WHERE submolt_search MATCH ?
    ORDER BY rowid DESC LIMIT ${MAX_TITLE_MATCHES}) f JOIN submolts s ON s.n = f.n
  ORDER BY s.subscriber_count DESC, s.n LIMIT ${MAX_NAMES}`

/** Searches posts and comments by words, agents and submolts by prefixes. */
export class NetworkSearch {
  readonly #posts: Statement<Match, [string, number]>
  readonly #titles: Statement<Match, [string, number]>
  readonly #comments: Statement<Match, [string, number]>
  readonly #agents: Statement<{ n: number; name: string }, [string]>
  readonly #submolts: Statement<{ n: number; name: string }, [string]>

  constructor(
    store: Store,
    private readonly agents: AgentAccounts,
    private readonly submolts: Submolts,
    private readonly posts: Posts,
    private readonly comments: PostComments,
  ) {
    this.#posts = store.prepare(stablePlan(newestSql(POSTS)))
    this.#titles = store.prepare(stablePlan(newestSql(TITLES)))
    this.#comments = store.prepare(stablePlan(newestSql(COMMENTS)))
    this.#agents = store.prepare(SELECT_AGENTS)
    this.#submolts = store.prepare(SELECT_SUBMOLTS)
  }

  async find(caller: Viewer, query: SearchQuery): Promise<SearchResponse> {
    const fields = parseFields(query.fields, POST_FIELDS)
    const page = this.page(caller, query)
    return { ...page, posts: page.posts.map((post) => toListedPost(post, fields)) }
  }

  /** A page of results, with whole posts. */
  page(caller: Viewer, query: SearchQuery): SearchPage {
    const text = (query.q ?? '').trim()
    if (text.length > MAX_QUERY) throw badRequest(`Search text must be ${MAX_QUERY} characters or less`)
    const type = parseWord(SEARCH_TYPES, 'all', query.type)
    const key = parseKeyCursor(query.cursor, 'search', START_KEY.length)
    const submolt = query.submolt ? this.submolts.need(query.submolt, caller.n).n : undefined
    const words = text.length < MIN_QUERY ? [] : parseSearchTerms(text)
    if (words.length === 0) return toAnswer(text, type, [], [], [], [], undefined)
    const limit = parseLimit(query.limit, SEARCH_PAGE)
    const includes = (kind: typeof type) => type === 'all' || type === kind
    const posts = includes('posts') ? this.#findPosts(words, submolt) : []
    const comments = includes('comments') ? this.#comments.all(matchQuery('body', words, submolt), MAX_MATCHES) : []
    const hits = this.#load(caller.n, sortMatches([...posts, ...comments], key ?? START_KEY), limit + 1)
    const { items: page, last } = fillPage(hits, limit, (hit) => hit, { sizeOf: sizeOfHit })
    const includesNames = key === undefined && submolt === undefined
    return toAnswer(
      text,
      type,
      page.map(({ result }) => result),
      page.flatMap(({ post }) => post ?? []),
      includesNames && includes('agents') ? this.#findAgents(words) : [],
      includesNames && includes('submolts') ? this.#findSubmolts(caller.n, words) : [],
      last && cursorAfterKey('search', [last.match.score, last.match.kind, last.match.n]),
    )
  }

  /** Newest first: title matches that are not among the newest matches are older than those. */
  #findPosts(words: string[], submolt: number | undefined): Match[] {
    const titleMatches = this.#titles.all(matchQuery('title', words, submolt), MAX_TITLE_MATCHES)
    const byNumber = new Map(titleMatches.map((match) => [match.n, match]))
    const newest = this.#posts.all(matchQuery('title body', words, submolt), MAX_MATCHES).map((match) => {
      const titleMatch = byNumber.get(match.n)
      byNumber.delete(match.n)
      return titleMatch ?? match
    })
    return [...newest, ...byNumber.values()]
  }

  /** Loads matches until there are `max`, leaving out those whose post is deleted. */
  #load(viewer: number, matches: readonly Match[], max: number): Hit[] {
    const hits: Hit[] = []
    for (let start = 0; start < matches.length && hits.length < max; start += max) {
      hits.push(...this.#loadBatch(viewer, matches.slice(start, start + max)))
    }
    return hits.slice(0, max)
  }

  #loadBatch(viewer: number, matches: readonly Match[]): Hit[] {
    const numbers = (kind: Kind) => matches.filter((match) => match.kind === kind).map(({ n }) => n)
    const posts = this.posts.postsByNumber(viewer, numbers(POSTS.kind)).values()
    const comments = new Map(
      this.comments.commentsByNumber(viewer, numbers(COMMENTS.kind)).map((each) => [each.n, each]),
    )
    return matches.flatMap((match): Hit[] => {
      const post = match.kind === POSTS.kind ? posts.next().value : undefined
      if (post) return [{ match, result: postResult(post, match), post }]
      const comment = match.kind === COMMENTS.kind ? comments.get(match.n) : undefined
      return comment ? [{ match, result: commentResult(comment.comment, comment.title, match) }] : []
    })
  }

  #findAgents(words: string[]): Agent[] {
    return this.#agents.all(matchTermPrefixes(words)).map(({ n }) => this.agents.show(this.agents.row(n)))
  }

  #findSubmolts(viewer: number, words: string[]): Submolt[] {
    return this.#submolts.all(matchTermPrefixes(words)).map(({ name }) => this.submolts.show(name, viewer))
  }
}

/** A full-text query for all words in some columns, within a submolt if there is one. */
const matchQuery = (columns: string, words: readonly string[], submolt: number | undefined): string => {
  const query = `{${columns}} : (${matchAllTerms(words)})`
  return submolt === undefined ? query : `place : "s${submolt}" AND ${query}`
}

/** How many bytes a hit has in the response: as a result, and as a post if it is one. */
const sizeOfHit = ({ result, post }: Hit): number => jsonSize(result) + (post ? jsonSize(post) : 0)

/** The matches after a sort key, highest score first, of equal scores the newest. Each kind is sorted by age already. */
function sortMatches(matches: readonly Match[], [score = 0, kind = 0, n = 0]: readonly number[]): Match[] {
  const isAfter = (one: Match) => (score - one.score || kind - one.kind || n - one.n) > 0
  const byScore = Map.groupBy(matches.filter(isAfter), (match) => match.score)
  const scores = [...byScore.keys()].sort((one, other) => other - one)
  return scores.flatMap((each) => byScore.get(each) ?? [])
}

const postResult = (post: Post, { similarity }: Match): SearchResult => ({
  ...{ id: post.id, type: 'post', title: post.title, content: post.content ?? '', url: post.url },
  ...{ score: post.score, upvotes: post.upvotes, downvotes: post.downvotes, created_at: post.created_at },
  similarity,
  author: post.author,
  submolt: post.submolt,
  post: { id: post.id, title: post.title },
  post_id: post.id,
})

const commentResult = (comment: Comment, title: string, { similarity }: Match): SearchResult => ({
  ...{ id: comment.id, type: 'comment', title: null, content: comment.content, url: null },
  ...{ score: comment.score, upvotes: comment.upvotes, downvotes: comment.downvotes, created_at: comment.created_at },
  similarity,
  author: comment.author,
  post: { id: comment.post_id, title },
  post_id: comment.post_id,
})

function toAnswer(
  query: string,
  type: string,
  results: SearchResult[],
  posts: Post[],
  agents: Agent[],
  submolts: Submolt[],
  next: string | undefined,
): SearchPage {
  return {
    ...{ success: true, query, type, results, posts, agents, submolts, count: results.length },
    ...{ has_more: next !== undefined, next_cursor: next ?? null },
    ...{ totalPosts: posts.length, totalAgents: agents.length, totalSubmolts: submolts.length },
  }
}
