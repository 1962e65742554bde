import { stemOf, type Term, wordsOf } from './query-terms.ts'

/** A term, and how much it says: the rarer, the more. */
export interface WeightedTerm extends Term {
  readonly weight: number
  /** True if words that only begin with it count as well. */
  readonly isBeginning: boolean
}

/** Weight of a term in the title relative to the text, and of a pair of terms in the order of the query. */
const TITLE = 1
const PAIR = 0.5
/** Weight of a word that only starts with a term. */
const BEGINNING = 0.6
/** BM25 parameters: saturation of repeated terms, weight of text length, and mean length in characters. */
const SATURATION = 1.2
const LENGTH = 0.5
const USUAL_LENGTH = 720

/** Weight of a term that this share of all texts has. */
export const weightOf = (count: number, size: number): number => Math.log(1 + (size + 1) / (count + 1))

/** Score of a text without a title that has nothing but the only term. */
const UNTITLED = 0.5

/** Weight of a pair in a text, relative to one in a title. */
const PAIR_IN_TEXT = 0.6

/** Highest score of a text without a title, for this many terms: it has all of them, each next to another. */
export const mostUntitled = (terms: number): number => (terms === 1 ? UNTITLED : UNTITLED * (1 + PAIR * PAIR_IN_TEXT))

/**
 * Relevance of a text, 0 to 1: matched terms by weight, place, frequency and proximity. A title with all of them has
 * most.
 */
export function relevance(
  terms: readonly WeightedTerm[],
  finder: TermFinder,
  title: string | null,
  text: string,
): number {
  const inTitle = title === null ? finder.nowhere : finder.find(title)
  const inText = finder.find(text)
  let [sum, reached, covered] = [0, 0, 0]
  for (let index = 0; index < terms.length; index++) {
    const weight = terms[index]?.weight ?? 0
    sum += weight
    const named = inTitle.share(index)
    const said = inText.frequency(index)
    if (named === 0 && said === 0) continue
    covered += weight * Math.max(named, inText.share(index))
    reached += weight * (TITLE * named + Math.max(said, named))
  }
  if (sum === 0) return 0
  const most = sum * (title === null ? 1 / UNTITLED : TITLE + 1)
  if (terms.length === 1) return Math.min(1, (reached / most) * (covered / sum))
  const pairs = terms.slice(1).map((term, index) => {
    const isPair = inTitle.hasPair(index) ? 1 : inText.hasPair(index) ? PAIR_IN_TEXT : 0
    return isPair * ((term.weight + (terms[index]?.weight ?? 0)) / 2)
  })
  const together = pairs.reduce((all, one) => all + one, 0) / pairs.length
  return Math.min(1, ((reached + PAIR * together) / (most + (PAIR * sum) / terms.length)) * (covered / sum))
}

/** Finds where in texts the terms of a query stand. */
export class TermFinder {
  readonly nowhere: Places
  readonly #stems: ReadonlyMap<string, number>
  readonly #starts: readonly string[]
  readonly #beginnings: readonly (readonly [word: string, index: number])[]

  constructor(terms: readonly WeightedTerm[]) {
    this.#stems = new Map(terms.map(({ stem }, index) => [stem, index]))
    this.#beginnings = terms.flatMap(({ word, isBeginning }, index) => (isBeginning ? [[word, index]] : []))
    this.#starts = [...new Set(terms.map(({ stem }) => keptPart(stem)))]
    this.nowhere = new Places(terms.length, 0)
  }

  /** The words of a text that are terms or begin with one, with the terms that stand side by side. */
  find(text: string): Places {
    const places = new Places(this.#stems.size, text.length)
    if (IS_PLAIN.test(text)) this.#findPlain(text.toLowerCase().replaceAll('_', ' '), places)
    else for (const [at, word] of wordsOf(text).entries()) this.#check(word, at, at - 1, places)
    return places
  }

  /** In ASCII, most words are passed over without being read one by one. */
  #findPlain(text: string, places: Places): void {
    let end = -1
    let number = 0
    for (let start = this.#nextStart(text, 0); start < text.length; start = this.#nextStart(text, end)) {
      const isNext = end >= 0 && !IS_WORD_BETWEEN.test(text.slice(end, start))
      number += isNext ? 1 : 2
      end = start + 1
      while (isWordPart(text.charCodeAt(end))) end++
      this.#check(text.slice(start, end), number, number - 1, places)
    }
  }

  /** The start of the next word that begins as a term does; the end of the text where there is none. */
  #nextStart(text: string, from: number): number {
    let first = text.length
    for (const word of this.#starts) {
      let at = text.indexOf(word, from)
      while (at > 0 && isWordPart(text.charCodeAt(at - 1))) at = text.indexOf(word, at + 1)
      if (at >= 0 && at < first) first = at
    }
    return first
  }

  #check(word: string, at: number, before: number, places: Places): void {
    const index = this.#stems.get(stemOf(word))
    const beginning = index === undefined && this.#beginnings.find(([start]) => word.startsWith(start))
    if (index !== undefined) places.add(index, at, before)
    else if (beginning) places.addBeginning(beginning[1])
  }
}

const IS_PLAIN = /^[\0-\x7f]*$/
const IS_WORD_BETWEEN = /[a-z0-9]/

/** True for the code of a digit or small letter. */
const isWordPart = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57)

/** The last letters of a stem that its words may lack: "hope" of "hoping", "sensibl" of "sensibility". */
const CHANGED_LETTERS = /(?<=.)[a-z]{1,2}$/

/** The part of a stem that all of its words begin with. */
const keptPart = (stem: string): string => stem.replace(CHANGED_LETTERS, '')

/** Positions of the terms in a text. */
class Places {
  readonly #counts: number[]
  #pairs: Set<number> | undefined
  #last = -1
  #lastAt = -1

  constructor(
    terms: number,
    private readonly length: number,
  ) {
    this.#counts = new Array<number>(terms).fill(0)
  }

  /** A term that is the word with a number; `before` is the number of the word before it. */
  add(index: number, at: number, before: number): void {
    this.#count(index, 1)
    if (this.#lastAt === before && this.#last === index - 1 && this.#last >= 0) {
      this.#pairs ??= new Set()
      this.#pairs.add(this.#last)
    }
    this.#last = index
    this.#lastAt = at
  }

  addBeginning(index: number): void {
    this.#count(index, BEGINNING)
  }

  /** Matched share of a term: 1, or less for prefixes. */
  share(index: number): number {
    return Math.min(this.#counts[index] ?? 0, 1)
  }

  /** Frequency of a term relative to the text's length, 0 to 1. */
  frequency(index: number): number {
    const count = this.#counts[index] ?? 0
    return count / (count + SATURATION * (1 - LENGTH + (LENGTH * this.length) / USUAL_LENGTH))
  }

  hasPair(index: number): boolean {
    return this.#pairs?.has(index) === true
  }

  #count(index: number, share: number): void {
    this.#counts[index] = (this.#counts[index] ?? 0) + share
  }
}
