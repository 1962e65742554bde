import type { Clock } from '../../core/clock.ts'
import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import { cursorAfterKey, fillPage, parseKeyCursor } from '../../http/respond/index.ts'
import { FarOffsets, type Page, parseLimit, parseOffset, parseWord, sizeOfListed } from '../shared/index.ts'
import { COMMENT_PAGE, COMMENT_SORTS, type Comment, type CommentQuery, type CommentSort } from './schema.ts'
import { type CommentRow, JOIN_COMMENT, SELECT_COMMENT, toComment } from './view.ts'

/** The sort key of a comment, by column. */
type SortKey = Record<string, number> & { n: number }

/** The columns of each sort; all but `new` are ascending. */
const COLUMNS: Readonly<Record<CommentSort, readonly string[]>> = {
  top: ['top_place', 'created_at', 'n'],
  best: ['best_place', 'created_at', 'n'],
  controversial: ['controversial_place', 'created_at', 'n'],
  old: ['created_at', 'n'],
  new: ['created_at', 'n'],
}

/** The key before all comments. */
const startKey = (sort: CommentSort): number[] =>
  COLUMNS[sort].map(() => (sort === 'new' ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER))

const keyValues = (key: SortKey, sort: CommentSort): number[] => COLUMNS[sort].map((column) => key[column] ?? 0)

/** A page of comments in an order. */
export type CommentPage = Page<Comment> & { sort: CommentSort }

/** Replies that are shown with each comment. */
const MAX_REPLIES = 25
const MAX_PER_PAGE = 1_000

const orderBy = (sort: CommentSort): string =>
  COLUMNS[sort].map((column) => `${column}${sort === 'new' ? ' DESC' : ''}`).join(', ')

/** Scans the comments with one parent. */
export function levelSql(sort: CommentSort): string {
  const columns = COLUMNS[sort]
  return `SELECT ${columns.join(', ')} FROM comments WHERE post = ? AND parent = ? AND unlisted IS NULL
    AND (${columns.join(', ')}) ${sort === 'new' ? '<' : '>'} (${columns.map(() => '?').join(', ')})
    ORDER BY ${orderBy(sort)} LIMIT ? OFFSET ?`
}

/** Selects the first replies to each of some comments. */
export function repliesSql(sort: CommentSort): string {
  return `SELECT c.n FROM json_each(?1) j CROSS JOIN comments c WHERE c.n IN (
    SELECT n FROM comments WHERE post = ?2 AND parent = j.value AND unlisted IS NULL
    ORDER BY ${orderBy(sort)} LIMIT ${MAX_REPLIES}) LIMIT ?3`
}

/** How many bytes a comment has in the response, without its replies. */
const sizeOfNode = ({ comment }: { comment: Comment }): number => sizeOfListed(comment)

/** The comments of posts as trees: a page of one level, each with its first replies and theirs. */
export class Threads {
  readonly #levels: Record<CommentSort, Statement<SortKey, number[]>>
  readonly #replies: Record<CommentSort, Statement<{ n: number }, [string, number, number]>>
  readonly #selectComments: Record<CommentSort, Statement<CommentRow, [number, string]>>
  readonly #offsets: FarOffsets

  constructor(store: Store, clock: Clock) {
    this.#offsets = new FarOffsets(clock)
    const forEachSort = <Value>(create: (sort: CommentSort) => Value): Record<CommentSort, Value> => ({
      ...{ top: create('top'), best: create('best'), controversial: create('controversial') },
      ...{ new: create('new'), old: create('old') },
    })
    this.#levels = forEachSort((sort) => store.prepare(stablePlan(levelSql(sort))))
    this.#replies = forEachSort((sort) => store.prepare(stablePlan(repliesSql(sort))))
    this.#selectComments = forEachSort((sort) =>
      store.prepare(
        stablePlan(`${SELECT_COMMENT} FROM json_each(?2) j CROSS JOIN comments c ON c.n = j.value ${JOIN_COMMENT}
         ORDER BY c.depth, ${orderBy(sort).replace(/(^|, )/g, '$1c.')}`),
      ),
    )
  }

  /** A page of the replies to a parent; 0 is the post itself. */
  async page(viewer: number, post: number, parent: number, query: CommentQuery): Promise<CommentPage> {
    const sort = parseWord(COMMENT_SORTS, 'top', query.sort)
    const limit = parseLimit(query.limit, COMMENT_PAGE)
    const list = `comments.${post}.${parent}.${sort}`
    const key = parseKeyCursor(query.cursor, list, COLUMNS[sort].length)
    const offset = key ? 0 : parseOffset(query, limit)
    const level = this.#levels[sort]
    const { after, skip } = await this.#offsets.find(list, offset, key ?? startKey(sort), (from, count) => {
      const row = level.get(post, parent, ...from, 1, count - 1)
      return row ? keyValues(row, sort) : undefined
    })
    const rows = level.all(post, parent, ...after, limit + 1, skip)
    const numbers = rows.slice(0, limit).map(({ n }) => n)
    const items = this.#trees(viewer, post, numbers, sort)
    const last = rows[items.length - 1]
    const end = last && keyValues(last, sort)
    if (end && !key) this.#offsets.remember(list, offset + items.length, end)
    return {
      items,
      limit,
      offset,
      next: end && rows.length > items.length ? cursorAfterKey(list, end) : undefined,
      sort,
    }
  }

  /**
   * Comments with their replies, level by level up to the maximum per page. Where 1 MB ends in a level, its later comments
   * are left out: of the first they are on the next page, of others the parent has more replies than are shown.
   */
  #trees(viewer: number, post: number, roots: readonly number[], sort: CommentSort): Comment[] {
    const all = [...roots]
    for (let level = roots; level.length > 0 && all.length < MAX_PER_PAGE; ) {
      level = this.#replies[sort].all(JSON.stringify(level), post, MAX_PER_PAGE - all.length).map(({ n }) => n)
      all.push(...level)
    }
    const rows = this.#selectComments[sort].iterate(viewer, JSON.stringify(all))
    const listed = fillPage(rows, all.length, (row) => ({ row, comment: toComment(row) }), { sizeOf: sizeOfNode })
    const comments = new Map<number, Comment>()
    const top: Comment[] = []
    for (const { row, comment } of listed.items) {
      comments.set(row.n, comment)
      const siblings = comments.get(row.parent)?.replies ?? top
      siblings.push(comment)
    }
    return top
  }
}
