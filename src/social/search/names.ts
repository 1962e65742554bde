import { type Query, query, type Store } from '../../core/store/index.ts'
import type { Term } from './query-terms.ts'
import { weightOf } from './relevance.ts'
import type { WordIndex } from './word-index.ts'

/** Maximum entries found by a term, and maximum results shown. */
const PER_TERM = 200
const MAX_COMPARED = 50
const MAX_NAMES = 10
/** Maximum terms that match prefixes; in longer queries each must be a whole word. */
const MAX_BEGINNINGS = 3

/** The agents or submolts that have a word, or one that begins like it: most of the words first, then the most esteemed. */
export const AGENTS_SQL = `SELECT a.n, a.name, a.karma AS esteem FROM json_each(?1) j CROSS JOIN agents a ON a.n = j.value
  WHERE a.deleted_at IS NULL`
export const SUBMOLTS_SQL = `SELECT s.n, s.name, s.subscriber_count AS esteem
  FROM json_each(?1) j CROSS JOIN submolts s ON s.n = j.value`

export interface NameMatch {
  readonly n: number
  readonly name: string
  readonly esteem: number
}

export const SELECT_AGENTS = query<NameMatch, [string]>(AGENTS_SQL)

export const SELECT_SUBMOLTS = query<NameMatch, [string]>(SUBMOLTS_SQL)

/** Finds agents or submolts by the words of their names and descriptions. */
export class Names {
  /** `select` is `SELECT_AGENTS` or `SELECT_SUBMOLTS`. */
  constructor(
    private readonly store: Store,
    private readonly select: Query<NameMatch, [string]>,
    private readonly index: WordIndex,
  ) {}

  /** Number of entries, more or less; none has a greater number. */
  get size(): number {
    return this.index.size
  }

  async find(terms: readonly Term[]): Promise<NameMatch[]> {
    const scores = new Map<number, number>()
    const isSentence = terms.length > MAX_BEGINNINGS
    for (const term of terms) {
      const { numbers, count } = isSentence
        ? await this.index.words(term, PER_TERM)
        : await this.index.beginnings(term, PER_TERM)
      const weight = weightOf(count, this.index.size)
      for (const n of numbers) scores.set(n, (scores.get(n) ?? 0) + weight)
    }
    if (scores.size === 0) return []
    const best = bestOf(scores, MAX_COMPARED)
    const scoreOf = ({ n }: NameMatch) => scores.get(n) ?? 0
    return this.store
      .all(this.select, JSON.stringify(best))
      .sort((one, other) => scoreOf(other) - scoreOf(one) || other.esteem - one.esteem || one.n - other.n)
      .slice(0, MAX_NAMES)
  }
}

/** The numbers with the highest scores, of equal ones the first. There are few scores: one for each set of terms. */
function bestOf(scores: ReadonlyMap<number, number>, max: number): number[] {
  const byScore = Map.groupBy(scores.keys(), (n) => scores.get(n) ?? 0)
  return [...byScore]
    .sort(([one], [other]) => other - one)
    .flatMap(([, numbers]) => numbers)
    .slice(0, max)
}
