import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { cursorAfterKey, parseKeyCursor } from '../../http/cursor.ts'
import { fillPage, inBatches } from '../../http/page.ts'
import { type Page, parseLimit, parseOffset, parseWord, sizeOfListed } from '../shared/paging.ts'
import { FeedSources, type Reach } from './feed-sources.ts'
import { ageClassesWithin, startOf, TIMES, type Time } from './ranks.ts'
import { type OrderQuery, POST_PAGE, POST_SORTS, type Post, type PostSort } from './schema.ts'
import { JOIN_POST, type PostRow, SELECT_POST, toPost } from './view.ts'

/** The posts in a list: all, those of one submolt, all by one author, or those by a followed author. */
export type Scope = 'all' | 'submolt' | 'author' | 'followed'

const SCOPE_COLUMNS = { submolt: 'submolt', author: 'author', followed: 'author' } as const

/** One scan of an index: within a scope, and within an age class where the index is split by age. */
interface IndexScan {
  readonly scope: Scope
  readonly key: number | undefined
  readonly ageClass: number | undefined
  /** The sort key of its first post, if known. */
  readonly firstKey?: FirstKey
}

/** A parsed list query. */
interface PageQuery {
  readonly sort: PostSort
  readonly time: Time
  readonly limit: number
  readonly offset: number
  /** The sort key after which the page begins. */
  readonly after: readonly number[]
}

/** The sort key of a post, by column. */
type SortKey = Record<string, number> & { n: number }

/** The sort key of the first post of a scan; null where there is none. */
type FirstKey = Record<string, number | null>

/** The columns of each sort, all descending; the row number breaks ties. */
const COLUMNS: Readonly<Record<PostSort, readonly string[]>> = {
  hot: ['hot', 'created_at', 'n'],
  new: ['created_at', 'n'],
  top: ['score', 'created_at', 'n'],
  rising: ['rising', 'created_at', 'n'],
  controversial: ['controversy', 'created_at', 'n'],
}

/** How many posts of a page are read at once. */
const POSTS_PER_READ = 10

/** How many posts a feed filters at a time. */
const BATCH = 128

/** The columns of a sort without the row number. */
const rankColumns = (sort: PostSort): readonly string[] => COLUMNS[sort].slice(0, -1)

const isSplitByAge = (sort: PostSort): boolean => sort === 'top' || sort === 'controversial'

/** Selects the pinned posts of a community, the newest first. */
export const PINNED =
  'SELECT n FROM posts INDEXED BY posts_pinned WHERE submolt = ? AND pinned = 1 AND deleted_at IS NULL ORDER BY n DESC'

/** The indexes by author have all posts, since an author sees all of them: there, `+` leaves the choice of the index alone. */
const isListed = (scope: Scope): string => `${scope === 'followed' ? '+' : ''}unlisted IS NULL`

/** Scans the index of a sort. */
export function scanSql(scope: Scope, sort: PostSort): string {
  const columns = COLUMNS[sort]
  const conditions = [
    'deleted_at IS NULL',
    ...(scope === 'author' ? [] : [isListed(scope)]),
    ...(scope === 'all' ? [] : [`${SCOPE_COLUMNS[scope]} = ?`]),
    ...(isSplitByAge(sort) ? ['span = ?'] : []),
    `(${columns.join(', ')}) < (${columns.map(() => '?').join(', ')})`,
    'created_at >= ?',
  ]
  return `SELECT ${columns.join(', ')} FROM posts WHERE ${conditions.join(' AND ')}
    ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')} LIMIT ?`
}

/** Selects the sort key of the first post of every source of a feed: followed agents or subscribed submolts. */
export function firstKeysSql(scope: 'submolt' | 'followed', sort: PostSort): string {
  const columns = COLUMNS[sort]
  const [source, sources] =
    scope === 'followed' ? ['followee', 'follows WHERE follower = ?1'] : ['submolt', 'subscriptions WHERE agent = ?1']
  const bound = columns.map((_, index) => `?${index + 4}`).join(', ')
  const firstValue = (column: string) => `(SELECT ${column} FROM posts
    WHERE deleted_at IS NULL AND ${isListed(scope)} AND ${SCOPE_COLUMNS[scope]} = q.${source} ${isSplitByAge(sort) ? 'AND span = ?2' : 'AND ?2 IS NULL'}
      AND (${columns.join(', ')}) < (${bound}) AND created_at >= ?3
    ORDER BY ${columns.map((each) => `${each} DESC`).join(', ')} LIMIT 1) AS ${column}`
  return `SELECT q.${source} AS source, ${rankColumns(sort).map(firstValue).join(', ')} FROM (SELECT ${source} FROM ${sources}) q`
}

/** Pages of posts, read from indexes: every page costs the same. */
export class PostLists {
  readonly #statements = new Map<string, Statement<SortKey, (number | null)[]>>()
  readonly #selectPosts: Statement<PostRow, [number, string]>
  readonly #selectPinned: Statement<{ n: number }, [number]>
  readonly #sources: FeedSources

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    this.#sources = new FeedSources(store)
    this.#selectPinned = store.prepare(stablePlan(PINNED))
    this.#selectPosts = store.prepare(
      stablePlan(`${SELECT_POST} FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value ${JOIN_POST} ORDER BY j.key`),
    )
  }

  /** A page of all posts, or of one submolt or author. */
  page(viewer: number, query: OrderQuery, scope: Scope, key?: number): Page<Post> {
    const name = `posts.${scope}${key ?? ''}`
    const pageQuery = parseQuery(query, name)
    const scans = ageClasses(pageQuery).map((ageClass): IndexScan => ({ scope, key, ageClass }))
    return this.#toPage(viewer, pageQuery, this.#merge(pageQuery, scans, maxKeys(pageQuery)), name)
  }

  /** A page of the posts in a submolt; the first one by `hot` begins with up to three more: those that are pinned. */
  submoltPage(viewer: number, query: OrderQuery, submolt: number): Page<Post> {
    const page = this.page(viewer, query, 'submolt', submolt)
    const isFirst = !query.cursor && page.offset === 0 && parseWord(POST_SORTS, 'hot', query.sort) === 'hot'
    const pinned = isFirst ? this.#selectPinned.all(submolt).map(({ n }) => n) : []
    if (pinned.length === 0) return page
    return { ...page, items: [...this.postsByNumber(viewer, pinned), ...page.items.filter((post) => !post.is_pinned)] }
  }

  /** A page of the posts by followed agents, and unless `followingOnly` of those in subscribed submolts. */
  feed(viewer: number, query: OrderQuery, followingOnly: boolean): Page<Post> {
    const name = `feed${followingOnly ? '.following' : ''}`
    const pageQuery = parseQuery(query, name)
    const reach = followingOnly ? 'following' : 'all'
    const keys = this.#filterAll(viewer, pageQuery, reach) ?? this.#mergeSources(viewer, pageQuery, reach)
    return this.#toPage(viewer, pageQuery, keys, name)
  }

  /** The posts with these row numbers, in this order. */
  postsByNumber(viewer: number, numbers: readonly number[]): Post[] {
    return this.#selectPosts.all(viewer, JSON.stringify(numbers)).map(toPost)
  }

  #withPosts(viewer: number, keys: readonly SortKey[]) {
    const rows = this.#selectPosts.all(viewer, JSON.stringify(keys.map(({ n }) => n)))
    const byNumber = new Map(rows.map((row) => [row.n, row]))
    return keys.flatMap((key) => {
      const row = byNumber.get(key.n)
      return row ? [{ key, post: toPost(row) }] : []
    })
  }

  #toPage(viewer: number, { sort, limit, offset }: PageQuery, all: readonly SortKey[], name: string): Page<Post> {
    const keys = all.slice(offset, offset + limit + 1)
    const rows = inBatches(keys, POSTS_PER_READ, (batch) => this.#withPosts(viewer, batch))
    const { items, last } = fillPage(rows, limit, ({ post }) => post, { sizeOf: sizeOfListed })
    const next = last && cursorAfterKey(`${name}.${sort}`, keyValues(last.key, sort))
    return { items, limit, offset, next }
  }

  /**
   * Filters all posts by the sources of a feed. Undefined when so few match that scanning each source is cheaper: it
   * reads no more posts than there are scans of sources.
   */
  #filterAll(viewer: number, query: PageQuery, reach: Reach): SortKey[] | undefined {
    const scans = ageClasses(query).map((ageClass): IndexScan => ({ scope: 'all', key: undefined, ageClass }))
    const max = maxKeys(query)
    const matches: SortKey[] = []
    let budget = this.#sources.count(viewer, reach) * scans.length
    for (let after = query.after, read = BATCH; budget >= BATCH; read += BATCH, budget -= BATCH) {
      const keys = this.#merge({ ...query, after }, scans, BATCH)
      const numbers = keys.map(({ n }) => n)
      const matching = this.#sources.filter(viewer, reach, numbers)
      matches.push(...keys.filter(({ n }) => matching.has(n)))
      const last = keys.length === BATCH && matches.length < max ? keys.at(-1) : undefined
      if (!last) return matches
      if ((matches.length / read) * budget < max) return undefined
      after = keyValues(last, query.sort)
    }
    return undefined
  }

  /** Merges the posts of each source of a feed. */
  #mergeSources(viewer: number, query: PageQuery, reach: Reach): SortKey[] {
    const scopes = reach === 'following' ? (['followed'] as const) : (['followed', 'submolt'] as const)
    const scans = ageClasses(query)
      .flatMap((ageClass) => scopes.flatMap((scope) => this.#sourceScans(viewer, query, scope, ageClass)))
      .sort((one, other) => compare(one.firstKey, other.firstKey, rankColumns(query.sort)))
    return this.#merge(query, scans, maxKeys(query))
  }

  /** The first keys of all scans, without duplicates. Stops at a scan whose first key comes too late. */
  #merge(query: PageQuery, scans: readonly IndexScan[], max: number): SortKey[] {
    let merged: SortKey[] = []
    for (const scan of scans) {
      const last = merged[max - 1]
      if (last && scan.firstKey && compare(scan.firstKey, last, rankColumns(query.sort)) > 0) break
      const keys = this.#scan(query, scan, max)
      merged = merged.length === 0 ? keys : mergeKeys(merged, keys, max, query.sort)
    }
    return merged
  }

  #scan({ sort, time, after }: PageQuery, { scope, key, ageClass }: IndexScan, max: number): SortKey[] {
    const statement = this.#prepare(`${scope} ${sort}`, () => scanSql(scope, sort))
    const bounds = [key, ageClass].filter((value) => value !== undefined)
    return statement.all(...bounds, ...after, this.#since(sort, time), max)
  }

  #sourceScans(
    viewer: number,
    { sort, time, after }: PageQuery,
    scope: 'submolt' | 'followed',
    ageClass: number | undefined,
  ) {
    const statement = this.#prepare(`first ${scope} ${sort}`, () => firstKeysSql(scope, sort))
    const firstKeys: readonly FirstKey[] = statement.all(viewer, ageClass ?? null, this.#since(sort, time), ...after)
    return firstKeys.flatMap((firstKey) =>
      firstKey.created_at === null ? [] : [{ scope, key: firstKey.source ?? 0, ageClass, firstKey }],
    )
  }

  #since(sort: PostSort, time: Time): number {
    return isSplitByAge(sort) ? startOf(time, this.clock.now()) : 0
  }

  #prepare(name: string, sql: () => string): Statement<SortKey, (number | null)[]> {
    const statement = this.#statements.get(name) ?? this.store.prepare<SortKey, (number | null)[]>(stablePlan(sql()))
    this.#statements.set(name, statement)
    return statement
  }
}

const ageClasses = ({ sort, time }: PageQuery): (number | undefined)[] =>
  isSplitByAge(sort) ? ageClassesWithin(time) : [undefined]

/** Parses a query; unknown values mean the defaults. */
function parseQuery(query: OrderQuery, name: string): PageQuery {
  const sort = parseWord(POST_SORTS, 'hot', query.sort)
  const key = parseKeyCursor(query.cursor, `${name}.${sort}`, COLUMNS[sort].length)
  return {
    sort,
    time: parseWord(TIMES, 'all', query.t),
    limit: parseLimit(query.limit, POST_PAGE),
    offset: key ? 0 : parseOffset(query.offset),
    after: key ?? COLUMNS[sort].map(() => Number.MAX_SAFE_INTEGER),
  }
}

/** How many keys a page needs: those it skips, its own, and one to know whether there is another page. */
const maxKeys = ({ limit, offset }: PageQuery): number => limit + offset + 1

/** The first keys of two lists, without duplicates. */
function mergeKeys(some: readonly SortKey[], others: readonly SortKey[], max: number, sort: PostSort): SortKey[] {
  const unique = new Map([...some, ...others].map((key) => [key.n, key]))
  return [...unique.values()].sort((one, other) => compare(one, other, COLUMNS[sort])).slice(0, max)
}

const keyValues = (key: SortKey, sort: PostSort): number[] => COLUMNS[sort].map((column) => key[column] ?? 0)

function compare(one: FirstKey, other: FirstKey, columns: readonly string[]): number {
  for (const column of columns) {
    const difference = (other[column] ?? 0) - (one[column] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
