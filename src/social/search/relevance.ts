import { stemOf, type Term, wordsOf } from './query-terms.ts'

/** A term, and how much it says: the rarer, the more. */
export interface WeightedTerm extends Term {
  readonly weight: number
  /** Whether words that only begin with it count too. */
  readonly isBeginning: boolean
}

/** How much a term in the title counts beside one in the text, and a pair of terms that stand as in the query. */
const TITLE = 1
const PAIR = 0.5
/** What a word that only begins with a term counts. */
const BEGINNING = 0.6
/** How soon further mentions of a term count less, how much long texts do, and how long texts are (BM25). */
const SATURATION = 1.2
const LENGTH = 0.5
const USUAL_LENGTH = 120

/** How much a term says that so many of all texts have. */
export const weightOf = (count: number, size: number): number => Math.log(1 + (size + 1) / (count + 1))

/** What a text without a title reaches at most. */
const UNTITLED = 0.5

/**
 * How well a text matches, 0 to 1: how much of what the terms say it has, where, how often, and whether they stand together.
 * A title with all of them has most.
 */
export function relevance(terms: readonly WeightedTerm[], title: string | null, text: string): number {
  const inTitle = new Places(terms, title ?? '')
  const inText = new Places(terms, text)
  const sum = terms.reduce((all, { weight }) => all + weight, 0)
  let reached = 0
  let covered = 0
  for (const [index, { weight }] of terms.entries()) {
    const [named, said] = [inTitle.share(index), inText.frequency(index)]
    if (named === 0 && said === 0) continue
    covered += weight * Math.max(named, inText.share(index))
    reached += weight * (TITLE * named + Math.max(said, named))
  }
  const pairs = terms.slice(1).map((term, index) => {
    const isPair = inTitle.hasPair(index) ? 1 : inText.hasPair(index) ? 0.6 : 0
    return isPair * ((term.weight + (terms[index]?.weight ?? 0)) / 2)
  })
  const together = terms.length > 1 ? pairs.reduce((all, one) => all + one, 0) / (terms.length - 1) : 0
  const most = sum * (title === null ? 1 / UNTITLED : TITLE + 1) + (terms.length > 1 ? (PAIR * sum) / terms.length : 0)
  return sum === 0 ? 0 : Math.min(1, ((reached + PAIR * together) / most) * (covered / sum))
}

/** Where in a text the terms stand. */
class Places {
  readonly #counts: number[]
  readonly #pairs = new Set<number>()
  readonly #length: number

  constructor(terms: readonly WeightedTerm[], text: string) {
    const words = stemsIn(text)
    this.#length = words.length
    this.#counts = terms.map(() => 0)
    const stems = terms.map(({ stem }) => numberOf(stem))
    const isOpen = terms.some(({ isBeginning }) => isBeginning)
    let last = -1
    for (let at = 0; at < words.length; at++) {
      const index = stems.indexOf(words[at] ?? -1)
      if (index >= 0) {
        this.#add(index, 1)
        if (last === index - 1 && last >= 0) this.#pairs.add(last)
      }
      last = index
    }
    if (isOpen) this.#addBeginnings(terms, text)
  }

  /** What of a term is there: 1, or less where only words begin with it. */
  share(index: number): number {
    return Math.min(this.#counts[index] ?? 0, 1)
  }

  /** How often a term is there for the length of the text, 0 to 1. */
  frequency(index: number): number {
    const count = this.#counts[index] ?? 0
    return count / (count + SATURATION * (1 - LENGTH + (LENGTH * this.#length) / USUAL_LENGTH))
  }

  hasPair(index: number): boolean {
    return this.#pairs.has(index)
  }

  #addBeginnings(terms: readonly WeightedTerm[], text: string): void {
    for (const word of wordsOf(text)) {
      const index = terms.findIndex(
        (term) => term.isBeginning && word.startsWith(term.word) && stemOf(word) !== term.stem,
      )
      if (index >= 0) this.#add(index, BEGINNING)
    }
  }

  #add(index: number, share: number): void {
    this.#counts[index] = (this.#counts[index] ?? 0) + share
  }
}

/** The stems that texts have, each with a number, and those of texts that were compared lately. */
const numbers = new Map<string, number>()
const texts = new Map<string, Uint32Array>()
const MAX_STEMS = 100_000
const MAX_TEXTS = 4_000

function numberOf(stem: string): number {
  const known = numbers.get(stem)
  if (known !== undefined) return known
  const number = numbers.size + 1
  numbers.set(stem, number)
  return number
}

/** The stems of a text, as numbers. */
function stemsIn(text: string): Uint32Array {
  const known = texts.get(text)
  if (known) return known
  if (numbers.size > MAX_STEMS || texts.size > MAX_TEXTS) {
    numbers.clear()
    texts.clear()
  }
  const stems = Uint32Array.from(wordsOf(text), (word) => numberOf(stemOf(word)))
  texts.set(text, stems)
  return stems
}
