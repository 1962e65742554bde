import { sql } from 'drizzle-orm'
import { oncePerTick } from '../../core/once-per-tick.ts'
import { type Query, query, stablePlan } from '../../core/store/index.ts'
import { Kept, type NetworkContext } from '../shared/index.ts'
import { newestSql, nextTermsSql, termTableSql } from './indexes.ts'
import type { LongReads } from './long-reads.ts'
import type { Term } from './query-terms.ts'

/** Scope of a search in an index: one submolt or all, one author or all, between two row numbers. */
export interface SearchScope {
  readonly submolt: number | undefined
  readonly author?: number | undefined
  readonly from: number
  /** The first that is too new. */
  readonly to: number
}

/** A term with the entries of an index that have it. */
export interface TermMatches {
  readonly term: Term
  /** The newest, newest first. */
  readonly numbers: readonly number[]
  /** Number of entries that have it in all, as far as the newest tell. */
  readonly count: number
  /** True if there are no others. */
  readonly isComplete: boolean
  /** True if words are matches that only begin with it. */
  readonly isBeginning: boolean
  /** The words that are matches because they begin with it. */
  readonly endings: readonly string[]
}

/** Maximum number of postings of all its terms a statement that needs several in one entry reads, more or less. */
const MAX_POSTINGS = 8_000
/** Maximum terms whose entries are kept. */
const MAX_KEPT = 400
/** Number of terms that are looked up in search of one that was meant. */
const MAX_SEEKS = 400
/** Number of terms a word is taken for the beginning of, and how many letters it then has at least. */
const MAX_ENDINGS = 12
const MIN_PREFIX = 3
const MIN_NAME_PREFIX = 2

export const EVERYWHERE: SearchScope = { submolt: undefined, from: 0, to: Number.MAX_SAFE_INTEGER }

/** From so many entries on, one submolt is looked for in a thread: common words are read through for its few entries.
 * Up to so many, all words that begin alike are read. */
const LARGE = 20_000

/** The parts that the readers of all indexes share. */
export interface SearchContext extends NetworkContext {
  readonly longReads: LongReads
}

/** One full-text index, read in statements whose cost has a bound, or in a thread of its own. */
export class WordIndex {
  readonly #newest: Query<{ found: string }, [string, number, number, number]>
  readonly #nextTerms: Query<{ term: string }, [string]>
  readonly #size: () => number
  readonly #kept: Kept<string, TermMatches>
  readonly #keptNumbers: Kept<string, readonly number[]>

  /** `table` holds what is indexed, in some columns of the index. */
  constructor(
    private readonly ctx: SearchContext,
    private readonly index: string,
    table: string,
    private readonly columns: string,
  ) {
    const { store } = ctx
    // A table of its own in memory: it only reads what the index has.
    store.read((orm) => void orm.run(sql.raw(termTableSql(index))))
    this.#kept = new Kept(ctx.changes, MAX_KEPT)
    this.#keptNumbers = new Kept(ctx.changes, MAX_KEPT)
    this.#newest = query(stablePlan(asOneValue(newestSql(index))))
    this.#nextTerms = query(stablePlan(nextTermsSql(index)))
    const last = query<{ n: number | null }>(`SELECT max(n) AS n FROM ${table}`)
    const size = oncePerTick((_: 'size') => store.get(last)?.n ?? 0)
    this.#size = () => size('size')
  }

  /** Number of entries, more or less. */
  get size(): number {
    return this.#size()
  }

  /** The newest entries with a term. */
  async words(term: Term, max: number): Promise<Pick<TermMatches, 'numbers' | 'count'>> {
    const numbers = await this.#numbers(quote(term.word), EVERYWHERE, max)
    return { numbers, count: this.#estimate(numbers, max) }
  }

  /** The newest entries with a term, or with a word that begins with it. */
  async beginnings(term: Term, max: number): Promise<Pick<TermMatches, 'numbers' | 'count'>> {
    if (this.size > LARGE || term.word.length < MIN_NAME_PREFIX) return this.matches(term, EVERYWHERE, max, true)
    const numbers = await this.#numbers(`${quote(term.word)} *`, EVERYWHERE, max)
    return { numbers, count: this.#estimate(numbers, max) }
  }

  /** The newest entries with a term; with what begins like it too where those are few (`isPrefix`), or there are none. */
  async matches(term: Term, scope: SearchScope, max: number, isPrefix = false): Promise<TermMatches> {
    const key = [term.word, scope.submolt, scope.from, scope.to, max, isPrefix].join()
    return this.#kept.find(key, () => this.#matches(term, scope, max, isPrefix))
  }

  async #matches(term: Term, scope: SearchScope, max: number, isPrefix: boolean): Promise<TermMatches> {
    const exact = await this.#match(quote(term.word), scope, max)
    const minLength = isPrefix ? MIN_NAME_PREFIX : MIN_PREFIX
    const isBeginning = exact.length < (isPrefix ? max : 1) && term.word.length >= minLength
    const endings = isBeginning ? this.#endings(term) : []
    const all = endings.length > 0 ? await this.#match(anyOf(term, endings), scope, max) : exact
    const count = this.#estimate(all, max)
    return { term, numbers: all, count, isComplete: all.length < max, isBeginning, endings }
  }

  /** The newest entries with what a term was found as in an index that has all words of this one. */
  async matchesOf({ term, count, isBeginning, endings }: TermMatches, scope: SearchScope, max: number) {
    const numbers = count > 0 ? await this.#numbers(anyOf(term, endings), scope, max) : []
    const isComplete = count === 0 || numbers.length < max
    return { term, numbers, count: this.#estimate(numbers, max), isComplete, isBeginning, endings }
  }

  /**
   * The newest entries with all of some terms, as far back as that costs no more than it may. None where all entries with
   * each are known, nor where so few have them that none should be expected there: the index reads on until it finds one.
   */
  async together(matches: readonly TermMatches[], scope: SearchScope, max: number): Promise<number[]> {
    if (matches.every(({ isComplete }) => isComplete)) return []
    const postings = matches.reduce((sum, { count }) => sum + count, 0)
    const reach = Math.ceil((this.size * MAX_POSTINGS) / Math.max(postings, MAX_POSTINGS))
    const expected = matches.reduce((rest, { count }) => (rest * count) / this.size, reach)
    if (postings > MAX_POSTINGS && expected < 1) return []
    const from = Math.max(scope.from, this.size - reach)
    return this.#match(matches.map(({ term }) => quote(term.word)).join(' AND '), { ...scope, from }, max)
  }

  /** The newest entries that match, kept: other queries may have the same word. */
  #numbers(words: string, scope: SearchScope, max: number): readonly number[] | Promise<readonly number[]> {
    const { submolt, from, to } = scope
    return this.#keptNumbers.find([words, submolt, from, to, max].join(), () => this.#match(words, scope, max))
  }

  async #match(words: string, { submolt, from, to }: SearchScope, max: number): Promise<number[]> {
    const query = MAY_BE_PLACE.test(words) ? `{${this.columns}} : (${words})` : `(${words})`
    const read = (words: string): number[] =>
      JSON.parse(this.ctx.store.get(this.#newest, words, from, to, max)?.found ?? '[]')
    if (submolt === undefined) return read(query)
    const inPlace = `${query} AND place : "s${submolt}"`
    if (this.size >= LARGE) return this.ctx.longReads.numbers(newestSql(this.index), [inPlace, from, to, max])
    return read(inPlace)
  }

  /** True if some entry has a term, or a word that begins with it. */
  has({ word, stem }: Term): boolean {
    return [word, stem].some((text) => this.ctx.store.all(this.#nextTerms, text)[0]?.term.startsWith(text) === true)
  }

  /** The terms of the index that differ from a stem by one letter: left out, put in, replaced, or two in another order. */
  neighbours(stem: string): string[] {
    const found = new Set<string>()
    let seeks = 0
    const next = (from: string): string | undefined =>
      ++seeks > MAX_SEEKS ? undefined : this.ctx.store.all(this.#nextTerms, from)[0]?.term
    const check = (candidate: string) => {
      if (candidate !== stem && candidate.length >= MIN_PREFIX && next(candidate) === candidate) found.add(candidate)
    }
    for (let at = stem.length - 1; at >= 1; at--) {
      check(stem.slice(0, at) + stem.slice(at + 1))
      check(stem.slice(0, at - 1) + stem[at] + stem[at - 1] + stem.slice(at + 1))
    }
    for (let at = stem.length; at >= 1; at--) {
      const head = stem.slice(0, at)
      for (let term = next(head); term?.startsWith(head) && term.length > at; ) {
        const letter = term.charAt(at)
        check(head + letter + stem.slice(at + 1))
        check(head + letter + stem.slice(at))
        term = next(head + String.fromCharCode(letter.charCodeAt(0) + 1))
      }
    }
    return [...found]
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
      const next = this.ctx.store.all(this.#nextTerms, from).map(({ term }) => term)
      const some = next.filter((each) => each.startsWith(word))
      endings.push(...some.filter((each) => each !== stem))
      if (some.length === 0 || some.length < next.length) break
      from = `${some.at(-1)}\u0001`
    }
    return endings.slice(0, MAX_ENDINGS)
  }
}

/** True if words could be found in the column of places, which makes it worth to say that they are not meant there. */
const MAY_BE_PLACE = /"s\d/

/** Selects a list of numbers as one JSON text, which costs less than a row each. */
const asOneValue = (sql: string): string => `SELECT json_group_array(n) AS found FROM (${sql})`

/** A word as a full-text query: quoted, so that it is not parsed as an operator. */
const quote = (word: string): string => `"${word.replaceAll('"', '""')}"`

/** A term or one of its endings, as a full-text index is asked for them. */
const anyOf = ({ word }: Term, endings: readonly string[]): string => [word, ...endings].map(quote).join(' OR ')
