import type { Statement } from 'bun:sqlite'
import type { Store } from '../../core/store.ts'

/** Comments, and posts: of equal scores posts come first. */
export type Kind = 0 | 1

/** What has the words that are looked for: its number, the score it is weighed by, how well it fits. */
export interface Match {
  n: number
  score: number
  kind: Kind
  similarity: number
}

/** An index of words, the rows whose words it has, and the table with the scores among them that are not 0. */
export interface Index {
  words: string
  rows: string
  weights: string
  kind: Kind
  similarity: number
}
export const POSTS: Index = {
  ...{ words: 'post_search', rows: 'posts', weights: 'post_weights' },
  ...{ kind: 1, similarity: 0.75 },
}
export const TITLES: Index = { ...POSTS, words: 'title_search', similarity: 1 }
export const COMMENTS: Index = {
  ...{ words: 'comment_search', rows: 'comments', weights: 'comment_weights' },
  ...{ kind: 0, similarity: 0.5 },
}

/** How many times further to look after a stretch without a match, at most. */
const FURTHER = 64
/** How much further to look than the last matches promise. */
const SPARE = 1.1

export const matchesSql = ({ words, weights, kind, similarity }: Index): string =>
  `SELECT x.rowid AS n, coalesce(w.score, 0) AS score, ${kind} AS kind, ${similarity} AS similarity
   FROM ${words} x LEFT JOIN ${weights} w ON w.n = x.rowid
   WHERE x.${words} MATCH ? AND x.rowid > ? AND x.rowid <= ? ORDER BY x.rowid LIMIT ?`

export const newestSql = ({ rows }: Index): string => `SELECT max(n) AS n FROM ${rows}`

/**
 * The newest matches in an index of words. An index is read twice as fast upward as downward, so it is looked through
 * upward in stretches, the newest stretch first, each as long as the one before makes likely to be enough.
 */
export class Matches {
  readonly #within: Statement<Match, [string, number, number, number]>
  readonly #newest: Statement<{ n: number | null }, []>

  constructor(store: Store, index: Index) {
    this.#within = store.prepare(matchesSql(index))
    this.#newest = store.prepare(newestSql(index))
  }

  /** So many matches at most, newest first. */
  newest(wanted: string, most: number): Match[] {
    const found: Match[] = []
    const least = 2 * most
    let upTo = this.#newest.get()?.n ?? 0
    for (let length = least; upTo > 0 && found.length < most; ) {
      const some = this.#within.all(wanted, upTo - length, upTo, least + 1)
      if (some.length > least) {
        length = Math.max(least, Math.floor(length / FURTHER))
        continue
      }
      found.push(...some.reverse())
      upTo -= length
      length = nextLength(length, some.length, most - found.length)
    }
    return found.slice(0, most)
  }
}

/** How many documents to look through for so many more matches, after a stretch that had some. */
function nextLength(length: number, had: number, wanted: number): number {
  const likely = had > 0 ? Math.ceil((wanted * length * SPARE) / had) : Number.POSITIVE_INFINITY
  return Math.min(likely, length * FURTHER)
}
