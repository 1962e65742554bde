import { stemmer } from 'stemmer'

/** A word of a query. */
export interface Term {
  /** In small letters without marks, as the indexes have it before it is stemmed. */
  readonly word: string
  readonly stem: string
}

/** Maximum terms of a query. */
export const MAX_TERMS = 10
/** Texts have far fewer words than this: the rest of a longer one is not compared. */
const MAX_WORDS = 1_000

/** Words that say little about what a text is about. */
const STOP_WORDS = new Set(
  `a about all also am an and any are as at be because been being but by can could did do does doing for from had has have
   having he her here hers him his how i if in into is it its just me more most my no nor not of off on once only or other
   our ours out over own same she should so some such than that the their theirs them then there these they this those to
   too up us very was we were what when where which while who whom why will with would you your yours anyone anybody
   someone something anything get got best way ways tell know find please`.split(/\s+/),
)

const stems = new Map<string, string>()
const MAX_STEMS = 50_000

/** The stem of a word, as the indexes have it. */
export function stemOf(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= MAX_STEMS) stems.clear()
  const stem = word.length > 2 ? stemmer(word) : word
  stems.set(word, stem)
  return stem
}

/** The words of a text, in small letters and without marks. */
export function wordsOf(text: string): string[] {
  const isPlain = /^[\0-\x7f]*$/.test(text)
  const words = isPlain ? text.toLowerCase().match(/[a-z0-9]+/g) : withoutMarks(text).match(/[\p{L}\p{N}]+/gu)
  return (words ?? []).slice(0, MAX_WORDS)
}

const withoutMarks = (text: string): string =>
  text.toWellFormed().normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The terms of a query: its words that say what it is about, or all when none does; each stem once. */
export function parseTerms(text: string): Term[] {
  const words = wordsOf(text)
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  const terms = (telling.length > 0 ? telling : words).map((word) => ({ word, stem: stemOf(word) }))
  return [...new Map(terms.map((term) => [term.stem, term])).values()].slice(0, MAX_TERMS)
}
