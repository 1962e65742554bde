import { toLatin } from '../../shared/index.ts'

/** The characters of a text that are compared: its beginning and its end. */
const BEGINNING = 4_000
const END = 1_000
const MAX_WORD = 24

const QUOTED_LINES = /^[ \t]*>.*$/gm
const LINKS = /\b(?:https?:\/\/|www\.)\S+|(?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,3}\.[a-z]{2,24}\b(?:\/\S*)?/gi
const MENTIONS = /(?<![\w@])@[\w-]+/g
/** Scripts that are written without spaces: their characters are compared in pairs. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{2,}/gu
const WORD = /[\p{L}\p{N}]+/gu
const IS_ASCII = /^[\t\n\r\x20-\x7e]*$/
/** Digits that stand for a letter inside a word. */
const LEET: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }

/** Words that say nothing about what a text is about. */
const COMMON = new Set(
  `a about after again all also am an and any are as at be because been before being both but by can could did do does
  doing down each even every few for from get go had has have having he her here him his how i if in into is it its just
  like make many me more most much my no nor not now of off on once one only or other our out over own really s same see
  she should so some still such t than that the their them then there these they this those through to too under until up
  us use very was we were what when where which while who why will with would you your`.split(/\s+/),
)

/**
 * The words of a text as near duplicates share them: without letters of other alphabets that look Latin, case, accents,
 * hidden characters, links, mentions, quoted lines, and words that every text has. Each once.
 */
export function distinctiveWords(text: string): string[] {
  const part = text.length <= BEGINNING + END ? text : `${text.slice(0, BEGINNING)} ${text.slice(-END)}`
  const plain = part.replace(QUOTED_LINES, ' ').replace(LINKS, ' ').replace(MENTIONS, ' ')
  const words = (normalizeText(plain).match(WORD) ?? []).map(normalizeWord)
  return [...new Set(words)].filter((word) => !COMMON.has(word))
}

function normalizeText(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase()
  const letters = toLatin(text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '')).toLowerCase()
  return letters.replace(SPACELESS, (run) => pairsOf([...run]).join(' '))
}

const pairsOf = (characters: readonly string[]): string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`)

/** A word without the digits in it that stand for letters; a number is any number. */
function normalizeWord(word: string): string {
  if (/^\p{N}+$/u.test(word)) return '0'
  return word.replace(/[013457]/g, (digit) => LEET[digit] ?? digit).slice(0, MAX_WORD)
}
