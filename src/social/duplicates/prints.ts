import { hashSecret } from '../shared/strings.ts'
import { bandsOf, sketchOf } from './minhash.ts'
import { distinctiveWords } from './words.ts'

/** What is compared of a text. */
export interface Print {
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
export function printOf(text: string, author: number): Print {
  const words = distinctiveWords(text)
  if (words.length >= MIN_WORDS) return { bands: bandsOf(words), sketch: sketchOf(words), isShort: false }
  const links = text.match(LINK) ?? []
  const parts = words.length + links.length > 0 ? [...words, ...links] : [hashSecret(text)]
  const marked = parts.length > 1 && links.length > 0 ? parts : parts.map((part) => `${author} ${part}`)
  return { bands: bandsOf(marked), sketch: sketchOf(marked), isShort: true }
}
