import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import { Kept } from './kept.ts'
import { MAX_TERMS, type Term } from './query-terms.ts'
import { relevance, TermFinder, type WeightedTerm, weightOf } from './relevance.ts'
import type { SearchScope, TermMatches, WordIndex } from './word-index.ts'

/** 0 for comments, 1 for posts: of equal ranks posts come first. */
export type Kind = 0 | 1
export const COMMENT: Kind = 0
export const POST: Kind = 1

/** A post or comment that matches a search: its row number, its place among the others, and how well it matches. */
export interface Match {
  readonly n: number
  readonly kind: Kind
  readonly rank: number
  readonly similarity: number
}

interface TextRow {
  n: number
  title: string | null
  text: string
  score: number
}

/** Location of the texts of one kind. */
interface Source {
  readonly kind: Kind
  readonly index: WordIndex
  readonly titles?: WordIndex
}

/** Number of candidates, how many of them are ordered by their votes as well, and how many of those by their texts. */
const MAX_CANDIDATES = 1_000
const MAX_WEIGHED = 150
const MAX_TEXTS = 30
/** Maximum texts that are kept. */
const MAX_KEPT = 2_000
/** Maximum length of the compared text. */
const MAX_TEXT = 2_000
/** Rank prefix of results whose text was compared: they precede the others. */
const COMPARED = 1
/** Weight of a vote: each doubling adds the same amount. */
const VOTES = 0.05

/** Selects the scores of some posts or comments that are not 0. */
export const scoresSql = (kind: Kind): string =>
  `SELECT w.n, w.score FROM json_each(?1) j CROSS JOIN ${kind === POST ? 'post' : 'comment'}_weights w ON w.n = j.value`

/** Selects those of some posts or comments that everybody sees, with their texts. */
export const textsSql = (kind: Kind): string =>
  kind === POST
    ? `SELECT p.n, p.title, substr(coalesce(p.content, p.url, ''), 1, ${MAX_TEXT}) AS text, p.score
       FROM json_each(?1) j CROSS JOIN posts p ON p.n = j.value WHERE p.deleted_at IS NULL AND p.unlisted IS NULL`
    : `SELECT c.n, NULL AS title, substr(c.content, 1, ${MAX_TEXT}) AS text, c.score
       FROM json_each(?1) j CROSS JOIN comments c ON c.n = j.value WHERE c.deleted_at IS NULL AND c.unlisted IS NULL`

/** Number of the newest texts of one author that are searched. */
const MAX_BY_AUTHOR = 500

/** Selects the newest texts of an author that everybody sees. */
export const textsBySql = (kind: Kind): string =>
  kind === POST
    ? `SELECT p.n, p.title, substr(coalesce(p.content, p.url, ''), 1, ${MAX_TEXT}) AS text, p.score
       FROM posts p INDEXED BY posts_author_new WHERE p.author = ?1 AND p.deleted_at IS NULL AND p.unlisted IS NULL
       AND p.n >= ?2 AND p.n < ?3 AND (?4 IS NULL OR p.submolt = ?4) ORDER BY p.created_at DESC LIMIT ${MAX_BY_AUTHOR}`
    : `SELECT c.n, NULL AS title, substr(c.content, 1, ${MAX_TEXT}) AS text, c.score
       FROM comments c INDEXED BY comments_author JOIN posts p ON p.n = c.post
       WHERE c.author = ?1 AND c.deleted_at IS NULL AND c.unlisted IS NULL
       AND c.n >= ?2 AND c.n < ?3 AND (?4 IS NULL OR p.submolt = ?4) ORDER BY c.n DESC LIMIT ${MAX_BY_AUTHOR}`

/** Finds what matches best among posts or among comments, at a cost that does not grow with the network. */
export class Matches {
  readonly #scores: Statement<{ n: number; score: number }, [string]>
  readonly #texts: Statement<TextRow, [string]>
  readonly #kept: Kept<number, TextRow>
  readonly #textsBy: Statement<TextRow, [number, number, number, number | null]>

  constructor(
    store: Store,
    private readonly source: Source,
    head: () => number,
  ) {
    this.#kept = new Kept(head, MAX_KEPT)
    this.#scores = store.prepare(stablePlan(scoresSql(source.kind)))
    this.#texts = store.prepare(stablePlan(textsSql(source.kind)))
    this.#textsBy = store.prepare(stablePlan(textsBySql(source.kind)))
  }

  /** The best matches first. */
  async find(terms: readonly Term[], scope: SearchScope): Promise<Match[]> {
    if (scope.author !== undefined) return this.#findBy(scope.author, terms, scope)
    const { kind, index, titles } = this.source
    const candidates = await findCandidates(terms, scope, index, titles)
    const found = [
      ...this.#byVotes(candidates.found.slice(0, MAX_WEIGHED)),
      ...candidates.found.slice(MAX_WEIGHED, MAX_CANDIDATES),
    ]
    const compared = compare(kind, candidates.terms, this.#textsOf(found.slice(0, MAX_TEXTS))).filter(
      ({ similarity }) => similarity > 0,
    )
    const least = Math.min(1, ...compared.map(({ similarity }) => similarity))
    const best = Math.max(1, ...found.map(({ score }) => score))
    const others = (some: readonly Candidate[]) =>
      some.map(({ n, score }): Match => {
        const share = score / best
        return { n, kind, rank: share * COMPARED, similarity: least * share }
      })
    const [voted, rest] = [found.slice(MAX_TEXTS, MAX_WEIGHED), found.slice(MAX_WEIGHED)]
    return [...compared, ...mergeByRank(others(voted), others(rest))]
  }

  /** Matches among the newest texts of one author. */
  #findBy(author: number, terms: readonly Term[], { submolt, from, to }: SearchScope): Match[] {
    const { kind } = this.source
    const rows = this.#textsBy.all(author, from, to, submolt ?? null)
    const weighted = terms.map((term) => ({ ...term, weight: 1, isBeginning: false }))
    return compare(kind, weighted, rows).filter(({ similarity }) => similarity > 0)
  }

  #textsOf(candidates: readonly Candidate[]): TextRow[] {
    const texts = this.#kept.findAll(
      candidates.map(({ n }) => n),
      (missing) => new Map(this.#texts.all(JSON.stringify(missing)).map((row) => [row.n, row])),
    )
    return [...texts.values()]
  }

  #byVotes(candidates: readonly Candidate[]): Candidate[] {
    const scores = new Map(this.#scores.all(numbersOf(candidates)).map(({ n, score }) => [n, score]))
    return candidates
      .map(({ n, score }) => ({ n, score: score * liked(scores.get(n) ?? 0) }))
      .sort((one, other) => other.score - one.score || other.n - one.n)
  }
}

/** The best first, of equal ones posts, of those the newest. */
const byRank = (one: Match, other: Match): number => other.rank - one.rank || other.kind - one.kind || other.n - one.n

/** Two lists that are in the order of their ranks as one. */
export function mergeByRank(some: readonly Match[], others: readonly Match[]): Match[] {
  const merged: Match[] = []
  let at = 0
  for (const one of some) {
    for (let other = others[at]; other && byRank(other, one) < 0; other = others[++at]) merged.push(other)
    merged.push(one)
  }
  return [...merged, ...others.slice(at)]
}

/** Texts as matches in the order of their ranks. */
function compare(kind: Kind, terms: readonly WeightedTerm[], texts: readonly TextRow[]): Match[] {
  const finder = new TermFinder(terms)
  const matches = texts.map(({ n, title, text, score }): Match => {
    const similarity = relevance(terms, finder, title, text)
    return { n, kind, rank: COMPARED + similarity * liked(score), similarity }
  })
  return matches.sort(byRank)
}

const liked = (score: number): number => Math.max(1 + VOTES * Math.sign(score) * Math.log2(1 + Math.abs(score)), 0.5)

const numbersOf = (some: readonly { n: number }[]): string => JSON.stringify(some.map(({ n }) => n))

/** Possible match, with its known share of the terms. */
interface Candidate {
  readonly n: number
  readonly score: number
}

interface Candidates {
  readonly terms: readonly WeightedTerm[]
  /** Those that have most first, of equal ones the newest. */
  readonly found: readonly Candidate[]
}

/**
 * Number of of the newest entries with any term are candidates, with each at least and at most, and with several
 * together.
 */
const MAX_SINGLE = 800
const MIN_PER_TERM = 100
const MAX_PER_TERM = 400
const PER_COMBINATION = 100
/** Weight of a term in a text, and in a title. */
const IN_TEXT = 1
const IN_TITLE = 2

/**
 * Possible matches of some terms: the newest entries of each, and possibly older ones with several. Titles have an
 * index of their own, in which fewer entries have a term.
 */
async function findCandidates(
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
  await tally.addAll(index, scope, inTexts, 0)
  if (titles) {
    const inTitles = await Promise.all(inTexts.map((each) => titles.matchesOf(each, scope, Math.ceil(perTerm / 2))))
    await tally.addAll(titles, scope, inTitles, MAX_TERMS)
  }
  return { terms: weighted, found: tally.sorted() }
}

/** Adds up what entries are known to have: each term counts once, where it counts most. */
class Tally {
  /** By entry a bit for each term that its text has, and above those one for each that its title has. */
  readonly #entries = new Map<number, number>()

  constructor(private readonly terms: readonly WeightedTerm[]) {}

  /**
   * Adds the entries that have a term, and others that have the rarest and one of the next two, or all. `shift` is the
   * place of the first term's bit.
   */
  async addAll(index: WordIndex, scope: SearchScope, matches: readonly TermMatches[], shift: number): Promise<void> {
    const terms = matches.map((each, at) => ({ each, bit: 1 << (at + shift) }))
    for (const { each, bit } of terms) this.#add(each.numbers, bit)
    if (terms.length === 1) return
    const found = terms.filter(({ each }) => each.count > 0).sort((one, other) => one.each.count - other.each.count)
    const [first, second, third] = found
    const pairs = [
      [first, second],
      [first, third],
    ].map((pair) => pair.filter((each) => each !== undefined))
    for (const some of [...pairs.filter(({ length }) => length === 2), ...(found.length > 2 ? [found] : [])]) {
      const together = await index.together(
        some.map(({ each }) => each),
        scope,
        PER_COMBINATION,
      )
      this.#add(
        together,
        some.reduce((bits, { bit }) => bits | bit, 0),
      )
    }
  }

  /** Those that have most first, of equal ones the newest. */
  sorted(): Candidate[] {
    const scores = new Map<number, number>()
    const entries = new Map<number, number[]>()
    for (const [n, bits] of this.#entries) {
      const score = scores.get(bits) ?? this.#score(bits)
      scores.set(bits, score)
      const numbers = entries.get(score)
      if (numbers) numbers.push(n)
      else entries.set(score, [n])
    }
    return [...entries]
      .sort(([one], [other]) => other - one)
      .flatMap(([score, numbers]) => Array.from(Float64Array.from(numbers).sort().reverse(), (n) => ({ n, score })))
  }

  #score(bits: number): number {
    return this.terms.reduce((sum, { weight }, index) => {
      const value = bits & (1 << (index + MAX_TERMS)) ? IN_TITLE : bits & (1 << index) ? IN_TEXT : 0
      return sum + value * weight
    }, 0)
  }

  #add(numbers: readonly number[], bits: number): void {
    for (const n of numbers) this.#entries.set(n, (this.#entries.get(n) ?? 0) | bits)
  }
}
