import type { Clock } from '../../../core/clock.ts'
import { type Statement, type Store, stablePlan, type Tx } from '../../../core/store/index.ts'
import { hashSecret, type Limits } from '../../shared/index.ts'
import type { RatedAgent, Standings } from '../standings.ts'
import { bandsOf, overlap, sketchOf } from './minhash.ts'
import type { textPrints } from './table.ts'
import { distinctiveWords } from './words.ts'

type Kind = 'post' | 'comment'
type Author = Pick<RatedAgent, 'n'>
type Columns = typeof textPrints.$inferSelect
type StoredPrint = Pick<Columns, 'n' | 'kind' | 'at'> & { bands: string }
type StoredText = Pick<Columns, 'kind' | 'target' | 'shown' | 'author' | 'repeats'>
type PrintRow = StoredText & StoredPrint & { sketch: Uint8Array }
/** A stored text with the share of words that a new one has in common with it. */
type SimilarText = PrintRow & { readonly share: number }
type Insert = [number, number, number, number, number, string, Uint8Array, number]

/** Why a post or comment is not in the lists of everybody, as it is stored. */
const UNLISTED = { repeat: 1, repeating: 2 } as const

/** Whether a comment is left out of its thread, in the words of the index `comments_unlisted`. */
export const IS_UNLISTED = 'unlisted < 3'

/** How a new text is stored: whether lists leave it out, and what it repeats. */
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

/** The share of words that near duplicates have in common; of few words, more. */
const MIN_OVERLAP = { long: 0.5, short: 0.65 }
const LONG = 16
/** A text is put together from others when so many that share so many of its words have nearly all of them. */
const PATCHWORK = { texts: 4, overlap: 0.2, share: 0.9 }
/** What is as similar as this is stored once. */
const SAME_OVERLAP = 0.9
/** How often an agent may write the same few words before they count as a repeat. */
const SHORT_REPEATS = 2
/** The newest texts of a band that are looked at, and the nearest of all bands. */
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
  oldest: 'SELECT n, kind, bands, at FROM text_prints ORDER BY n LIMIT ?',
}

/**
 * Notices texts that repeat another one of the last days, by the same agent or another. What a comparison costs does not
 * depend on how many texts there are: it looks at the newest that have a band of the fingerprint in common.
 */
export class Duplicates {
  readonly #band: Statement<{ print: number }, [number, number]>
  readonly #print: Statement<PrintRow, [number]>
  readonly #ofTarget: Statement<StoredPrint, [number, number]>
  readonly #oldest: Statement<StoredPrint, [number]>
  readonly #newest: Statement<{ n: number }, []>
  readonly #insert: Statement<{ n: number }, Insert>
  readonly #insertBand: Statement<unknown, [number, number]>
  readonly #delete: Statement<unknown, [number]>
  readonly #deleteBand: Statement<unknown, [number, number]>

  constructor(
    store: Store,
    private readonly clock: Clock,
    private readonly limits: Limits,
    private readonly standings: Standings,
  ) {
    this.#band = store.prepare(stablePlan(DUPLICATE_SQL.band))
    this.#print = store.prepare(
      'SELECT n, kind, target, shown, author, repeats, bands, sketch, at FROM text_prints WHERE n = ?',
    )
    this.#ofTarget = store.prepare(stablePlan(DUPLICATE_SQL.ofTarget))
    this.#oldest = store.prepare(stablePlan(DUPLICATE_SQL.oldest))
    this.#newest = store.prepare('SELECT n FROM text_prints ORDER BY n DESC LIMIT 1')
    this.#insert = store.prepare(
      `INSERT INTO text_prints (kind, target, shown, author, repeats, bands, sketch, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
    )
    this.#insertBand = store.prepare('INSERT INTO text_bands (band, print) VALUES (?, ?)')
    this.#delete = store.prepare('DELETE FROM text_prints WHERE n = ?')
    this.#deleteBand = store.prepare('DELETE FROM text_bands WHERE band = ? AND print = ?')
  }

  /** Compares a new text with those of the last days. */
  compare(kind: Kind, text: string, author: Author): Comparison {
    if (!this.limits.repeats) return LISTED
    const print = printOf(text, author.n)
    const nearest = this.#nearest(KINDS[kind], print)
    const [match] = nearest.filter(({ share }) => share >= minOverlap(print))
    if (match ? isRepeat(match, print, author) : isPatchwork(nearest, print)) {
      return { unlisted: UNLISTED.repeat, repeatOf: nearest[0]?.shown ?? null, print, match }
    }
    return { unlisted: this.standings.isRepeating(author) ? UNLISTED.repeating : null, repeatOf: null, print, match }
  }

  /** Stores a compared text once it has a row number, and counts a repeat against its author. */
  add(tx: Tx, kind: Kind, target: number, author: Author, comparison: Comparison): void {
    const { unlisted, repeatOf, print, match } = comparison
    if (!print) return
    if (unlisted === UNLISTED.repeat) this.standings.countRepeat(tx, author)
    if (match && (print.isShort || overlap(sketchIn(match), print.sketch) >= SAME_OVERLAP)) {
      this.#remove(tx, match)
      this.#store(tx, { ...match, repeats: match.repeats + 1 }, print)
      return
    }
    this.#store(tx, { kind: KINDS[kind], target, shown: repeatOf ?? target, author: author.n, repeats: 0 }, print)
  }

  /** Removes what is stored of a text that its author deleted, so that it can be written again. */
  remove(tx: Tx, kind: Kind, target: number): void {
    for (const print of this.#ofTarget.all(KINDS[kind], target)) this.#remove(tx, print)
  }

  /** Deletes some texts that are older than what is compared; returns whether there may be more. */
  deleteExpired(tx: Tx): boolean {
    const first = (this.#newest.get()?.n ?? 0) - MAX_PRINTS
    const expired = this.#oldest.all(SLICE).filter(({ n, at }) => at <= this.#since() || n <= first)
    for (const print of expired) this.#remove(tx, print)
    return expired.length === SLICE
  }

  /** When the oldest text was written that is compared. */
  #since(): number {
    return this.clock.now() - (this.limits.repeats?.window ?? 0)
  }

  /** The stored texts that share the most bands with a new one, the most similar first. */
  #nearest(kind: number, print: Print): SimilarText[] {
    const shared = new Map<number, number>()
    for (const band of print.bands) {
      for (const { print: n } of this.#band.all(keyOf(kind, band), PER_BAND)) shared.set(n, (shared.get(n) ?? 0) + 1)
    }
    const nearest = [...shared].sort(([one, ones], [other, others]) => others - ones || other - one)
    const rows = nearest.slice(0, MAX_CANDIDATES).flatMap(([n]) => this.#print.get(n) ?? [])
    const texts = rows.map((row) => ({ ...row, share: overlap(sketchIn(row), print.sketch) }))
    return texts.filter(({ at }) => at > this.#since()).sort((one, other) => other.share - one.share)
  }

  #store(tx: Tx, { kind, target, shown, author, repeats }: StoredText, { bands, sketch }: Print): void {
    const bytes = new Uint8Array(sketch.buffer, sketch.byteOffset, sketch.byteLength)
    const row: Insert = [kind, target, shown, author, repeats, JSON.stringify(bands), bytes, this.clock.now()]
    const n = tx.get(this.#insert, ...row)?.n ?? 0
    for (const band of bands) tx.run(this.#insertBand, keyOf(kind, band), n)
  }

  #remove(tx: Tx, { n, kind, bands }: StoredPrint): void {
    const keys: readonly number[] = JSON.parse(bands)
    for (const band of keys) tx.run(this.#deleteBand, keyOf(kind, band), n)
    tx.run(this.#delete, n)
  }
}

const minOverlap = ({ sketch }: Print): number => (sketch.length < LONG ? MIN_OVERLAP.short : MIN_OVERLAP.long)

/** Whether a text repeats one that is near it; of few words, not at once. */
const isRepeat = (match: PrintRow, print: Print, author: Author): boolean =>
  !print.isShort || match.author !== author.n || match.repeats >= SHORT_REPEATS

/** Whether a text is put together from others: it repeats none, but all its words are in those that resemble it. */
function isPatchwork(nearest: readonly SimilarText[], { sketch }: Print): boolean {
  const sources = nearest.filter(({ share }) => share >= PATCHWORK.overlap)
  if (sketch.length < LONG || sources.length < PATCHWORK.texts) return false
  const words = new Set(sources.flatMap((source) => [...sketchIn(source)]))
  return sketch.filter((word) => words.has(word)).length >= PATCHWORK.share * sketch.length
}

const keyOf = (kind: number, band: number): number => kind * BAND_KEYS + band

/** A sketch as it is stored; its bytes may begin anywhere in memory. */
const sketchIn = ({ sketch }: PrintRow): Uint32Array => new Uint32Array(sketch.slice().buffer)

/** What is compared of a text. */
interface Print {
  /** Two texts are compared when they have one of these in common. */
  readonly bands: readonly number[]
  readonly sketch: Uint32Array
  /** Whether it is too short to be compared with the texts of others. */
  readonly isShort: boolean
}

/** With fewer words, many write the same without having copied it. */
const MIN_WORDS = 6
const LINK = /https?:\/\/\S+/gi

/** The fingerprint of a text; that of a short one without a link is unlike any by another author. */
function printOf(text: string, author: number): Print {
  const words = distinctiveWords(text)
  if (words.length >= MIN_WORDS) return { bands: bandsOf(words), sketch: sketchOf(words), isShort: false }
  const links = text.match(LINK) ?? []
  const parts = words.length + links.length > 0 ? [...words, ...links] : [hashSecret(text)]
  const marked = parts.length > 1 && links.length > 0 ? parts : parts.map((part) => `${author} ${part}`)
  return { bands: bandsOf(marked), sketch: sketchOf(marked), isShort: true }
}
