import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'
import { type Candidate, findCandidates } from './candidates.ts'
import type { Term } from './query-terms.ts'
import { relevance } from './relevance.ts'
import type { SearchScope, WordIndex } from './word-index.ts'

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

/** Where the texts of one kind are. */
interface Source {
  readonly kind: Kind
  readonly index: WordIndex
  readonly titles?: WordIndex
}

/** How many candidates there are, how many of them are ordered by their votes too, and how many of those by their texts. */
const MAX_CANDIDATES = 1_000
const MAX_WEIGHED = 150
const MAX_TEXTS = 30
/** How much of a text is compared. */
const MAX_TEXT = 2_000
/** What a rank begins with once the text was compared: it comes before those whose text was not. */
const COMPARED = 1
/** How much a vote adds: twice as many votes count as much again. */
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

/** Finds what matches best among posts or among comments, at a cost that does not grow with the network. */
export class Matches {
  readonly #scores: Statement<{ n: number; score: number }, [string]>
  readonly #texts: Statement<TextRow, [string]>

  constructor(
    store: Store,
    private readonly source: Source,
  ) {
    this.#scores = store.prepare(stablePlan(scoresSql(source.kind)))
    this.#texts = store.prepare(stablePlan(textsSql(source.kind)))
  }

  /** The best matches first. */
  async find(terms: readonly Term[], scope: SearchScope): Promise<Match[]> {
    const { kind, index, titles } = this.source
    const candidates = await findCandidates(terms, scope, index, titles)
    const found = [
      ...this.#byVotes(candidates.found.slice(0, MAX_WEIGHED)),
      ...candidates.found.slice(MAX_WEIGHED, MAX_CANDIDATES),
    ]
    const texts = this.#texts.all(numbersOf(found.slice(0, MAX_TEXTS)))
    const compared = texts.map(({ n, title, text, score }): Match => {
      const similarity = relevance(candidates.terms, title, text)
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

  /** Those of some matches that everybody sees. */
  listed(matches: readonly Match[]): Set<number> {
    return new Set(this.#texts.all(numbersOf(matches)).map(({ n }) => n))
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
