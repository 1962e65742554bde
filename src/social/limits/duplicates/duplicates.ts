import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { hashSecret, type Limits, type NetworkContext } from '../../shared/index.ts'
import type { RatedAgent, Standings } from '../standings.ts'
import { bandsOf, exactBand, isCopy, negations, overlap, sequenceOf, subjectSample } from './fingerprints.ts'
import type { textPrints } from './table.ts'
import { comparedWords, hasQuotation, MIN_WORDS, subjectOf } from './words.ts'

type Kind = 'post' | 'comment'
type Author = Pick<RatedAgent, 'n'>
type Columns = typeof textPrints.$inferSelect
type StoredPrint = Pick<Columns, 'n' | 'kind' | 'at'> & { bands: string }
type StoredText = Pick<Columns, 'kind' | 'target' | 'shown' | 'author' | 'repeats'>
type PrintRow = StoredText & StoredPrint & { words: Uint8Array }
/** A stored text with the share of words that a new one has in common with it. */
type SimilarText = PrintRow & { readonly share: number }
type Insert = [number, number, number, number, number, string, Uint8Array, number]

/** Reason a post or comment is not in the lists of everybody, as it is stored. */
const UNLISTED = { repeat: 1, repeating: 2 } as const

/** True if a comment is left out of its thread, in the words of the index `comments_unlisted`. */
export const IS_UNLISTED = 'unlisted < 3'

/** Storage of a new text: whether lists leave it out, and what it repeats. */
export interface Comparison {
  readonly unlisted: (typeof UNLISTED)[keyof typeof UNLISTED] | null
  /** The row number of the post or comment that is shown in its place. */
  readonly repeatOf: number | null
  readonly print?: Print
  /** The stored text that it is similar to. */
  readonly match?: PrintRow | undefined
}

/** A text that is not compared. */
const LISTED: Comparison = { unlisted: null, repeatOf: null }

const KINDS: Readonly<Record<Kind, number>> = { post: 0, comment: 1 }

const DAY = 86_400_000
/** Copies have at least this share of their words in common. */
const MIN_COPIED = 0.4
/** The share of words that texts about the same have in common; of few words, more. */
const MIN_OVERLAP = { long: 0.5, short: 0.65 }
const LONG = 16
/** Number of texts of one form an agent that may write in a day, such as reports with other numbers. */
const SERIES = 4
/** A text is put together from others when so many that share so many of its words have nearly all of them. */
const PATCHWORK = { texts: 3, overlap: 0.2, share: 0.8 }
/** Maximum times an agent may write the same few words before they count as a repeat. */
const SHORT_REPEATS = 2
/** The newest texts of the same author that are looked at, those of a band, and the nearest of all bands. */
const OWN = 32
const PER_BAND = 64
const MAX_CANDIDATES = 12
/** However busy the network is, no more texts than this are stored. */
const MAX_PRINTS = 500_000
const SLICE = 200
/** More than the bands of one kind have keys. */
const BAND_KEYS = 2 ** 40

export const DUPLICATE_SQL = {
  band: 'SELECT print FROM text_bands WHERE band = ? ORDER BY print DESC LIMIT ?',
  ofTarget: 'SELECT n, kind, bands, at FROM text_prints INDEXED BY text_prints_of WHERE kind = ? AND target = ?',
  own: `SELECT n, kind, target, shown, author, repeats, bands, words, at FROM text_prints INDEXED BY text_prints_by
    WHERE author = ? AND at > ? ORDER BY at DESC LIMIT ?`,
  oldest: 'SELECT n, kind, bands, at FROM text_prints ORDER BY n LIMIT ?',
}

const BAND = query<{ print: number }, [number, number]>(stablePlan(DUPLICATE_SQL.band))

const PRINT = query<PrintRow, [number]>(
  'SELECT n, kind, target, shown, author, repeats, bands, words, at FROM text_prints WHERE n = ?',
)

const OF_TARGET = query<StoredPrint, [number, number]>(stablePlan(DUPLICATE_SQL.ofTarget))

const BY_AUTHOR = query<PrintRow, [number, number, number]>(stablePlan(DUPLICATE_SQL.own))

const OLDEST = query<StoredPrint, [number]>(stablePlan(DUPLICATE_SQL.oldest))

const NEWEST = query<{ n: number }>('SELECT n FROM text_prints ORDER BY n DESC LIMIT 1')

const INSERT = command<
  Insert,
  { n: number }
>(`INSERT INTO text_prints (kind, target, shown, author, repeats, bands, words, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`)

const INSERT_BAND = command<[number, number]>('INSERT INTO text_bands (band, print) VALUES (?, ?)')

const DELETE = command<[number]>('DELETE FROM text_prints WHERE n = ?')

const DELETE_BAND = command<[number, number]>('DELETE FROM text_bands WHERE band = ? AND print = ?')

/**
 * Notices texts that copy another one of the last days, by the same agent or another. A contradiction, a correction or a
 * report with other numbers is not a copy. What a comparison costs does not depend on how many texts there are: it looks at
 * the author's newest, and at the newest that have a band of the fingerprint in common.
 */
export class Duplicates {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly limits: Limits,
    private readonly standings: Standings,
  ) {}

  /** Compares a new text with those of the last days, first with those of the same author. */
  compare(kind: Kind, author: Author, text: string, title?: string): Comparison {
    if (!this.limits.repeats) return LISTED
    const print = printOf(text, title, author.n)
    const own = print.isShort ? [] : this.#similar(print, this.#own(KINDS[kind], author))
    const nearest = this.#similar(print, this.#nearest(KINDS[kind], print))
    const isCopyOf = (row: SimilarText) =>
      print.isShort || (row.share >= MIN_COPIED && isCopy(wordsIn(row), print.words, print.hasQuotation))
    const match = own.find(isCopyOf) ?? nearest.find(isCopyOf)
    const isRepeat = match && (!print.isShort || match.author !== author.n || match.repeats >= SHORT_REPEATS)
    const repeated = isRepeat ? match : this.#campaignOf(print, author, own, nearest)
    if (repeated) return { unlisted: UNLISTED.repeat, repeatOf: repeated.shown, print, match }
    return { unlisted: this.standings.isRepeating(author) ? UNLISTED.repeating : null, repeatOf: null, print, match }
  }

  /** Stores a compared text once it has a row number, and counts a repeat against its author. */
  add(tx: Tx, kind: Kind, target: number, author: Author, comparison: Comparison): void {
    const { unlisted, repeatOf, print, match } = comparison
    if (!print) return
    if (unlisted === UNLISTED.repeat) this.standings.countRepeat(tx, author)
    if (match) {
      this.#remove(tx, match)
      const bands: readonly number[] = JSON.parse(match.bands)
      this.#store(tx, { ...match, repeats: match.repeats + 1 }, { bands, words: wordsIn(match) })
      return
    }
    this.#store(tx, { kind: KINDS[kind], target, shown: repeatOf ?? target, author: author.n, repeats: 0 }, print)
  }

  /** Removes what is stored of a text that its author deleted, so that it can be written again. */
  remove(tx: Tx, kind: Kind, target: number): void {
    for (const print of this.ctx.store.all(OF_TARGET, KINDS[kind], target)) this.#remove(tx, print)
  }

  /** Deletes some texts that are older than what is compared; returns whether there may be more. */
  deleteExpired(tx: Tx): boolean {
    const first = (this.ctx.store.get(NEWEST)?.n ?? 0) - MAX_PRINTS
    const expired = this.ctx.store.all(OLDEST, SLICE).filter(({ n, at }) => at <= this.#since() || n <= first)
    for (const print of expired) this.#remove(tx, print)
    return expired.length === SLICE
  }

  /** Time of the oldest compared text. */
  #since(): number {
    return this.ctx.clock.now() - (this.limits.repeats?.window ?? 0)
  }

  /**
   * The text that stands for a campaign which a new one belongs to: the same form from the same author many times a day,
   * the words of an agent that keeps repeating, or a patchwork of these.
   */
  #campaignOf(
    print: Print,
    author: Author,
    own: readonly SimilarText[],
    nearest: readonly SimilarText[],
  ): PrintRow | undefined {
    if (print.isShort) return undefined
    const today = own.filter(({ at }) => at > this.ctx.clock.now() - DAY)
    const isAlike = ({ share }: SimilarText) => share >= minOverlap(print)
    const series = today.filter(isAlike)
    if (series.length >= SERIES) return series.at(-1)
    const repeating = nearest.filter(
      (row) =>
        row.author !== author.n && row.share >= PATCHWORK.overlap && this.standings.isRepeating({ n: row.author }),
    )
    const alike = repeating.find((row) => isAlike(row) && negations(wordsIn(row)) >= negations(print.words))
    return alike ?? (isPatchwork([...today, ...repeating], print) ? [...repeating, ...today][0] : undefined)
  }

  #own(kind: number, author: Author): PrintRow[] {
    return this.ctx.store.all(BY_AUTHOR, author.n, this.#since(), OWN).filter((row) => row.kind === kind)
  }

  #similar(print: Print, rows: readonly PrintRow[]): SimilarText[] {
    const texts = rows.map((row) => ({ ...row, share: overlap(subjectSample(wordsIn(row)), print.sample) }))
    return texts.sort((one, other) => other.share - one.share)
  }

  /** The stored texts that share the most bands with a new one. */
  #nearest(kind: number, print: Print): PrintRow[] {
    const shared = new Map<number, number>()
    for (const band of print.bands) {
      for (const { print: n } of this.ctx.store.all(BAND, keyOf(kind, band), PER_BAND))
        shared.set(n, (shared.get(n) ?? 0) + 1)
    }
    const nearest = [...shared].sort(([one, ones], [other, others]) => others - ones || other - one)
    const rows = nearest.slice(0, MAX_CANDIDATES).flatMap(([n]) => this.ctx.store.get(PRINT, n) ?? [])
    return rows.filter(({ at }) => at > this.#since())
  }

  #store(
    tx: Tx,
    { kind, target, shown, author, repeats }: StoredText,
    { bands, words }: Pick<Print, 'bands' | 'words'>,
  ): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
    const row: Insert = [kind, target, shown, author, repeats, JSON.stringify(bands), bytes, this.ctx.clock.now()]
    const n = tx.get(INSERT, ...row)?.n ?? 0
    for (const band of bands) tx.run(INSERT_BAND, keyOf(kind, band), n)
  }

  #remove(tx: Tx, { n, kind, bands }: StoredPrint): void {
    const keys: readonly number[] = JSON.parse(bands)
    for (const band of keys) tx.run(DELETE_BAND, keyOf(kind, band), n)
    tx.run(DELETE, n)
  }
}

const minOverlap = ({ sample }: Print): number => (sample.length < LONG ? MIN_OVERLAP.short : MIN_OVERLAP.long)

/** True if all words of a text are in others that resemble it. */
function isPatchwork(sources: readonly SimilarText[], { sample }: Print): boolean {
  const similar = sources.filter(({ share }) => share >= PATCHWORK.overlap)
  if (sample.length < LONG || similar.length < PATCHWORK.texts) return false
  const words = new Set(similar.flatMap((source) => [...subjectSample(wordsIn(source))]))
  return sample.filter((word) => words.has(word)).length >= PATCHWORK.share * sample.length
}

const keyOf = (kind: number, band: number): number => kind * BAND_KEYS + band

/** The words as they are stored; their bytes may begin anywhere in memory. */
const wordsIn = ({ words }: PrintRow): Uint32Array => new Uint32Array(words.slice().buffer)

/** Compared features of a text. */
interface Print {
  /** Two texts are compared when they have one of these in common. */
  readonly bands: readonly number[]
  /** Its words, in order. */
  readonly words: Uint32Array
  /** Sample of its subject. */
  readonly sample: Uint32Array
  readonly hasQuotation: boolean
  /** True if it is too short to be compared with the texts of others. */
  readonly isShort: boolean
}

const LINK = /https?:\/\/\S+/gi

/** The fingerprint of a text; that of a short one without a link is unlike any by another author. */
function printOf(text: string, title: string | undefined, author: number): Print {
  const compared = comparedWords(text, title)
  const subject = subjectOf(compared)
  const words = sequenceOf(compared)
  const print = { words, sample: subjectSample(words), hasQuotation: hasQuotation(text) }
  if (subject.length >= MIN_WORDS) {
    return { ...print, bands: [...bandsOf(subject), exactBand([...words])], isShort: false }
  }
  const links = text.match(LINK) ?? []
  const parts = compared.length + links.length > 0 ? [...words, ...links] : [hashSecret(text)]
  const isOwn = links.length === 0 || subject.length + links.length < 2
  return { ...print, bands: [exactBand(isOwn ? [`@${author}`, ...parts] : parts)], isShort: true }
}
