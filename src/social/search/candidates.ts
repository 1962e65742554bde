import type { Term } from './query-terms.ts'
import { type WeightedTerm, weightOf } from './relevance.ts'
import type { SearchScope, TermMatches, WordIndex } from './word-index.ts'

/** What may match, with how much of the terms it is known to have. */
export interface Candidate {
  readonly n: number
  readonly score: number
}

export interface Candidates {
  readonly terms: readonly WeightedTerm[]
  /** Those that have most first, of equal ones the newest. */
  readonly found: readonly Candidate[]
}

/** How many of the newest entries with any term are candidates, with each at least and at most, and with several together. */
const MAX_SINGLE = 800
const MIN_PER_TERM = 100
const MAX_PER_TERM = 400
const PER_COMBINATION = 100
/** How much a term counts for a text, and for a title. */
const IN_TEXT = 1
const IN_TITLE = 2

/**
 * What may match some terms: the newest entries with each, and those with several, which may be older. Titles have an index
 * of their own, in which fewer entries have a term.
 */
export async function findCandidates(
  terms: readonly Term[],
  scope: SearchScope,
  index: WordIndex,
  titles?: WordIndex,
): Promise<Candidates> {
  const perTerm = Math.min(MAX_PER_TERM, Math.max(MIN_PER_TERM, Math.round(MAX_SINGLE / terms.length)))
  const inTexts = await Promise.all(terms.map((term) => index.matches(term, scope, perTerm)))
  const weighted = inTexts.map(({ term, count, isBeginning }) => ({
    ...term,
    weight: weightOf(count, index.size),
    isBeginning,
  }))
  const tally = new Tally(weighted)
  await tally.addAll(index, scope, inTexts, IN_TEXT)
  if (titles) {
    const inTitles = await Promise.all(terms.map((term) => titles.matches(term, scope, Math.ceil(perTerm / 2))))
    await tally.addAll(titles, scope, inTitles, IN_TITLE)
  }
  return { terms: weighted, found: tally.sorted() }
}

/** Adds up what entries are known to have: each term counts once, where it counts most. */
class Tally {
  /** By entry, what each term counts. */
  readonly #entries = new Map<number, number[]>()

  constructor(private readonly terms: readonly WeightedTerm[]) {}

  /** Adds the entries that have a term, the rarest and one of the next two, or all. */
  async addAll(index: WordIndex, scope: SearchScope, matches: readonly TermMatches[], value: number): Promise<void> {
    for (const each of matches) this.#add(each.numbers, [each], value)
    const found = matches.filter(({ count }) => count > 0).sort((one, other) => one.count - other.count)
    const [first, second, third] = found
    const pairs = [
      [first, second],
      [first, third],
    ].map((pair) => pair.filter((each) => each !== undefined))
    for (const some of [...pairs.filter(({ length }) => length === 2), ...(found.length > 2 ? [found] : [])]) {
      this.#add(await index.together(some, scope, PER_COMBINATION), some, value)
    }
  }

  sorted(): Candidate[] {
    const candidates = [...this.#entries].map(([n, values]) => ({
      n,
      score: values.reduce((sum, value, index) => sum + value * (this.terms[index]?.weight ?? 0), 0),
    }))
    return candidates.sort((one, other) => other.score - one.score || other.n - one.n)
  }

  #add(numbers: readonly number[], matches: readonly TermMatches[], value: number): void {
    const indexes = matches.map(({ term }) => this.terms.findIndex(({ stem }) => stem === term.stem))
    for (const n of numbers) {
      const values = this.#entries.get(n) ?? this.terms.map(() => 0)
      for (const index of indexes) values[index] = Math.max(values[index] ?? 0, value)
      this.#entries.set(n, values)
    }
  }
}
