import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import { newestSql, nextTermsSql, termTableSql } from './indexes.ts'
import type { LongReads } from './long-reads.ts'
import type { Term } from './query-terms.ts'

/** Where in an index is looked: in one column or all, in one submolt or all, from a row number on. */
export interface SearchScope {
  readonly submolt: number | undefined
  readonly from: number
}

/** A term with the entries of an index that have it. */
export interface TermMatches {
  readonly term: Term
  /** The newest, newest first. */
  readonly numbers: readonly number[]
  /** How many entries have it in all, as far as the newest tell. */
  readonly count: number
  /** Whether words are matches that only begin with it. */
  readonly isBeginning: boolean
}

/** How many postings of all its terms a statement that needs several in one entry reads at most, more or less. */
const MAX_POSTINGS = 8_000
/** How many terms a word is taken for the beginning of, and how many letters it then has at least. */
const MAX_ENDINGS = 12
const MIN_PREFIX = 3
const MIN_NAME_PREFIX = 2

/** From so many entries on, one submolt is looked for in a thread: common words are read through for its few entries. */
const LARGE = 20_000

/** One full-text index, read in statements whose cost has a bound, or in a thread of its own. */
export class WordIndex {
  readonly #newestSql: string
  readonly #newest: Statement<{ n: number }, [string, number, number]>
  readonly #nextTerms: Statement<{ term: string }, [string]>
  readonly #last: Statement<{ n: number | null }, []>

  /** `table` holds what is indexed, in some columns of the index. */
  constructor(
    store: Store,
    index: string,
    table: string,
    private readonly columns: string,
    private readonly longReads: LongReads,
  ) {
    store.prepare(termTableSql(index)).run()
    this.#newestSql = stablePlan(newestSql(index))
    this.#newest = store.prepare(this.#newestSql)
    this.#nextTerms = store.prepare(stablePlan(nextTermsSql(index)))
    this.#last = store.prepare(`SELECT max(n) AS n FROM ${table}`)
  }

  /** How many entries there are, more or less. */
  get size(): number {
    return this.#last.get()?.n ?? 0
  }

  /** The newest entries with a term; with what begins like it too where those are few (`isPrefix`), or there are none. */
  async matches(term: Term, scope: SearchScope, max: number, isPrefix = false): Promise<TermMatches> {
    const exact = await this.#match(quote(term.word), scope, max)
    const minLength = isPrefix ? MIN_NAME_PREFIX : MIN_PREFIX
    const isBeginning = exact.length < (isPrefix ? max : 1) && term.word.length >= minLength
    const endings = isBeginning ? this.#endings(term) : []
    const any = [term.word, ...endings].map(quote).join(' OR ')
    const all = endings.length > 0 ? await this.#match(any, scope, max) : exact
    return { term, numbers: all, count: this.#estimate(all, max), isBeginning }
  }

  /**
   * The newest entries with all of some terms, as far back as that costs no more than it may. None where so few have them
   * that none is to be expected there: the index reads on until it finds one.
   */
  async together(matches: readonly TermMatches[], scope: SearchScope, max: number): Promise<number[]> {
    const postings = matches.reduce((sum, { count }) => sum + count, 0)
    const reach = Math.ceil((this.size * MAX_POSTINGS) / Math.max(postings, MAX_POSTINGS))
    const expected = matches.reduce((rest, { count }) => (rest * count) / this.size, reach)
    if (postings > MAX_POSTINGS && expected < 1) return []
    const from = Math.max(scope.from, this.size - reach)
    return this.#match(matches.map(({ term }) => quote(term.word)).join(' AND '), { ...scope, from }, max)
  }

  async #match(words: string, { submolt, from }: SearchScope, max: number): Promise<number[]> {
    const query = `{${this.columns}} : (${words})`
    if (submolt === undefined) return this.#newest.all(query, from, max).map(({ n }) => n)
    const inPlace = `${query} AND place : "s${submolt}"`
    if (this.size >= LARGE) return this.longReads.numbers(this.#newestSql, [inPlace, from, max])
    return this.#newest.all(inPlace, from, max).map(({ n }) => n)
  }

  #estimate(numbers: readonly number[], max: number): number {
    if (numbers.length < max) return numbers.length
    const reach = this.size - (numbers.at(-1) ?? 0) + 1
    return Math.max(numbers.length, Math.round((numbers.length * this.size) / reach))
  }

  /** The first terms of the index that begin with a word. */
  #endings({ word, stem }: Term): string[] {
    const endings: string[] = []
    for (let from = word; endings.length < MAX_ENDINGS; ) {
      const next = this.#nextTerms.all(from).map(({ term }) => term)
      const some = next.filter((each) => each.startsWith(word))
      endings.push(...some.filter((each) => each !== stem))
      if (some.length === 0 || some.length < next.length) break
      from = `${some.at(-1)}\u0001`
    }
    return endings.slice(0, MAX_ENDINGS)
  }
}

/** A word as a full-text index is asked for it: quoted, so that no text is taken for a command. */
const quote = (word: string): string => `"${word.replaceAll('"', '""')}"`
