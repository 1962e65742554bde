import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { cursorAfterKey, keyOf } from '../../http/cursor.ts'
import { offsetOf, type Page, sizeOf, wordOf } from '../page.ts'
import { sinceOf, spansOf, TIMES, type Time } from './ranks.ts'
import { type OrderQuery, POST_PAGE, POST_SORTS, type Post, type PostSort } from './schema.ts'
import { type Reach, Sources } from './sources.ts'
import { type PostRow, toPost, WHOLE_POSTS, WITH_POSTS } from './view.ts'

/** What a list is of: everything, one submolt, one author. */
export type Scope = 'all' | 'submolt' | 'author'

/** One run down an index: a scope's key, and a span where the sort keeps spans apart. */
interface Run {
  readonly scope: Scope
  readonly key: number | undefined
  readonly span: number | undefined
  /** What its first post ranks by, where that is known. */
  readonly head?: Head
}

/** What a page of a list is made of. */
interface Order {
  readonly sort: PostSort
  readonly time: Time
  readonly limit: number
  readonly offset: number
  /** What the page goes on from, in the columns of the sort and the row's number. */
  readonly from: readonly number[]
}

/** A place in a list. */
type Place = Record<string, number> & { n: number }

/** What the first post of a run ranks by; null where there is none. */
type Head = Record<string, number | null>

/** What each sort goes by, best first and highest first; the row's number settles the rest. */
const COLUMNS: Readonly<Record<PostSort, readonly string[]>> = {
  hot: ['hot', 'created_at', 'n'],
  new: ['created_at', 'n'],
  top: ['score', 'created_at', 'n'],
  rising: ['rising', 'created_at', 'n'],
  controversial: ['controversy', 'created_at', 'n'],
}

/** So many posts of everything are looked at for a feed at a time. */
const STRIDE = 128

/** The columns of a sort without the row's number. */
const ranksOf = (sort: PostSort): readonly string[] => COLUMNS[sort].slice(0, -1)

const hasSpans = (sort: PostSort): boolean => sort === 'top' || sort === 'controversial'

/** The statement that runs down the index of a sort. */
export function runSql(scope: Scope, sort: PostSort): string {
  const columns = COLUMNS[sort]
  const conditions = [
    'deleted_at IS NULL',
    ...(scope === 'all' ? [] : [`${scope} = ?`]),
    ...(hasSpans(sort) ? ['span = ?'] : []),
    `(${columns.join(', ')}) < (${columns.map(() => '?').join(', ')})`,
    'created_at >= ?',
  ]
  return `SELECT ${columns.join(', ')} FROM posts WHERE ${conditions.join(' AND ')}
    ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')} LIMIT ?`
}

/** The statement that finds where the best post of every source of a feed stands: agents followed, submolts subscribed to. */
export function headsSql(scope: 'submolt' | 'author', sort: PostSort): string {
  const columns = COLUMNS[sort]
  const [source, sources] =
    scope === 'author' ? ['followee', 'follows WHERE follower = ?1'] : ['submolt', 'subscriptions WHERE agent = ?1']
  const bound = columns.map((_, at) => `?${at + 4}`).join(', ')
  const head = (column: string) => `(SELECT ${column} FROM posts
    WHERE deleted_at IS NULL AND ${scope} = q.${source} ${hasSpans(sort) ? 'AND span = ?2' : 'AND ?2 IS NULL'}
      AND (${columns.join(', ')}) < (${bound}) AND created_at >= ?3
    ORDER BY ${columns.map((one) => `${one} DESC`).join(', ')} LIMIT 1) AS ${column}`
  return `SELECT q.${source} AS source, ${ranksOf(sort).map(head).join(', ')} FROM (SELECT ${source} FROM ${sources}) q`
}

/** Pages of posts. Each is read off indexes: no page costs more than any other. */
export class PostLists {
  readonly #runs = new Map<string, Statement<Place, (number | null)[]>>()
  readonly #whole: Statement<PostRow, [number, string]>
  readonly #sources: Sources

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    this.#sources = new Sources(store)
    this.#whole = store.prepare(
      stablePlan(
        `${WHOLE_POSTS} FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value ${WITH_POSTS} ORDER BY j.key`,
      ),
    )
  }

  /** A page of everything, of one submolt, or of one author. */
  page(viewer: number, query: OrderQuery, scope: Scope, key?: number): Page<Post> {
    const order = orderOf(query, `posts.${scope}${key ?? ''}`)
    const runs = this.#spans(order).map((span): Run => ({ scope, key, span }))
    return this.#page(viewer, order, this.#merge(order, runs, mostOf(order)), `posts.${scope}${key ?? ''}`)
  }

  /** A page of what an agent follows and subscribes to, or of what it follows only. */
  feed(viewer: number, query: OrderQuery, followingOnly: boolean): Page<Post> {
    const name = `feed${followingOnly ? '.following' : ''}`
    const order = orderOf(query, name)
    const reach = followingOnly ? 'following' : 'all'
    const places = this.#sifted(viewer, order, reach) ?? this.#gathered(viewer, order, reach)
    return this.#page(viewer, order, places, name)
  }

  /** Those posts whole, in this order. */
  whole(viewer: number, places: readonly number[]): Post[] {
    return this.#whole.all(viewer, JSON.stringify(places)).map(toPost)
  }

  #spans({ sort, time }: Order): (number | undefined)[] {
    return hasSpans(sort) ? spansOf(time) : [undefined]
  }

  #page(viewer: number, { sort, limit, offset }: Order, found: readonly Place[], name: string): Page<Post> {
    const places = found.slice(offset, offset + limit + 1)
    const last = places.length > limit ? places[limit - 1] : undefined
    const items = this.whole(
      viewer,
      places.slice(0, limit).map(({ n }) => n),
    )
    const next = last && cursorAfterKey(`${name}.${sort}`, keyAt(last, sort))
    return { items, limit, offset, next }
  }

  /**
   * What of everything is from an agent's sources. Undefined where so little is that it is cheaper to ask each source:
   * no more posts are looked at than that would take looks.
   */
  #sifted(viewer: number, order: Order, reach: Reach): Place[] | undefined {
    const runs = this.#spans(order).map((span): Run => ({ scope: 'all', key: undefined, span }))
    const most = mostOf(order)
    const found: Place[] = []
    let left = this.#sources.count(viewer, reach) * runs.length
    for (let from = order.from, seen = STRIDE; left >= STRIDE; seen += STRIDE, left -= STRIDE) {
      const places = this.#merge({ ...order, from }, runs, STRIDE)
      const theirs = this.#sources.among(
        viewer,
        reach,
        places.map(({ n }) => n),
      )
      found.push(...places.filter(({ n }) => theirs.has(n)))
      const last = places.length === STRIDE && found.length < most ? places.at(-1) : undefined
      if (!last) return found
      if ((found.length / seen) * left < most) return undefined
      from = keyAt(last, order.sort)
    }
    return undefined
  }

  /** The best of what each source of an agent has. */
  #gathered(viewer: number, order: Order, reach: Reach): Place[] {
    const scopes = reach === 'following' ? (['author'] as const) : (['author', 'submolt'] as const)
    const runs = this.#spans(order)
      .flatMap((span) => scopes.flatMap((scope) => this.#heads(viewer, order, scope, span)))
      .sort((one, other) => compare(one.head, other.head, ranksOf(order.sort)))
    return this.#merge(order, runs, mostOf(order))
  }

  /** The best of all runs together, none twice. A run whose head comes too late, and all after it, are left alone. */
  #merge(order: Order, runs: readonly Run[], most: number): Place[] {
    let found: Place[] = []
    for (const run of runs) {
      const last = found[most - 1]
      if (last && run.head && compare(run.head, last, ranksOf(order.sort)) > 0) break
      const more = this.#run(order, run, most)
      found = found.length === 0 ? more : best(found, more, most, order.sort)
    }
    return found
  }

  #run({ sort, time, from }: Order, { scope, key, span }: Run, most: number): Place[] {
    const statement = this.#prepared(`${scope} ${sort}`, () => runSql(scope, sort))
    const bounds = [key, span].filter((value) => value !== undefined)
    return statement.all(...bounds, ...from, this.#since(sort, time), most)
  }

  #heads(viewer: number, { sort, time, from }: Order, scope: 'submolt' | 'author', span: number | undefined) {
    const statement = this.#prepared(`heads ${scope} ${sort}`, () => headsSql(scope, sort))
    const heads: readonly Head[] = statement.all(viewer, span ?? null, this.#since(sort, time), ...from)
    return heads.flatMap((head) => (head.created_at === null ? [] : [{ scope, key: head.source ?? 0, span, head }]))
  }

  #since(sort: PostSort, time: Time): number {
    return hasSpans(sort) ? sinceOf(time, this.clock.now()) : 0
  }

  #prepared(name: string, sql: () => string): Statement<Place, (number | null)[]> {
    const statement = this.#runs.get(name) ?? this.store.prepare<Place, (number | null)[]>(stablePlan(sql()))
    this.#runs.set(name, statement)
    return statement
  }
}

/** What a query asks for; what is not known there counts as not said. */
function orderOf(query: OrderQuery, name: string): Order {
  const sort = wordOf(POST_SORTS, 'hot', query.sort)
  const key = keyOf(query.cursor, `${name}.${sort}`, COLUMNS[sort].length)
  return {
    sort,
    time: wordOf(TIMES, 'all', query.t),
    limit: sizeOf(query.limit, POST_PAGE),
    offset: key ? 0 : offsetOf(query.offset),
    from: key ?? COLUMNS[sort].map(() => Number.MAX_SAFE_INTEGER),
  }
}

/** How many places a page and all before it take, and one to see whether there is more. */
const mostOf = ({ limit, offset }: Order): number => limit + offset + 1

/** The best of two lists, none twice. */
function best(some: readonly Place[], others: readonly Place[], most: number, sort: PostSort): Place[] {
  const unique = new Map([...some, ...others].map((place) => [place.n, place]))
  return [...unique.values()].sort((one, other) => compare(one, other, COLUMNS[sort])).slice(0, most)
}

const keyAt = (place: Place, sort: PostSort): number[] => COLUMNS[sort].map((column) => place[column] ?? 0)

function compare(one: Head, other: Head, columns: readonly string[]): number {
  for (const column of columns) {
    const difference = (other[column] ?? 0) - (one[column] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
