import { type Query, query, stablePlan } from '../../core/store/index.ts'
import { cursorAfterKey, fillPage, inBatches, parseKeyCursor, Turns } from '../../http/respond/index.ts'
import {
  FarOffsets,
  Kept,
  type NetworkContext,
  type Page,
  parseLimit,
  parseOffset,
  parseWord,
  sizeOfListed,
} from '../shared/index.ts'
import { FeedSources, type Reach } from './feed-sources.ts'
import { ageClassesWithin, startOf, TIMES, type Time } from './ranks.ts'
import { firstKeysSql, IN_SUBMOLT, PINNED, type Scope, scanSql, skipSql } from './scan-sql.ts'
import { type OrderQuery, POST_PAGE, POST_SORTS, type Post, type PostSort } from './schema.ts'
import {
  COLUMNS,
  compareKeys,
  type FirstKey,
  isSplitByAge,
  keyValues,
  mergeKeys,
  rankColumns,
  type SortKey,
  startKey,
} from './sort-keys.ts'
import { JOIN_POST, type ListedRow, type PostRow, SELECT_LISTED, SELECT_POST, toListed, toPost } from './view.ts'

/** One scan of an index: within a scope, and within an age class where the index is split by age. */
interface IndexScan {
  readonly scope: Scope
  readonly key: number | undefined
  readonly ageClass: number | undefined
  /** The sort key of its first post, if known. */
  readonly firstKey?: FirstKey
}

/** A parsed list query. */
export interface PageQuery {
  readonly sort: PostSort
  readonly time: Time
  readonly limit: number
  readonly offset: number
  /** The sort key after which the page begins. */
  readonly after: readonly number[]
}

/** Source of a list. */
export interface ListSource {
  /** The list in cursors, and with what else it depends on in anchors. */
  readonly name: string
  readonly variant?: string
  /** The first keys after a key, at most so many. */
  keys(query: PageQuery, max: number): SortKey[] | Promise<SortKey[]>
  /** The key so many posts after another; undefined when there are fewer. */
  skip?(query: PageQuery, count: number): SortKey | undefined
}

/** A post as JSON, with its row number. */
export interface ListedText {
  readonly n: number
  readonly text: string
  readonly bytes: number
}

/** Number of characters that all kept posts have together. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Number of posts of a page that are read together: a page of the usual size, and the post that says whether more follow. */
const POSTS_PER_READ = POST_PAGE.default + 1

/** Maximum posts that a feed filters in one step; the first has two pages. */
const BATCH = 128

/** Number of posts of an author that are looked through for those in one submolt at a time. */
const SUBMOLT_BATCH = 1_000

const forEachScope = <Value>(create: (scope: Scope) => Value): Record<Scope, Value> => ({
  ...{ all: create('all'), submolt: create('submolt'), author: create('author'), followed: create('followed') },
})

const forEachSort = <Value>(create: (sort: PostSort) => Value): Record<PostSort, Value> => ({
  ...{ hot: create('hot'), new: create('new'), top: create('top') },
  ...{ rising: create('rising'), controversial: create('controversial') },
})

type KeyQuery = Query<SortKey, (number | null)[]>

const SCANS = forEachScope((scope) => forEachSort((sort): KeyQuery => query(stablePlan(scanSql(scope, sort)))))

/** Each by the number of age classes, one at least. */
const SKIPS = forEachScope((scope) =>
  forEachSort((sort) => {
    const classes = isSplitByAge(sort) ? ageClassesWithin('all') : [undefined]
    return classes.map((_, last): KeyQuery => query(stablePlan(skipSql(scope, sort, classes.slice(0, last + 1)))))
  }),
)

const FIRST_KEYS = {
  submolt: forEachSort((sort): KeyQuery => query(stablePlan(firstKeysSql('submolt', sort)))),
  followed: forEachSort((sort): KeyQuery => query(stablePlan(firstKeysSql('followed', sort)))),
}

const SELECT_PINNED = query<{ n: number }, [number]>(stablePlan(PINNED))

const SELECT_IN_SUBMOLT = query<{ n: number }, [string, number]>(stablePlan(IN_SUBMOLT))

const SELECT_POSTS = query<PostRow, [number, string]>(
  stablePlan(`${SELECT_POST} FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value ${JOIN_POST} ORDER BY j.key`),
)

const LISTED = query<ListedRow, [string]>(stablePlan(SELECT_LISTED))

/** Pages of posts, read from indexes: every page costs the same. */
export class PostLists {
  readonly #sources: FeedSources
  readonly #offsets: FarOffsets
  readonly #turns = new Turns(1)
  /** By row number. */
  readonly #listed: Kept<number, ListedText>

  constructor(private readonly ctx: NetworkContext) {
    this.#sources = new FeedSources(ctx.store)
    this.#offsets = new FarOffsets(ctx.clock)
    this.#listed = new Kept(
      () => ctx.store.version,
      MAX_CHARACTERS,
      ({ text }) => text.length,
    )
  }

  /** All posts, or those of one submolt or author. */
  all(scope: Scope, key?: number): ListSource {
    return this.#scoped(`posts.${scope}${key ?? ''}`, scope, key)
  }

  /** The posts in a submolt; by `hot` those that are pinned come first. */
  inSubmolt(query: OrderQuery, submolt: number): ListSource {
    const source = this.all('submolt', submolt)
    const pinned = this.ctx.store.all(SELECT_PINNED, submolt).map(({ n }) => n)
    const isPinnedFirst = pinned.length > 0 && parseWord(POST_SORTS, 'hot', query.sort) === 'hot'
    return isPinnedFirst ? pinnedFirst(source, pinned) : source
  }

  /** The posts by an author in a submolt. */
  byAuthor(author: number, submolt: number): ListSource {
    const inSubmolt = (keys: readonly SortKey[]) => {
      const numbers = new Set(this.ctx.store.all(SELECT_IN_SUBMOLT, numbersOf(keys), submolt).map(({ n }) => n))
      return keys.filter(({ n }) => numbers.has(n))
    }
    return this.#filtered(this.all('author', author), `.in${submolt}`, inSubmolt)
  }

  /**
   * The posts by followed agents, and unless `followingOnly` of those in subscribed submolts. Who follows and subscribes to
   * nothing yet gets all posts; cursors stay good when that changes.
   */
  feed(viewer: number, followingOnly: boolean): ListSource {
    const reach = followingOnly ? 'following' : 'all'
    if (!this.isPersonal(viewer, followingOnly)) return this.#scoped('feed', 'all', undefined)
    const keys = (pageQuery: PageQuery, max: number) =>
      this.#filterAll(viewer, pageQuery, reach, max) ?? this.#mergeSources(viewer, pageQuery, reach, max)
    return { ...{ name: `feed${followingOnly ? '.following' : ''}`, variant: `.of${viewer}` }, keys }
  }

  /** True if a feed is made of what its reader chose. */
  isPersonal(viewer: number, followingOnly: boolean): boolean {
    return followingOnly || this.#sources.count(viewer, 'all') > 0
  }

  /** The posts with these row numbers, in this order. */
  postsByNumber(viewer: number, numbers: readonly number[]): Post[] {
    return this.ctx.store.all(SELECT_POSTS, viewer, JSON.stringify(numbers)).map(toPost)
  }

  /** A page of whole posts, as one agent sees them. */
  page(viewer: number, query: OrderQuery, source: ListSource): Promise<Page<Post>> {
    return this.#page(
      query,
      source,
      (keys) => this.ctx.store.all(SELECT_POSTS, viewer, numbersOf(keys)),
      toPost,
      sizeOfListed,
    )
  }

  /** A page of posts as a list shows them to every reader: the row number of each, and its JSON. */
  listed(query: OrderQuery, source: ListSource): Promise<Page<ListedText>> {
    const read = (keys: readonly SortKey[]) => {
      const texts = this.#listed.findAll(
        keys.map(({ n }) => n),
        (missing, add) => {
          for (const row of this.ctx.store.all(LISTED, JSON.stringify(missing))) add(row.n, listedText(row))
        },
      )
      return texts.filter((text) => text !== undefined)
    }
    return this.#page(
      query,
      source,
      read,
      (text) => text,
      ({ bytes }) => 2 * bytes,
    )
  }

  async #page<Row extends { n: number }, Item>(
    query: OrderQuery,
    source: ListSource,
    read: (keys: readonly SortKey[]) => Row[],
    toItem: (row: Row) => Item,
    sizeOf: (item: Item) => number,
  ): Promise<Page<Item>> {
    const pageQuery = parseQuery(query, source.name)
    const { sort, time, limit, offset } = pageQuery
    const list = `${source.name}${source.variant ?? ''}.${sort}.${time}`
    const start = await this.#offsets.find(list, offset, pageQuery.after, async (after, count) => {
      const from = { ...pageQuery, after }
      const key = source.skip ? source.skip(from, count) : (await source.keys(from, count))[count - 1]
      return key && keyValues(key, sort)
    })
    const all = await source.keys({ ...pageQuery, after: start.after }, start.skip + limit + 1)
    const rows = inBatches(all.slice(start.skip), POSTS_PER_READ, (batch) => withRows(batch, read(batch)))
    const { items, last } = fillPage(rows, limit, ({ row }) => toItem(row), { sizeOf })
    const key = last && keyValues(last.key, sort)
    if (key && !query.cursor) this.#offsets.remember(list, offset + items.length, key)
    return { items, limit, offset, next: key && cursorAfterKey(`${source.name}.${sort}`, key) }
  }

  /** Part of a list that passes a filter, scanned in slices. */
  #filtered(source: ListSource, variant: string, filter: (keys: readonly SortKey[]) => SortKey[]): ListSource {
    const keys = async (query: PageQuery, max: number) => {
      const matches: SortKey[] = []
      for (let { after } = query; matches.length < max; await this.#turns.next()) {
        const some = await source.keys({ ...query, after }, SUBMOLT_BATCH)
        matches.push(...filter(some))
        const last = some.length === SUBMOLT_BATCH ? some.at(-1) : undefined
        if (!last) break
        after = keyValues(last, query.sort)
      }
      return matches.slice(0, max)
    }
    return { name: source.name, variant, keys }
  }

  #scoped(name: string, scope: Scope, key: number | undefined): ListSource {
    return {
      name,
      keys: (query, max) => this.#merge(query, scansOf(query, scope, key), max),
      skip: (query, count) => this.#skip(query, scope, key, count),
    }
  }

  #skip(query: PageQuery, scope: Scope, key: number | undefined, count: number): SortKey | undefined {
    const { sort, time, after } = query
    const skip = SKIPS[scope][sort][ageClasses(query).length - 1]
    return (skip && this.ctx.store.get(skip, count - 1, key ?? null, this.#since(sort, time), ...after)) ?? undefined
  }

  /**
   * Filters all posts by the sources of a feed. Undefined when so few match that scanning each source is cheaper: it
   * reads no more posts than there are scans of sources.
   */
  #filterAll(viewer: number, query: PageQuery, reach: Reach, max: number): SortKey[] | undefined {
    const scans = scansOf(query, 'all', undefined)
    const matches: SortKey[] = []
    let budget = this.#sources.count(viewer, reach) * scans.length
    let { after } = query
    for (let read = 0, size = Math.min(2 * max, BATCH); budget >= size; size = Math.min(2 * size, BATCH)) {
      const keys = this.#merge({ ...query, after }, scans, size)
      read += size
      budget -= size
      const numbers = keys.map(({ n }) => n)
      const matching = this.#sources.filter(viewer, reach, numbers)
      matches.push(...keys.filter(({ n }) => matching.has(n)))
      const last = keys.length === size && matches.length < max ? keys.at(-1) : undefined
      if (!last) return matches
      if ((matches.length / read) * budget < max) return undefined
      after = keyValues(last, query.sort)
    }
    return undefined
  }

  /** Merges the posts of each source of a feed. */
  #mergeSources(viewer: number, query: PageQuery, reach: Reach, max: number): SortKey[] {
    const scopes = reach === 'following' ? (['followed'] as const) : (['followed', 'submolt'] as const)
    const scans = ageClasses(query)
      .flatMap((ageClass) => scopes.flatMap((scope) => this.#sourceScans(viewer, query, scope, ageClass)))
      .sort((one, other) => compareKeys(one.firstKey, other.firstKey, rankColumns(query.sort)))
    return this.#merge(query, scans, max)
  }

  /** The first keys of all scans, without duplicates. Stops at a scan whose first key comes too late. */
  #merge(query: PageQuery, scans: readonly IndexScan[], max: number): SortKey[] {
    let merged: SortKey[] = []
    for (const scan of scans) {
      const last = merged[max - 1]
      if (last && scan.firstKey && compareKeys(scan.firstKey, last, rankColumns(query.sort)) > 0) break
      const keys = this.#scan(query, scan, max)
      merged = merged.length === 0 ? keys : mergeKeys(merged, keys, max, query.sort)
    }
    return merged
  }

  #scan({ sort, time, after }: PageQuery, { scope, key, ageClass }: IndexScan, max: number): SortKey[] {
    const bounds = [key, ageClass].filter((value) => value !== undefined)
    return this.ctx.store.all(SCANS[scope][sort], ...bounds, ...after, this.#since(sort, time), max)
  }

  #sourceScans(
    viewer: number,
    { sort, time, after }: PageQuery,
    scope: 'submolt' | 'followed',
    ageClass: number | undefined,
  ) {
    const firstKeys: readonly FirstKey[] = this.ctx.store.all(
      FIRST_KEYS[scope][sort],
      viewer,
      ageClass ?? null,
      this.#since(sort, time),
      ...after,
    )
    return firstKeys.flatMap((firstKey) =>
      firstKey.created_at === null ? [] : [{ scope, key: firstKey.source ?? 0, ageClass, firstKey }],
    )
  }

  #since(sort: PostSort, time: Time): number {
    return isSplitByAge(sort) ? startOf(time, this.ctx.clock.now()) : 0
  }
}

function listedText(row: ListedRow): ListedText {
  const text = JSON.stringify(toListed(row))
  return { n: row.n, text, bytes: Buffer.byteLength(text) }
}

/** A list that begins with its pinned posts, as if they were hotter than any other. */
function pinnedFirst(source: ListSource, pinned: readonly number[]): ListSource {
  const hottest = pinned.map((n): SortKey => ({ hot: Number.MAX_SAFE_INTEGER, created_at: 0, n }))
  const keys = async (query: PageQuery, max: number) => {
    const isAfter = (key: SortKey) => compareValues(keyValues(key, 'hot'), query.after) < 0
    const others = await source.keys(query, max + pinned.length)
    return [...hottest.filter(isAfter), ...others.filter(({ n }) => !pinned.includes(n))].slice(0, max)
  }
  return { name: source.name, variant: '.pinned', keys }
}

const compareValues = (one: readonly number[], other: readonly number[]): number =>
  one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0

/** The keys whose rows are there, with these. */
function withRows<Row extends { n: number }>(keys: readonly SortKey[], rows: readonly Row[]) {
  const byNumber = new Map(rows.map((row) => [row.n, row]))
  return keys.flatMap((key) => {
    const row = byNumber.get(key.n)
    return row ? [{ key, row }] : []
  })
}

const numbersOf = (keys: readonly SortKey[]): string => JSON.stringify(keys.map(({ n }) => n))

const ageClasses = ({ sort, time }: PageQuery): (number | undefined)[] =>
  isSplitByAge(sort) ? ageClassesWithin(time) : [undefined]

const scansOf = (query: PageQuery, scope: Scope, key: number | undefined): IndexScan[] =>
  ageClasses(query).map((ageClass) => ({ scope, key, ageClass }))

/** Parses a query; unknown values mean the defaults. */
function parseQuery(query: OrderQuery, name: string): PageQuery {
  const sort = parseWord(POST_SORTS, 'hot', query.sort)
  const key = parseKeyCursor(query.cursor, `${name}.${sort}`, COLUMNS[sort].length)
  const limit = parseLimit(query.limit, POST_PAGE)
  return {
    sort,
    time: parseWord(TIMES, 'all', query.t),
    limit,
    offset: key ? 0 : parseOffset(query, limit),
    after: key ?? startKey(sort),
  }
}
