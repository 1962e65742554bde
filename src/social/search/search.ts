import { query, type Store } from '../../core/store/index.ts'
import { cursorAfterKey, parseKeyCursor } from '../../http/respond/index.ts'
import type { Agent, AgentAccounts } from '../accounts/index.ts'
import type { Submolt, Submolts } from '../communities/index.ts'
import { POST_FIELDS, type Post, startOf, TIMES, toListedPost } from '../posts/index.ts'
import {
  badRequest,
  Kept,
  type NetworkContext,
  parseFields,
  parseLimit,
  parseWord,
  type Viewer,
} from '../shared/index.ts'
import { type Hit, Hits, LISTED_POST, type PostShape, WHOLE_POST } from './hits.ts'
import type { IndexRebuild } from './index-rebuild.ts'
import { type Indexes, STEMS, WHOLE_WORDS } from './indexes.ts'
import { LongReads } from './long-reads.ts'
import { type Match, Matches, maxRankOfComments, NO_MATCHES, RankedMatches } from './matches.ts'
import { type NameMatch, Names, SELECT_AGENTS, SELECT_SUBMOLTS } from './names.ts'
import { parseTerms, type Term } from './query-terms.ts'
import { COMMENT, FoundRows, POST } from './rows.ts'
import { SEARCH_PAGE, SEARCH_TYPES, type SearchQuery, type SearchResponse, type SearchResult } from './schema.ts'
import { Spelling } from './spelling.ts'
import { type SearchContext, type SearchScope, WordIndex } from './word-index.ts'

/** A response with posts of a shape. */
export type SearchPage<Shown> = Omit<SearchResponse, 'posts'> & { posts: Shown[] }

/** Readers of one set of full-text indexes. */
interface Readers {
  readonly posts: Matches
  readonly comments: Matches
  readonly agents: Names
  readonly submolts: Names
  readonly spelling: Spelling
}

/** Scope of a search of posts and comments, and whether it is everything. */
interface Scopes {
  readonly posts: SearchScope
  readonly comments: SearchScope
  readonly isEverywhere: boolean
}

const MAX_QUERY = 500
const MIN_QUERY = 2
/** Maximum searches whose results are kept. */
const MAX_KEPT = 400
/** Rank, kind and number of a match. */
const KEY_LENGTH = 3

/** Services that a search uses. */
interface SearchPeers {
  readonly agents: AgentAccounts
  readonly submolts: Submolts
  readonly rebuild: IndexRebuild
}

/** Searches posts and comments for sentences, agents and submolts for words and beginnings of words. */
export class NetworkSearch {
  readonly #ctx: SearchContext
  readonly #rows: FoundRows
  readonly #hits: Hits
  readonly #stems: Readers
  #wholeWords: Readers | undefined
  readonly #kept: Kept<string, RankedMatches>
  readonly #keptAgents: Kept<string, readonly NameMatch[]>
  readonly #keptSubmolts: Kept<string, readonly NameMatch[]>

  constructor(
    ctx: NetworkContext,
    private readonly peers: SearchPeers,
  ) {
    this.#ctx = { ...ctx, longReads: new LongReads(ctx.store.path) }
    this.#rows = new FoundRows(ctx)
    this.#hits = new Hits(ctx, this.#rows)
    this.#kept = new Kept(ctx.changes, MAX_KEPT)
    this.#keptAgents = new Kept(ctx.changes, MAX_KEPT)
    this.#keptSubmolts = new Kept(ctx.changes, MAX_KEPT)
    this.#stems = this.#read(STEMS)
    this.#wholeWords = peers.rebuild.isDone ? undefined : this.#read(WHOLE_WORDS)
  }

  async find(caller: Viewer, query: SearchQuery): Promise<SearchResponse> {
    const fields = parseFields(query.fields, POST_FIELDS)
    if (!fields) return this.#page(caller, query, LISTED_POST)
    const page = await this.page(caller, query)
    return { ...page, posts: page.posts.map((post) => toListedPost(post, fields)) }
  }

  /** A page of results, with whole posts. */
  page(caller: Viewer, query: SearchQuery): Promise<SearchPage<Post>> {
    return this.#page(caller, query, WHOLE_POST)
  }

  async #page<Shown>(caller: Viewer, query: SearchQuery, shape: PostShape<Shown>): Promise<SearchPage<Shown>> {
    const text = (query.q ?? '').trim()
    if (text.length > MAX_QUERY) throw badRequest(`Search text must be ${MAX_QUERY} characters or less`)
    const type = parseWord(SEARCH_TYPES, 'all', query.type)
    const key = parseKeyCursor(query.cursor, 'search', KEY_LENGTH)
    const scopes = this.#scopes(caller, query)
    const asked = text.length < MIN_QUERY ? [] : parseTerms(text)
    if (asked.length === 0) return toAnswer(text, type, [], [], [], undefined)
    const limit = parseLimit(query.limit, SEARCH_PAGE)
    const includes = (kind: typeof type) => type === 'all' || type === kind
    const readers = this.#readers()
    const terms = await readers.spelling.correct(asked)
    const matches = await this.#matches(readers, terms, type, scopes)
    const from = key ? await matches.firstIndex((match) => isAfter(match, key)) : 0
    const { items: page, last } = await this.#hits.page(caller.n, { matches, from, limit }, shape)
    const includesNames = key === undefined && scopes.isEverywhere
    return toAnswer(
      text,
      type,
      page,
      includesNames && includes('agents') ? await this.#findAgents(readers, terms) : [],
      includesNames && includes('submolts') ? await this.#findSubmolts(readers, caller.n, terms) : [],
      last && cursorAfterKey('search', [last.match.rank, last.match.kind, last.match.n]),
    )
  }

  /** All matches in the order of their ranks: kept as long as nothing changes in the network. */
  async #matches(
    readers: Readers,
    terms: readonly Term[],
    type: (typeof SEARCH_TYPES)[number],
    { posts, comments }: Scopes,
  ): Promise<RankedMatches> {
    return this.#kept.find(JSON.stringify([terms, type, posts, comments]), async () => {
      const includes = (kind: typeof type) => type === 'all' || type === kind
      return new RankedMatches(
        includes('posts') ? await readers.posts.find(terms, posts) : NO_MATCHES,
        includes('comments') ? maxRankOfComments(terms.length, readers.agents.size) : 0,
        async () => (includes('comments') ? readers.comments.find(terms, comments) : NO_MATCHES),
      )
    })
  }

  stop(): Promise<void> {
    return this.#ctx.longReads.stop()
  }

  /** Until the indexes of stems are complete, those of whole words are read. */
  #readers(): Readers {
    if (this.#wholeWords && this.peers.rebuild.isDone) this.#wholeWords = undefined
    return this.#wholeWords ?? this.#stems
  }

  #read(indexes: Indexes): Readers {
    const open = (index: string, table: string, columns: string) => new WordIndex(this.#ctx, index, table, columns)
    const { store } = this.#ctx
    const names = 'name display_name description'
    const posts = open(indexes.posts, 'posts', 'title body')
    const comments = open(indexes.comments, 'comments', 'body')
    const agents = open(indexes.agents, 'agents', names)
    const submolts = open(indexes.submolts, 'submolts', names)
    return {
      posts: new Matches(
        this.#ctx,
        { kind: POST, index: posts, titles: open(indexes.titles, 'posts', 'title') },
        this.#rows,
      ),
      comments: new Matches(this.#ctx, { kind: COMMENT, index: comments }, this.#rows),
      agents: new Names(store, SELECT_AGENTS, agents),
      submolts: new Names(store, SELECT_SUBMOLTS, submolts),
      spelling: new Spelling([posts, comments, agents, submolts]),
    }
  }

  /** Scopes of searches of posts and comments. */
  #scopes(caller: Viewer, query: SearchQuery): Scopes {
    const { store, clock } = this.#ctx
    const submolt = query.submolt ? this.peers.submolts.need(query.submolt, caller.n).n : undefined
    const author = query.author ? this.peers.agents.need(query.author).n : undefined
    const range = parseWord(TIMES, 'all', query.time ?? query.t)
    const since = parseMoment('since', query.since) ?? (range === 'all' ? undefined : startOf(range, clock.now()))
    const until = parseMoment('until', query.until)
    const scope = (times: ReturnType<typeof timesOf>): SearchScope => ({
      ...{ submolt, author },
      from: since === undefined ? 0 : firstSince(store, times, since),
      to: until === undefined ? Number.MAX_SAFE_INTEGER : firstSince(store, times, until),
    })
    const isEverywhere = submolt === undefined && author === undefined
    return { posts: scope(POST_TIMES), comments: scope(COMMENT_TIMES), isEverywhere }
  }

  async #findAgents({ agents }: Readers, terms: readonly Term[]): Promise<Agent[]> {
    const found = await this.#keptAgents.find(JSON.stringify(terms), () => agents.find(terms))
    return found.map(({ n }) => this.peers.agents.show(this.peers.agents.row(n)))
  }

  async #findSubmolts({ submolts }: Readers, viewer: number, terms: readonly Term[]): Promise<Submolt[]> {
    const found = await this.#keptSubmolts.find(JSON.stringify(terms), () => submolts.find(terms))
    return found.map(({ name }) => this.peers.submolts.show(name, viewer))
  }
}

const isAfter = (match: Match, [rank = 0, kind = 0, n = 0]: readonly number[]): boolean =>
  (rank - match.rank || kind - match.kind || n - match.n) > 0

/** A date or time of a query; throws when it is none. */
function parseMoment(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const moment = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(moment)) throw badRequest(`${name} must be a date or time`, `Write it like ${name}=2026-01-31.`)
  return moment
}

function toAnswer<Shown>(
  query: string,
  type: string,
  hits: readonly Hit<Shown>[],
  agents: Agent[],
  submolts: Submolt[],
  next: string | undefined,
): SearchPage<Shown> {
  const [results, posts]: [SearchResult[], Shown[]] = [[], []]
  for (const { result, post } of hits) {
    results.push(result)
    if (post !== undefined) posts.push(post)
  }
  return {
    success: true,
    query,
    type,
    results,
    posts,
    agents,
    submolts,
    count: results.length,
    has_more: next !== undefined,
    next_cursor: next ?? null,
    totalPosts: posts.length,
    totalAgents: agents.length,
    totalSubmolts: submolts.length,
  }
}

/** The last row of a table, and the time of the first from a number on. */
const timesOf = (table: 'posts' | 'comments') => ({
  last: query<{ n: number | null }>(`SELECT max(n) AS n FROM ${table}`),
  createdFrom: query<{ at: number }, [number]>(`SELECT created_at AS at FROM ${table} WHERE n >= ? ORDER BY n LIMIT 1`),
})

const POST_TIMES = timesOf('posts')

const COMMENT_TIMES = timesOf('comments')

/** The number of the first row since a moment, in a table in the order of creation; one more than the last for none. */
function firstSince(store: Store, { last, createdFrom }: ReturnType<typeof timesOf>, moment: number): number {
  let [low, high] = [0, (store.get(last)?.n ?? 0) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const at = store.get(createdFrom, middle)?.at ?? Number.MAX_SAFE_INTEGER
    if (at < moment) low = middle + 1
    else high = middle
  }
  return low
}
