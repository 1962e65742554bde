import type { ComparedWord, WordKind } from './words.ts'

/** The subject of a text: a sorted sample of the hashes of its words. */
const SAMPLE = 64
/** Number of draws of the least word of a set, each in another order: two sets agree as often as they share words. */
const BANDS = 8
const ORDER = 0x9e3779b1
const BAND_KEYS = 2 ** 32

const hash = (word: string): number => Bun.hash.xxHash32(word, 1)

/** A word as it is stored: a hash, whose lowest bits say what it does in the text. */
const FLAGS = 0b111
const KIND_BITS: Readonly<Record<WordKind, number>> = { plain: 0b000, stance: 0b010, number: 0b100, side: 0b110 }
const KIND_MASK = 0b110
const COMMON_BIT = 0b001
const ANY_NUMBER = (hash('0') & ~FLAGS) | KIND_BITS.number

/** The hashes of the words of a text, in order. */
export const sequenceOf = (words: readonly ComparedWord[]): Uint32Array =>
  Uint32Array.from(words, ({ word, kind, isCommon }) => (hash(word) & ~FLAGS) | KIND_BITS[kind] | (isCommon ? 1 : 0))

const isNumber = (word: number): boolean => (word & KIND_MASK) === KIND_BITS.number
const isCommon = (word: number): boolean => (word & COMMON_BIT) !== 0
const NEGATIONS: ReadonlySet<number> = new Set(['not', 'no', 'never', 'nicht', 'kein'].map((word) => hash(word) >>> 3))
/** Number of negations in a text. */
export const negations = (sequence: Uint32Array): number => sequence.filter((word) => NEGATIONS.has(word >>> 3)).length

const isSide = (word: number): boolean => (word & KIND_MASK) === KIND_BITS.side
const isTurning = (word: number): boolean => isNumber(word) || (word & KIND_MASK) === KIND_BITS.stance

/** Subject of a text, as a sample of its words: two samples give the number of shared words. */
export function subjectSample(sequence: Uint32Array): Uint32Array {
  const words = new Set<number>()
  for (const word of sequence) if (!isCommon(word)) words.add(isNumber(word) ? ANY_NUMBER >>> 0 : word)
  return Uint32Array.from(words).sort().slice(0, SAMPLE)
}

/** The words that two texts share, as a share of all their words, 0 to 1. */
export function overlap(one: Uint32Array, other: Uint32Array): number {
  let [i, j, all, shared] = [0, 0, 0, 0]
  for (; all < SAMPLE && (i < one.length || j < other.length); all++) {
    const [a = BAND_KEYS, b = BAND_KEYS] = [one[i], other[j]]
    if (a === b) shared++
    if (a <= b) i++
    if (b <= a) j++
  }
  return all === 0 ? 0 : shared / all
}

/** Broder's min-wise hashes of a set of words, as keys: sets that share half their words have one in common but once in 256. */
export function bandsOf(words: readonly string[]): number[] {
  const hashes = words.map(hash)
  return Array.from({ length: BANDS }, (_, band) => {
    const least = hashes.reduce((min, value) => Math.min(min, reorder(value, band)), BAND_KEYS - 1)
    return band * BAND_KEYS + least
  })
}

/** The key of a text that only a text of the same words in the same order has. */
export const exactBand = (parts: readonly (string | number)[]): number => BANDS * BAND_KEYS + hash(parts.join(' '))

/** A hash in the order of a band. */
function reorder(value: number, band: number): number {
  const mixed = Math.imul(value ^ Math.imul(band + 1, ORDER), 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

const SHINGLE = 3
/** The part of each of two copies that the other one has in the same order. */
const MIN_SHARED = 0.75
/** Words that one copy has added: some, or a share of its words. */
const ADDED = { words: 2, share: 0.08 }
/** One word in so many may be replaced by another, or stand elsewhere. */
const WORDS_PER_REPLACEMENT = 100

/**
 * True if a text is a copy or near-copy of another: runs of three words cover nearly all of both, and what they do not
 * cover differs in no number, no negation and no word for one of two sides, and in hardly any other word. A text that
 * quotes at length is a copy only if nothing differs.
 */
export function isCopy(one: Uint32Array, other: Uint32Array, isStrict: boolean): boolean {
  const [first, second] = [shinglesOf(one), shinglesOf(other)]
  const [ones, others] = [uncovered(one, second), uncovered(other, first)]
  if (ones.length > one.length * (1 - MIN_SHARED) || others.length > other.length * (1 - MIN_SHARED)) return false
  if (ones.filter(isTurning).join() !== others.filter(isTurning).join()) return false
  const [left, right] = [without(ones, others), without(others, ones)]
  if (left.some(isSide) && right.some(isSide)) return false
  const [more = 0, replaced = 0] = [newWords(ones, other), newWords(others, one)].sort((a, b) => b - a)
  const moved = movedWords(ones, others)
  const length = Math.min(one.length, other.length)
  if (isStrict) return more + moved === 0
  return (
    Math.max(replaced, moved) <= Math.floor(length / WORDS_PER_REPLACEMENT) &&
    more <= Math.max(ADDED.words, ADDED.share * length)
  )
}

const shinglesOf = (sequence: Uint32Array): Set<number> => {
  const shingles = new Set<number>()
  for (let at = 0; at + SHINGLE <= sequence.length; at++) shingles.add(shingleAt(sequence, at))
  return shingles
}

function shingleAt(sequence: Uint32Array, at: number): number {
  let key = 0
  for (let index = at; index < at + SHINGLE; index++)
    key = Math.imul(key ^ (sequence[index] ?? 0), ORDER) ^ (key >>> 15)
  return key >>> 0
}

/** The words of a text that no run of three words, which the other has as well, covers. */
function uncovered(sequence: Uint32Array, shingles: ReadonlySet<number>): number[] {
  const words: number[] = []
  let coveredUntil = 0
  for (let at = 0; at < sequence.length; at++) {
    if (at + SHINGLE <= sequence.length && shingles.has(shingleAt(sequence, at))) coveredUntil = at + SHINGLE
    if (at >= coveredUntil) words.push(sequence[at] ?? 0)
  }
  return words
}

/** Words without others, each of which takes one away. */
function without(words: readonly number[], others: readonly number[]): number[] {
  const rest = [...others]
  return words.filter((word) => {
    const at = rest.indexOf(word)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

/** Number of words that both have are in another order. */
function movedWords(ones: readonly number[], others: readonly number[]): number {
  const first = ones.filter((word) => !isCommon(word) && others.includes(word))
  const second = others.filter((word) => !isCommon(word) && ones.includes(word))
  return first.join() === second.join() ? 0 : first.length
}

/** Number of meaningful words that the other text lacks. */
function newWords(words: readonly number[], other: Uint32Array): number {
  const present = new Set(other)
  return new Set(words.filter((word) => !isCommon(word) && !present.has(word))).size
}
