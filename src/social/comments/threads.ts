import type { Statement } from 'bun:sqlite'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { cursorAfterKey, keyOf } from '../../http/cursor.ts'
import { offsetOf, type Page, sizeOf, wordOf } from '../page.ts'
import { COMMENT_PAGE, COMMENT_SORTS, type Comment, type CommentQuery, type CommentSort } from './schema.ts'
import { type CommentRow, toComment, WHOLE_COMMENTS, WITH_COMMENTS } from './view.ts'

/** A place in a list of comments. */
type Place = Record<string, number> & { n: number }

/** What each sort goes by; all but `new` run upwards. */
const COLUMNS: Readonly<Record<CommentSort, readonly string[]>> = {
  top: ['top_place', 'created_at', 'n'],
  best: ['best_place', 'created_at', 'n'],
  controversial: ['controversial_place', 'created_at', 'n'],
  old: ['created_at', 'n'],
  new: ['created_at', 'n'],
}

/** Replies that are shown with each comment, and comments on a page in all. */
const REPLIES = 25
const MOST = 1_000

const orderOf = (sort: CommentSort): string =>
  COLUMNS[sort].map((column) => `${column}${sort === 'new' ? ' DESC' : ''}`).join(', ')

/** The statement that runs down the comments of one parent. */
export function levelSql(sort: CommentSort): string {
  const columns = COLUMNS[sort]
  return `SELECT ${columns.join(', ')} FROM comments WHERE post = ? AND parent = ?
    AND (${columns.join(', ')}) ${sort === 'new' ? '<' : '>'} (${columns.map(() => '?').join(', ')})
    ORDER BY ${orderOf(sort)} LIMIT ? OFFSET ?`
}

/** The statement that finds the first replies to each of some comments. */
export function repliesSql(sort: CommentSort): string {
  return `SELECT c.n FROM json_each(?1) j CROSS JOIN comments c WHERE c.n IN (
    SELECT n FROM comments WHERE post = ?2 AND parent = j.value
    ORDER BY ${orderOf(sort)} LIMIT ${REPLIES}) LIMIT ?3`
}

/** The comments of posts as trees: a page of one level, each with the first of its replies, and theirs. */
export class Threads {
  readonly #levels: Record<CommentSort, Statement<Place, number[]>>
  readonly #replies: Record<CommentSort, Statement<{ n: number }, [string, number, number]>>
  readonly #whole: Record<CommentSort, Statement<CommentRow, [number, string]>>

  constructor(store: Store) {
    const each = <Of>(make: (sort: CommentSort) => Of): Record<CommentSort, Of> => ({
      ...{ top: make('top'), best: make('best'), controversial: make('controversial') },
      ...{ new: make('new'), old: make('old') },
    })
    this.#levels = each((sort) => store.prepare(stablePlan(levelSql(sort))))
    this.#replies = each((sort) => store.prepare(stablePlan(repliesSql(sort))))
    this.#whole = each((sort) =>
      store.prepare(
        stablePlan(`${WHOLE_COMMENTS} FROM json_each(?2) j CROSS JOIN comments c ON c.n = j.value ${WITH_COMMENTS}
         ORDER BY c.depth, ${orderOf(sort).replace(/(^|, )/g, '$1c.')}`),
      ),
    )
  }

  /** A page of the comments below a parent; 0 is the post itself. */
  page(viewer: number, post: number, parent: number, query: CommentQuery): Page<Comment> & { sort: CommentSort } {
    const sort = wordOf(COMMENT_SORTS, 'top', query.sort)
    const limit = sizeOf(query.limit, COMMENT_PAGE)
    const list = `comments.${post}.${parent}.${sort}`
    const key = keyOf(query.cursor, list, COLUMNS[sort].length)
    const offset = key ? 0 : offsetOf(query.offset)
    const edge = sort === 'new' ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER
    const from = key ?? COLUMNS[sort].map(() => edge)
    const places = this.#levels[sort].all(post, parent, ...from, limit + 1, offset)
    const last = places.length > limit ? places[limit - 1] : undefined
    const roots = places.slice(0, limit).map(({ n }) => n)
    const items = this.#trees(viewer, post, roots, sort)
    const next =
      last &&
      cursorAfterKey(
        list,
        COLUMNS[sort].map((column) => last[column] ?? 0),
      )
    return { items, limit, offset, next, sort }
  }

  /** Some comments with replies, level by level while there is room. */
  #trees(viewer: number, post: number, roots: readonly number[], sort: CommentSort): Comment[] {
    const all = [...roots]
    for (let level = roots; level.length > 0 && all.length < MOST; ) {
      level = this.#replies[sort].all(JSON.stringify(level), post, MOST - all.length).map(({ n }) => n)
      all.push(...level)
    }
    const rows = this.#whole[sort].all(viewer, JSON.stringify(all))
    const comments = new Map<number, Comment>()
    const top: Comment[] = []
    for (const row of rows) {
      const comment = toComment(row)
      comments.set(row.n, comment)
      const siblings = comments.get(row.parent)?.replies ?? top
      siblings.push(comment)
    }
    return top
  }
}
