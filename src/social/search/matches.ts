import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import type { Term } from './query-terms.ts'
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

/** Selects the numbers of those of some posts or comments that everybody sees. */
export const listedSql = (kind: Kind): string =>
  `SELECT t.n FROM json_each(?1) j CROSS JOIN ${kind === POST ? 'posts' : 'comments'} t ON t.n = j.value
   WHERE t.deleted_at IS NULL AND t.unlisted IS NULL`

/** Number of of the newest texts of one author are searched. */
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
  readonly #textsBy: Statement<TextRow, [number, number, number, number | null]>
  readonly #listed: Statement<{ n: number }, [string]>

  constructor(
    store: Store,
    private readonly source: Source,
  ) {
    this.#scores = store.prepare(stablePlan(scoresSql(source.kind)))
    this.#texts = store.prepare(stablePlan(textsSql(source.kind)))
    this.#textsBy = store.prepare(stablePlan(textsBySql(source.kind)))
    this.#listed = store.prepare(stablePlan(listedSql(source.kind)))
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
    const texts = this.#texts.all(numbersOf(found.slice(0, MAX_TEXTS)))
    const finder = new TermFinder(candidates.terms)
    const compared = texts.map(({ n, title, text, score }): Match => {
      const similarity = relevance(candidates.terms, finder, title, text)
      return { n, kind, rank: COMPARED + similarity * liked(score), similarity }
    })
    const least = Math.min(1, ...compared.map(({ similarity }) => similarity))
    const best = Math.max(1, ...found.map(({ score }) => score))
    const others = found.slice(MAX_TEXTS).map(({ n, score }): Match => {
      const share = score / best
      return { n, kind, rank: share * COMPARED, similarity: least * share }
    })
    return [...compared.filter(({ similarity }) => similarity > 0).sort(byRank), ...others.sort(byRank)]
  }

  /** Matches among the newest texts of one author. */
  #findBy(author: number, terms: readonly Term[], { submolt, from, to }: SearchScope): Match[] {
    const { kind } = this.source
    const rows = this.#textsBy.all(author, from, to, submolt ?? null)
    const weighted = terms.map((term) => ({ ...term, weight: 1, isBeginning: false }))
    const finder = new TermFinder(weighted)
    const matches = rows.map(({ n, title, text, score }): Match => {
      const similarity = relevance(weighted, finder, title, text)
      return { n, kind, rank: COMPARED + similarity * liked(score), similarity }
    })
    return matches.filter(({ similarity }) => similarity > 0).sort(byRank)
  }

  /** Those of some matches that everybody sees. */
  listed(matches: readonly Match[]): Set<number> {
    return new Set(this.#listed.all(numbersOf(matches)).map(({ n }) => n))
  }

  #byVotes(candidates: readonly Candidate[]): Candidate[] {
    const scores = new Map(this.#scores.all(numbersOf(candidates)).map(({ n, score }) => [n, score]))
    return candidates
      .map(({ n, score }) => ({ n, score: score * liked(scores.get(n) ?? 0) }))
      .sort((one, other) => other.score - one.score || other.n - one.n)
  }
}

/** The best first, of equal ones posts, of those the newest. */
export const byRank = (one: Match, other: Match): number =>
  other.rank - one.rank || other.kind - one.kind || other.n - one.n

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
  await tally.addAll(index, scope, inTexts, IN_TEXT)
  if (titles) {
    const inTitles = await Promise.all(inTexts.map((each) => titles.matchesOf(each, scope, Math.ceil(perTerm / 2))))
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
