import { type Query, query, stablePlan } from '../../core/store/index.ts'
import { Kept, type NetworkContext } from '../shared/index.ts'
import { MAX_TERMS, type Term } from './query-terms.ts'
import { mostUntitled, relevance, TermFinder, type WeightedTerm, weightOf } from './relevance.ts'
import { COMMENT, type FoundComment, type FoundPost, type FoundRows, type Kind, POST } from './rows.ts'
import type { SearchScope, TermMatches, WordIndex } from './word-index.ts'

/** A post or comment that matches a search: its row number, its place among the others, and how well it matches. */
export interface Match {
  readonly n: number
  readonly kind: Kind
  readonly rank: number
  readonly similarity: number
}

/** The matches of one kind in the order of their ranks: the others, which are not compared, follow the best. */
export interface FoundMatches {
  readonly best: readonly Match[]
  others(): readonly Match[]
}

export const NO_MATCHES: FoundMatches = { best: [], others: () => [] }

/** Posts and comments in the order of their ranks, of which as much is found as somebody asks for. */
export class RankedMatches {
  #matches: readonly Match[]
  #comments: (() => Promise<FoundMatches>) | undefined
  #others: (() => readonly Match[]) | undefined

  /** `comments` finds the comments, none of which ranks above a number. */
  constructor(
    private readonly posts: FoundMatches,
    private readonly maxRank: number,
    comments: () => Promise<FoundMatches>,
  ) {
    this.#matches = posts.best
    this.#comments = comments
  }

  async slice(start: number, end: number): Promise<readonly Match[]> {
    const last = this.#matches[end - 1]
    if (this.#comments && !(last && last.rank >= this.maxRank)) await this.#findComments(this.#comments)
    if (end > this.#matches.length) this.#order()
    return this.#matches.slice(start, end)
  }

  /** The place of the first match of which something is true; behind the last where there is none. */
  async firstIndex(is: (match: Match) => boolean): Promise<number> {
    if (this.#comments) await this.#findComments(this.#comments)
    this.#order()
    const index = this.#matches.findIndex(is)
    return index < 0 ? this.#matches.length : index
  }

  async #findComments(find: () => Promise<FoundMatches>): Promise<void> {
    const { posts } = this
    const comments = await find()
    if (!this.#comments) return
    this.#comments = undefined
    this.#matches = mergeByRank(posts.best, comments.best)
    this.#others = () => mergeByRank(posts.others(), comments.others())
  }

  #order(): void {
    if (this.#others) this.#matches = [...this.#matches, ...this.#others()]
    this.#others = undefined
  }
}

/** The highest rank of a comment, which has at most one vote of each of so many agents. */
export const maxRankOfComments = (terms: number, agents: number): number =>
  COMPARED + mostUntitled(terms) * liked(agents)

/** A text that is compared with a query. */
interface ComparedText {
  readonly n: number
  readonly title: string | null
  readonly text: string
  readonly score: number
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
/** Maximum scores that are kept. */
const MAX_SCORES = 20_000
/** Maximum length of the compared text. */
const MAX_TEXT = 2_000
/** Rank prefix of results whose text was compared: they precede the others. */
const COMPARED = 1
/** Weight of a vote: each doubling adds the same amount. */
const VOTES = 0.05

/** Selects the scores of some posts or comments that are not 0. */
export const scoresSql = (kind: Kind): string =>
  `SELECT w.n, w.score FROM json_each(?1) j CROSS JOIN ${kind === POST ? 'post' : 'comment'}_weights w ON w.n = j.value`

type ScoreQuery = Query<{ n: number; score: number }, [string]>

const POST_SCORES: ScoreQuery = query(stablePlan(scoresSql(POST)))

const COMMENT_SCORES: ScoreQuery = query(stablePlan(scoresSql(COMMENT)))

/** Finds what matches best among posts or among comments, at a cost that does not grow with the network. */
export class Matches {
  readonly #scores: Kept<number, number>

  constructor(
    private readonly ctx: NetworkContext,
    private readonly source: Source,
    private readonly rows: FoundRows,
  ) {
    this.#scores = new Kept(ctx.changes, MAX_SCORES)
  }

  async find(terms: readonly Term[], scope: SearchScope): Promise<FoundMatches> {
    if (scope.author !== undefined) return { best: this.#findBy(scope.author, terms, scope), others: () => [] }
    const { kind, index, titles } = this.source
    const candidates = await findCandidates(terms, scope, index, titles)
    const first = candidates.found.slice(0, MAX_WEIGHED)
    const voted = first.length > MAX_TEXTS ? this.#byVotes(first) : first
    const best = compare(kind, candidates.terms, this.#textsOf(voted.slice(0, MAX_TEXTS))).filter(
      ({ similarity }) => similarity > 0,
    )
    const others = () => withoutTexts(kind, best, voted, candidates.found.slice(MAX_WEIGHED, MAX_CANDIDATES))
    return { best, others }
  }

  /** Matches among the newest texts of one author. */
  #findBy(author: number, terms: readonly Term[], { submolt, from, to }: SearchScope): Match[] {
    const { kind } = this.source
    const of = [author, from, to, submolt ?? null] as const
    const texts =
      kind === POST
        ? this.rows.posts.newestBy(...of).map(textOfPost)
        : this.rows.comments.newestBy(...of).map(textOfComment)
    const weighted = terms.map((term) => ({ ...term, weight: 1, isBeginning: false }))
    return compare(kind, weighted, texts).filter(({ similarity }) => similarity > 0)
  }

  #textsOf(candidates: readonly Candidate[]): ComparedText[] {
    const numbers = candidates.map(({ n }) => n)
    return this.source.kind === POST
      ? this.rows.posts.find(numbers).flatMap((row) => (row ? textOfPost(row) : []))
      : this.rows.comments.find(numbers).flatMap((row) => (row ? textOfComment(row) : []))
  }

  #readScores(numbers: readonly number[], add: (n: number, score: number) => void): void {
    const rows = this.ctx.store.all(this.source.kind === POST ? POST_SCORES : COMMENT_SCORES, JSON.stringify(numbers))
    for (const n of numbers) add(n, 0)
    for (const { n, score } of rows) add(n, score)
  }

  #byVotes(candidates: readonly Candidate[]): Candidate[] {
    const scores = this.#scores.findAll(
      candidates.map(({ n }) => n),
      (missing, add) => this.#readScores(missing, add),
    )
    return candidates
      .map(({ n, score }, at) => ({ n, score: score * liked(scores[at] ?? 0) }))
      .sort((one, other) => other.score - one.score || other.n - one.n)
  }
}

const textOfPost = ({ n, title, content, url, score }: FoundPost): ComparedText => ({
  ...{ n, title, score },
  text: (content ?? url ?? '').slice(0, MAX_TEXT),
})

const textOfComment = ({ n, content, score }: FoundComment): ComparedText => ({
  ...{ n, title: null, score },
  text: content.slice(0, MAX_TEXT),
})

/** The best first, of equal ones posts, of those the newest. */
const byRank = (one: Match, other: Match): number => other.rank - one.rank || other.kind - one.kind || other.n - one.n

/** Two lists that are in the order of their ranks as one. */
function mergeByRank(some: readonly Match[], others: readonly Match[]): Match[] {
  const merged: Match[] = []
  let at = 0
  for (const one of some) {
    for (let other = others[at]; other && byRank(other, one) < 0; other = others[++at]) merged.push(other)
    merged.push(one)
  }
  return [...merged, ...others.slice(at)]
}

/** Texts as matches in the order of their ranks. */
function compare(kind: Kind, terms: readonly WeightedTerm[], texts: readonly ComparedText[]): Match[] {
  const finder = new TermFinder(terms)
  const matches = texts.map(({ n, title, text, score }): Match => {
    const similarity = relevance(terms, finder, title, text)
    return { n, kind, rank: COMPARED + similarity * liked(score), similarity }
  })
  return matches.sort(byRank)
}

/** The candidates whose texts were not compared, as matches that follow the others. */
function withoutTexts(kind: Kind, compared: readonly Match[], voted: readonly Candidate[], rest: readonly Candidate[]) {
  const least = Math.min(1, ...compared.map(({ similarity }) => similarity))
  const most = Math.max(1, voted[0]?.score ?? 0, rest[0]?.score ?? 0)
  const matches = (some: readonly Candidate[]) =>
    some.map(({ n, score }): Match => {
      const share = score / most
      return { n, kind, rank: share * COMPARED, similarity: least * share }
    })
  return mergeByRank(matches(voted.slice(MAX_TEXTS)), matches(rest))
}

const liked = (score: number): number =>
  score === 0 ? 1 : Math.max(1 + VOTES * Math.sign(score) * Math.log2(1 + Math.abs(score)), 0.5)

/** Possible match, with its known share of the terms. */
interface Candidate {
  readonly n: number
  readonly score: number
}

interface Candidates {
  readonly terms: readonly WeightedTerm[]
  /** Those that have most first, of equal ones the newest. */
  readonly found: Ordered
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
 * index of their own, in which fewer entries have a term; it orders candidates, so it is not asked where all are compared.
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
  const lists = await listsOf(index, scope, inTexts, 0)
  const isFew = inTexts.reduce((sum, { numbers }) => sum + numbers.length, 0) <= MAX_TEXTS
  if (titles && !isFew) {
    const inTitles = await Promise.all(inTexts.map((each) => titles.matchesOf(each, scope, Math.ceil(perTerm / 2))))
    lists.push(...(await listsOf(titles, scope, inTitles, MAX_TERMS)))
  }
  return { terms: weighted, found: new Ordered(lists, weighted) }
}

/** Entries that are known to have some terms, newest first. */
interface EntryList {
  readonly numbers: readonly number[]
  /** A bit for each term that the texts have, and above those one for each that the titles have. */
  readonly bits: number
}

/**
 * Lists of the entries that have each term, and of others that have the rarest and one of the next two, or all. `shift` is
 * the place of the first term's bit.
 */
async function listsOf(
  index: WordIndex,
  scope: SearchScope,
  matches: readonly TermMatches[],
  shift: number,
): Promise<EntryList[]> {
  const terms = matches.map((each, at) => ({ each, bit: 1 << (at + shift) }))
  const lists = terms.map(({ each, bit }): EntryList => ({ numbers: each.numbers, bits: bit }))
  if (terms.length === 1) return lists
  const found = terms.filter(({ each }) => each.count > 0).sort((one, other) => one.each.count - other.each.count)
  const [first, second, third] = found
  const pairs = [
    [first, second],
    [first, third],
  ].map((pair) => pair.filter((each) => each !== undefined))
  for (const some of [...pairs.filter(({ length }) => length === 2), ...(found.length > 2 ? [found] : [])]) {
    const together = some.map(({ each }) => each)
    const numbers = await index.together(together, scope, PER_COMBINATION)
    lists.push({ numbers, bits: some.reduce((bits, { bit }) => bits | bit, 0) })
  }
  return lists
}

/** Entries in the order of what they have: each term counts once, where it counts most; of equal ones the newest first. */
class Ordered {
  readonly #groups: readonly { readonly score: number; readonly numbers: readonly number[] }[]

  constructor(
    lists: readonly EntryList[],
    private readonly terms: readonly WeightedTerm[],
  ) {
    const byScore = new Map<number, number[]>()
    const byBits = new Map<number, number[]>()
    const groupOf = (bits: number): number[] => {
      const score = this.#score(bits)
      const group = byScore.get(score) ?? []
      byScore.set(score, group)
      byBits.set(bits, group)
      return group
    }
    forEachEntry(lists, (n, bits) => void (byBits.get(bits) ?? groupOf(bits)).push(n))
    this.#groups = [...byScore]
      .map(([score, numbers]) => ({ score, numbers }))
      .sort((one, other) => other.score - one.score)
  }

  slice(start: number, end: number): Candidate[] {
    const found: Candidate[] = []
    let first = 0
    for (const { score, numbers } of this.#groups) {
      const some = numbers.slice(Math.max(start - first, 0), Math.max(end - first, 0))
      for (const n of some) found.push({ n, score })
      first += numbers.length
    }
    return found
  }

  #score(bits: number): number {
    return this.terms.reduce((sum, { weight }, index) => {
      const value = bits & (1 << (index + MAX_TERMS)) ? IN_TITLE : bits & (1 << index) ? IN_TEXT : 0
      return sum + value * weight
    }, 0)
  }
}

/** Calls back with each entry of some lists and all that it is known to have, the newest first. */
function forEachEntry(lists: readonly EntryList[], call: (n: number, bits: number) => void): void {
  const places = lists.map(() => 0)
  const heads = lists.map(({ numbers }) => numbers[0] ?? 0)
  for (;;) {
    let newest = 0
    for (let at = 0; at < heads.length; at++) newest = Math.max(newest, heads[at] ?? 0)
    if (newest === 0) return
    let bits = 0
    for (let at = 0; at < heads.length; at++) {
      if (heads[at] !== newest) continue
      const list = lists[at]
      const next = (places[at] ?? 0) + 1
      places[at] = next
      heads[at] = list?.numbers[next] ?? 0
      bits |= list?.bits ?? 0
    }
    call(newest, bits)
  }
}
