import type { Statement } from 'bun:sqlite'
import { matchAllTerms, matchTermPrefixes, parseSearchTerms } from '../../core/search-terms.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { cursorAfterKey, keyOf } from '../../http/cursor.ts'
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
import { COMMENTS, type Kind, type Match, newestSql, POSTS, TITLES } from './matches.ts'
import { type Found, SEARCH_PAGE, SEARCH_TYPES, type SearchAnswer, type SearchQuery } from './schema.ts'

/** A result, with the match that it was and the whole post that it is. */
interface Shown {
  match: Match
  found: Found
  post?: Post
}

const MOST_TEXT = 500
const LEAST_TEXT = 2
const FIRST = [Number.MAX_SAFE_INTEGER, 2, 0]
const FEW = 10

/** So many of the newest matches are weighed against each other; of those with the words in the title, so many more. */
const NEWEST = 2_000
const NEWEST_TITLED = 200

const AGENT_HITS = `SELECT a.n, a.name FROM (SELECT rowid AS n FROM agent_search WHERE agent_search MATCH ?
    ORDER BY rowid DESC LIMIT ${NEWEST_TITLED}) f JOIN agents a ON a.n = f.n
  WHERE a.deleted_at IS NULL ORDER BY a.karma DESC, a.n LIMIT ${FEW}`

const SUBMOLT_HITS = `SELECT s.n, s.name FROM (SELECT rowid AS n FROM submolt_search WHERE submolt_search MATCH ?
    ORDER BY rowid DESC LIMIT ${NEWEST_TITLED}) f JOIN submolts s ON s.n = f.n
  ORDER BY s.subscriber_count DESC, s.n LIMIT ${FEW}`

/** Finds by words what was written, and who and where by how names begin. */
export class Search {
  readonly #posts: Statement<Match, [string, number]>
  readonly #titles: Statement<Match, [string, number]>
  readonly #comments: Statement<Match, [string, number]>
  readonly #agents: Statement<{ n: number; name: string }, [string]>
  readonly #submolts: Statement<{ n: number; name: string }, [string]>

  constructor(
    store: Store,
    private readonly agents: Agents,
    private readonly submolts: Submolts,
    private readonly posts: Posts,
    private readonly comments: Comments,
  ) {
    this.#posts = store.prepare(stablePlan(newestSql(POSTS)))
    this.#titles = store.prepare(stablePlan(newestSql(TITLES)))
    this.#comments = store.prepare(stablePlan(newestSql(COMMENTS)))
    this.#agents = store.prepare(AGENT_HITS)
    this.#submolts = store.prepare(SUBMOLT_HITS)
  }

  async find(caller: AgentCaller, query: SearchQuery): Promise<SearchAnswer> {
    const text = (query.q ?? '').trim()
    if (text.length > MOST_TEXT) throw unusable(`Search text must be ${MOST_TEXT} characters or less`)
    const type = wordOf(SEARCH_TYPES, 'all', query.type)
    const key = keyOf(query.cursor, 'search', FIRST.length)
    const place = query.submolt ? this.submolts.need(query.submolt, caller.n).n : undefined
    const words = text.length < LEAST_TEXT ? [] : parseSearchTerms(text)
    if (words.length === 0) return answer(text, type, [], [], [], [], undefined)
    const limit = sizeOf(query.limit, SEARCH_PAGE)
    const wants = (one: typeof type) => type === 'all' || type === one
    const posts = wants('posts') ? this.#findPosts(words, place) : []
    const comments = wants('comments') ? this.#comments.all(within('body', words, place), NEWEST) : []
    const shown = this.#show(caller.n, ranked([...posts, ...comments], key ?? FIRST), limit + 1)
    const results = shown.slice(0, limit)
    const last = shown.length > limit ? results.at(-1)?.match : undefined
    const wider = key === undefined && place === undefined
    return answer(
      text,
      type,
      results.map(({ found }) => found),
      results.flatMap(({ post }) => post ?? []),
      wider && wants('agents') ? this.#findAgents(words) : [],
      wider && wants('submolts') ? this.#findSubmolts(caller.n, words) : [],
      last && cursorAfterKey('search', [last.score, last.kind, last.n]),
    )
  }

  /** Newest first. A match in a title that is not among the newest of all is older than these. */
  #findPosts(words: string[], place: number | undefined): Match[] {
    const titled = new Map(
      this.#titles.all(within('title', words, place), NEWEST_TITLED).map((match) => [match.n, match]),
    )
    const others = this.#posts.all(within('title body', words, place), NEWEST)
    const newest = others.map((match) => {
      const inTitle = titled.get(match.n)
      titled.delete(match.n)
      return inTitle ?? match
    })
    return [...newest, ...titled.values()]
  }

  /** The first so many; only of these is it looked up whether their post is still there. */
  #show(viewer: number, matches: readonly Match[], most: number): Shown[] {
    const shown: Shown[] = []
    for (let at = 0; at < matches.length && shown.length < most; at += most) {
      shown.push(...this.#whole(viewer, matches.slice(at, at + most)))
    }
    return shown.slice(0, most)
  }

  #whole(viewer: number, matches: readonly Match[]): Shown[] {
    const places = (kind: Kind) => matches.filter((match) => match.kind === kind).map(({ n }) => n)
    const posts = this.posts.lists.whole(viewer, places(POSTS.kind)).values()
    const comments = new Map(this.comments.some(viewer, places(COMMENTS.kind)).map((one) => [one.n, one]))
    return matches.flatMap((match): Shown[] => {
      const post = match.kind === POSTS.kind ? posts.next().value : undefined
      if (post) return [{ match, found: ofPost(post, match), post }]
      const comment = match.kind === COMMENTS.kind ? comments.get(match.n) : undefined
      return comment ? [{ match, found: ofComment(comment.comment, comment.title, match) }] : []
    })
  }

  #findAgents(words: string[]): Agent[] {
    return this.#agents.all(matchTermPrefixes(words)).map(({ n }) => this.agents.show(this.agents.row(n)))
  }

  #findSubmolts(viewer: number, words: string[]): Submolt[] {
    return this.#submolts.all(matchTermPrefixes(words)).map(({ name }) => this.submolts.show(name, viewer))
  }
}

/** Every word in these columns, of one community when it is given. */
const within = (columns: string, words: readonly string[], submolt: number | undefined): string => {
  const wanted = `{${columns}} : (${matchAllTerms(words)})`
  return submolt === undefined ? wanted : `place : "s${submolt}" AND ${wanted}`
}

/** What comes after a place: the highest score first, of equals the newest; it is newest first among each kind already. */
function ranked(matches: readonly Match[], [score = 0, kind = 0, n = 0]: readonly number[]): Match[] {
  const isAfter = (one: Match) => (score - one.score || kind - one.kind || n - one.n) > 0
  const byScore = Map.groupBy(matches.filter(isAfter), (match) => match.score)
  const scores = [...byScore.keys()].sort((one, other) => other - one)
  return scores.flatMap((each) => byScore.get(each) ?? [])
}

const ofPost = (post: Post, { similarity }: Match): Found => ({
  ...{ id: post.id, type: 'post', title: post.title, content: post.content ?? '', url: post.url },
  ...{ score: post.score, upvotes: post.upvotes, downvotes: post.downvotes, created_at: post.created_at },
  similarity,
  author: post.author,
  submolt: post.submolt,
  post: { id: post.id, title: post.title },
  post_id: post.id,
})

const ofComment = (comment: Comment, title: string, { similarity }: Match): Found => ({
  ...{ id: comment.id, type: 'comment', title: null, content: comment.content, url: null },
  ...{ score: comment.score, upvotes: comment.upvotes, downvotes: comment.downvotes, created_at: comment.created_at },
  similarity,
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
