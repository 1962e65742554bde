import type { Clock } from '../../core/clock.ts'
import type { Statement, Store } from '../../core/store/index.ts'
import { cursorAfterKey, parseKeyCursor } from '../../http/respond/index.ts'
import type { Agent, AgentAccounts } from '../accounts/index.ts'
import type { Submolt, Submolts } from '../communities/index.ts'
import { POST_FIELDS, type Post, type Posts, startOf, TIMES, toListedPost } from '../posts/index.ts'
import { badRequest, parseFields, parseLimit, parseWord, type Viewer } from '../shared/index.ts'
import { Hits } from './hits.ts'
import type { IndexRebuild } from './index-rebuild.ts'
import { type Indexes, STEMS, WHOLE_WORDS } from './indexes.ts'
import { Kept } from './kept.ts'
import { LongReads } from './long-reads.ts'
import { COMMENT, type Match, Matches, mergeByRank, POST } from './matches.ts'
import { AGENTS_SQL, type NameMatch, Names, SUBMOLTS_SQL } from './names.ts'
import { parseTerms, type Term } from './query-terms.ts'
import { SEARCH_PAGE, SEARCH_TYPES, type SearchQuery, type SearchResponse, type SearchResult } from './schema.ts'
import { Spelling } from './spelling.ts'
import { type SearchScope, WordIndex } from './word-index.ts'

/** A response with whole posts. */
export type SearchPage = Omit<SearchResponse, 'posts'> & { posts: Post[] }

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

/** Searches posts and comments for sentences, agents and submolts for words and beginnings of words. */
export class NetworkSearch {
  readonly #longReads: LongReads
  readonly #hits: Hits
  readonly #stems: Readers
  readonly #firstPost: FirstSince
  readonly #firstComment: FirstSince
  #wholeWords: Readers | undefined
  readonly #kept: Kept<string, readonly Match[]>
  readonly #keptAgents: Kept<string, readonly NameMatch[]>
  readonly #keptSubmolts: Kept<string, readonly NameMatch[]>

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly agents: AgentAccounts,
    private readonly submolts: Submolts,
    posts: Posts,
    private readonly rebuild: IndexRebuild,
    /** The number of the last change in the network. */
    private readonly head: () => number,
  ) {
    this.#longReads = new LongReads(store.path)
    this.#hits = new Hits(store, posts)
    this.#kept = new Kept(head, MAX_KEPT)
    this.#keptAgents = new Kept(head, MAX_KEPT)
    this.#keptSubmolts = new Kept(head, MAX_KEPT)
    this.#stems = this.#read(STEMS)
    this.#wholeWords = rebuild.isDone ? undefined : this.#read(WHOLE_WORDS)
    this.#firstPost = new FirstSince(store, 'posts')
    this.#firstComment = new FirstSince(store, 'comments')
  }

  async find(caller: Viewer, query: SearchQuery): Promise<SearchResponse> {
    const fields = parseFields(query.fields, POST_FIELDS)
    const page = await this.page(caller, query)
    return { ...page, posts: page.posts.map((post) => toListedPost(post, fields)) }
  }

  /** A page of results, with whole posts. */
  async page(caller: Viewer, query: SearchQuery): Promise<SearchPage> {
    const text = (query.q ?? '').trim()
    if (text.length > MAX_QUERY) throw badRequest(`Search text must be ${MAX_QUERY} characters or less`)
    const type = parseWord(SEARCH_TYPES, 'all', query.type)
    const key = parseKeyCursor(query.cursor, 'search', KEY_LENGTH)
    const scopes = this.#scopes(caller, query)
    const asked = text.length < MIN_QUERY ? [] : parseTerms(text)
    if (asked.length === 0) return toAnswer(text, type, [], [], [], [], undefined)
    const limit = parseLimit(query.limit, SEARCH_PAGE)
    const includes = (kind: typeof type) => type === 'all' || type === kind
    const readers = this.#readers()
    const terms = await readers.spelling.correct(asked)
    const matches = await this.#matches(readers, terms, type, scopes)
    const after = key ? matches.filter((match) => isAfter(match, key)) : matches
    const { items: page, last } = this.#hits.page(caller.n, after, limit)
    const includesNames = key === undefined && scopes.isEverywhere
    return toAnswer(
      text,
      type,
      page.map(({ result }) => result),
      page.flatMap(({ post }) => post ?? []),
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
  ): Promise<readonly Match[]> {
    return this.#kept.find(JSON.stringify([terms, type, posts, comments]), async () => {
      const includes = (kind: typeof type) => type === 'all' || type === kind
      return mergeByRank(
        includes('posts') ? await readers.posts.find(terms, posts) : [],
        includes('comments') ? await readers.comments.find(terms, comments) : [],
      )
    })
  }

  stop(): Promise<void> {
    return this.#longReads.stop()
  }

  /** Until the indexes of stems are complete, those of whole words are read. */
  #readers(): Readers {
    if (this.#wholeWords && this.rebuild.isDone) this.#wholeWords = undefined
    return this.#wholeWords ?? this.#stems
  }

  #read(indexes: Indexes): Readers {
    const open = (index: string, table: string, columns: string) =>
      new WordIndex(this.store, index, table, columns, this.#longReads, this.head)
    const names = 'name display_name description'
    const posts = open(indexes.posts, 'posts', 'title body')
    const comments = open(indexes.comments, 'comments', 'body')
    const agents = open(indexes.agents, 'agents', names)
    const submolts = open(indexes.submolts, 'submolts', names)
    return {
      posts: new Matches(
        this.store,
        { kind: POST, index: posts, titles: open(indexes.titles, 'posts', 'title') },
        this.head,
      ),
      comments: new Matches(this.store, { kind: COMMENT, index: comments }, this.head),
      agents: new Names(this.store, AGENTS_SQL, agents),
      submolts: new Names(this.store, SUBMOLTS_SQL, submolts),
      spelling: new Spelling([posts, comments, agents, submolts]),
    }
  }

  /** Scopes of searches of posts and comments. */
  #scopes(caller: Viewer, query: SearchQuery): Scopes {
    const submolt = query.submolt ? this.submolts.need(query.submolt, caller.n).n : undefined
    const author = query.author ? this.agents.need(query.author).n : undefined
    const range = parseWord(TIMES, 'all', query.time ?? query.t)
    const since = parseMoment('since', query.since) ?? (range === 'all' ? undefined : startOf(range, this.clock.now()))
    const until = parseMoment('until', query.until)
    const scope = (first: FirstSince): SearchScope => ({
      ...{ submolt, author },
      from: since === undefined ? 0 : first.find(since),
      to: until === undefined ? Number.MAX_SAFE_INTEGER : first.find(until),
    })
    const isEverywhere = submolt === undefined && author === undefined
    return { posts: scope(this.#firstPost), comments: scope(this.#firstComment), isEverywhere }
  }

  async #findAgents({ agents }: Readers, terms: readonly Term[]): Promise<Agent[]> {
    const found = await this.#keptAgents.find(JSON.stringify(terms), () => agents.find(terms))
    return found.map(({ n }) => this.agents.show(this.agents.row(n)))
  }

  async #findSubmolts({ submolts }: Readers, viewer: number, terms: readonly Term[]): Promise<Submolt[]> {
    const found = await this.#keptSubmolts.find(JSON.stringify(terms), () => submolts.find(terms))
    return found.map(({ name }) => this.submolts.show(name, viewer))
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

/** Finds where a time range begins, among rows that are in the order of their creation. */
class FirstSince {
  readonly #last: Statement<{ n: number | null }, []>
  readonly #createdFrom: Statement<{ at: number }, [number]>

  constructor(store: Store, table: 'posts' | 'comments') {
    this.#last = store.prepare(`SELECT max(n) AS n FROM ${table}`)
    this.#createdFrom = store.prepare(`SELECT created_at AS at FROM ${table} WHERE n >= ? ORDER BY n LIMIT 1`)
  }

  /** The number of the first row since a moment; one more than the last when there is none. */
  find(moment: number): number {
    let [low, high] = [0, (this.#last.get()?.n ?? 0) + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const at = this.#createdFrom.get(middle)?.at ?? Number.MAX_SAFE_INTEGER
      if (at < moment) low = middle + 1
      else high = middle
    }
    return low
  }
}
