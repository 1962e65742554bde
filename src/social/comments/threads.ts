import { query, stablePlan } from '../../core/store/index.ts'
import { cursorAfterKey, fillPage, jsonSize, parseKeyCursor } from '../../http/respond/index.ts'
import { FarOffsets, type NetworkContext, type Page, parseLimit, parseOffset, parseWord } from '../shared/index.ts'
import { COMMENT_PAGE, COMMENT_SORTS, type Comment, type CommentQuery, type CommentSort } from './schema.ts'
import { type CommentRow, JOIN_COMMENT, SELECT_COMMENT, toComment } from './view.ts'

/** The sort key of a comment, by column. */
type SortKey = Readonly<Record<string, number>> & { readonly n: number }

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
const MAX_REPLIES = 10
/** The most that a page has, replies included. */
const MAX_PER_PAGE = 100
const MAX_BYTES = 64 * 1024

const orderBy = (sort: CommentSort): string =>
  COLUMNS[sort].map((column) => `${column}${sort === 'new' ? ' DESC' : ''}`).join(', ')

/** Scans the comments with one parent. */
export function levelSql(sort: CommentSort): string {
  const columns = COLUMNS[sort]
  return `SELECT ${columns.join(', ')} FROM comments WHERE post = ? AND parent = ? AND unlisted IS NULL
    AND (${columns.join(', ')}) ${sort === 'new' ? '<' : '>'} (${columns.map(() => '?').join(', ')})
    ORDER BY ${orderBy(sort)} LIMIT ? OFFSET ?`
}

/** Selects the first replies to each of some comments, and one more, in any order. */
export function repliesSql(sort: CommentSort): string {
  return `SELECT c.parent, ${COLUMNS[sort].map((column) => `c.${column}`).join(', ')}
    FROM json_each(?1) j CROSS JOIN comments c WHERE c.n IN (
    SELECT n FROM comments WHERE post = ?2 AND parent = j.value AND unlisted IS NULL
    ORDER BY ${orderBy(sort)} LIMIT ${MAX_REPLIES + 1})`
}

const listOf = (post: number, parent: number, sort: CommentSort): string => `comments.${post}.${parent}.${sort}`

/** Number of bytes a comment has in the response, without its replies. */
const sizeOfNode = ({ comment }: { comment: Comment }): number => jsonSize(comment)

const forEachSort = <Value>(create: (sort: CommentSort) => Value): Record<CommentSort, Value> => ({
  ...{ top: create('top'), best: create('best'), controversial: create('controversial') },
  ...{ new: create('new'), old: create('old') },
})

const LEVELS = forEachSort((sort) => query<SortKey, number[]>(stablePlan(levelSql(sort))))

const REPLIES = forEachSort((sort) => query<Reply, [string, number]>(stablePlan(repliesSql(sort))))

const COMMENTS = forEachSort((sort) =>
  query<CommentRow, [number, string]>(
    stablePlan(`${SELECT_COMMENT} FROM json_each(?2) j CROSS JOIN comments c ON c.n = j.value ${JOIN_COMMENT}
     ORDER BY c.depth, ${orderBy(sort).replace(/(^|, )/g, '$1c.')}`),
  ),
)

/** The comments of posts as trees: a page of one level, each with its first replies and theirs. */
export class Threads {
  readonly #offsets: FarOffsets

  constructor(private readonly ctx: NetworkContext) {
    this.#offsets = new FarOffsets(ctx.clock)
  }

  /** A page of the replies to a parent; 0 is the post itself. */
  async page(viewer: number, post: number, parent: number, asked: CommentQuery): Promise<CommentPage> {
    const sort = parseWord(COMMENT_SORTS, 'top', asked.sort)
    const limit = parseLimit(asked.limit, COMMENT_PAGE)
    const list = listOf(post, parent, sort)
    const key = parseKeyCursor(asked.cursor, list, COLUMNS[sort].length)
    const offset = key ? 0 : parseOffset(asked, limit)
    const { after, skip } = await this.#offsets.find(list, offset, key ?? startKey(sort), (from, count) => {
      const row = this.ctx.store.get(LEVELS[sort], post, parent, ...from, 1, count - 1)
      return row ? keyValues(row, sort) : undefined
    })
    const rows = this.ctx.store.all(LEVELS[sort], post, parent, ...after, limit + 1, skip)
    const items = this.#trees(viewer, post, rows.slice(0, limit), sort)
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
   * Comments with their replies, level by level up to the maximum per page. Where a page is full within a level, its later
   * comments are left out: of the first level they are on the next page, of others a cursor leads to them.
   */
  #trees(viewer: number, post: number, roots: readonly SortKey[], sort: CommentSort): Comment[] {
    const selected = this.#select(post, roots, sort)
    const keys = new Map(selected.map((key) => [key.n, key]))
    const rows = this.ctx.store.iterate(COMMENTS[sort], viewer, JSON.stringify([...keys.keys()]))
    const bounds = { sizeOf: sizeOfNode, maxBytes: MAX_BYTES }
    const listed = fillPage(rows, selected.length, (row) => ({ row, comment: toComment(row) }), bounds).items
    const comments = new Map(listed.map(({ row, comment }) => [row.n, comment]))
    const lastReplies = new Map<number, SortKey | undefined>()
    const top: Comment[] = []
    for (const { row, comment } of listed) {
      const parent = comments.get(row.parent)
      ;(parent?.replies ?? top).push(comment)
      if (parent) lastReplies.set(row.parent, keys.get(row.n))
    }
    for (const { row, comment } of listed) {
      const shown = comment.replies.length
      if (keys.get(row.n)?.hasMore !== true && row.reply_count <= shown) continue
      const last = lastReplies.get(row.n)
      const after = last ? keyValues(last, sort) : startKey(sort)
      comment.next_replies_cursor = cursorAfterKey(listOf(post, row.n, sort), after)
    }
    return top
  }

  /** The comments of a page: some of one level, then their first replies, then theirs. */
  #select(post: number, roots: readonly SortKey[], sort: CommentSort): SelectedKey[] {
    const all: SelectedKey[] = roots.map((key) => ({ ...key }))
    for (let level = all; level.length > 0 && all.length < MAX_PER_PAGE; ) {
      const found = this.ctx.store.all(REPLIES[sort], JSON.stringify(level.map(({ n }) => n)), post)
      const byParent = Map.groupBy(found, ({ parent }) => parent)
      const next: SelectedKey[] = []
      for (const key of level) {
        const replies = (byParent.get(key.n) ?? []).sort((one, other) => compareKeys(one, other, sort))
        const room = Math.min(MAX_REPLIES, MAX_PER_PAGE - all.length - next.length)
        next.push(...replies.slice(0, room))
        key.hasMore = replies.length > room
      }
      all.push(...next)
      level = next
    }
    return all
  }
}

/** A reply by its sort key, with the comment that it answers. */
type Reply = SortKey & { parent: number }
/** A comment that a page shows, and whether it has more replies than are shown. */
type SelectedKey = SortKey & { hasMore?: boolean }

function compareKeys(one: SortKey, other: SortKey, sort: CommentSort): number {
  for (const column of COLUMNS[sort]) {
    const difference = (one[column] ?? 0) - (other[column] ?? 0)
    if (difference !== 0) return sort === 'new' ? -difference : difference
  }
  return 0
}
