import type { Term } from './query-terms.ts'
import { EVERYWHERE, type WordIndex } from './word-index.ts'

/** Number of corrections that are kept. */
const MAX_KEPT = 1_000
/** Shorter words, and those with digits, are names as often as they are wrong. */
const IS_WORD = /^\p{L}{4,40}$/u
const MAX_COUNTED = 50

/** Finds the words that were meant where a query has one that nothing has. */
export class Spelling {
  readonly #kept = new Map<string, Term>()

  /** `indexes` have the words of all that is searched; corrections come from the first. */
  constructor(private readonly indexes: readonly [WordIndex, ...WordIndex[]]) {}

  /** The terms, each as it is known here: the most frequent of those that differ by one letter, or itself. */
  async correct(terms: readonly Term[]): Promise<Term[]> {
    const corrected: Term[] = []
    for (const term of terms) corrected.push(await this.#correctOne(term))
    return corrected
  }

  async #correctOne(term: Term): Promise<Term> {
    if (!IS_WORD.test(term.stem) || this.indexes.some((index) => index.has(term))) return term
    const kept = this.#kept.get(term.stem)
    if (kept) return kept
    const [words] = this.indexes
    const neighbours = words.neighbours(term.stem).map((word) => ({ word, stem: word }))
    const counted = await Promise.all(neighbours.map((near) => words.matches(near, EVERYWHERE, MAX_COUNTED)))
    const best = counted.sort((one, other) => other.count - one.count)[0]
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    if (best && best.count > 0) this.#kept.set(term.stem, best.term)
    return best && best.count > 0 ? best.term : term
  }
}
