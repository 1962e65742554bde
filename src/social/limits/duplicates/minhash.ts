/** So many words of a set stand for all of it. */
const SKETCH = 64
/** How often the least word of a set is drawn, each time in another order: two sets agree as often as they share words. */
const BANDS = 8
const ORDER = 0x9e3779b1
const BAND_KEYS = 2 ** 32

const hash = (word: string): number => Bun.hash.xxHash32(word, 1)

/** The smallest hashes of a set of words, in order: from two of them follows how many words the sets share. */
export const sketchOf = (words: readonly string[]): Uint32Array => Uint32Array.from(words, hash).sort().slice(0, SKETCH)

/** The words that two sets share, as a share of all their words, 0 to 1. */
export function overlap(one: Uint32Array, other: Uint32Array): number {
  const all = [...new Set([...one, ...other])].sort((a, b) => a - b).slice(0, SKETCH)
  const [first, second] = [new Set(one), new Set(other)]
  const shared = all.filter((value) => first.has(value) && second.has(value))
  return all.length === 0 ? 0 : shared.length / all.length
}

/** Broder's min-wise hashes of a set of words, as keys: sets that share half their words have one in common but once in 256. */
export function bandsOf(words: readonly string[]): number[] {
  const hashes = words.map(hash)
  return Array.from({ length: BANDS }, (_, band) => {
    const least = hashes.reduce((min, value) => Math.min(min, reorder(value, band)), BAND_KEYS - 1)
    return band * BAND_KEYS + least
  })
}

/** A hash in the order of a band. */
function reorder(value: number, band: number): number {
  const mixed = Math.imul(value ^ Math.imul(band + 1, ORDER), 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
