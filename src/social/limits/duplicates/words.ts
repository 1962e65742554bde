import { toLatin } from '../../shared/index.ts'

/** The characters of a text that are compared: its beginning and its end. */
const BEGINNING = 4_000
const END = 1_000
const MAX_WORD = 24
/** With fewer distinctive words, many write the same without having copied it. */
export const MIN_WORDS = 6

const QUOTED_LINES = /^[ \t]*>.*$/gm
/** A passage in quotation marks that is long enough to be somebody else's. */
const QUOTATION = /["“”„«»][^"“”„«»]{30,}["“”«»]/u
const LINKS = /\b(?:https?:\/\/|www\.)\S+|(?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,3}\.[a-z]{2,24}\b(?:\/\S*)?/gi
const MENTIONS = /(?<![\w@])@[\w-]+/g
/** Scripts that are written without spaces: their characters are compared in pairs. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{2,}/gu
const WORD = /[\p{L}\p{N}]+/gu
const IS_ASCII = /^[\t\n\r\x20-\x7e]*$/
/** Digits that stand for a letter inside a word. */
const LEET: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }
/** A digit that stands for a letter; where there are several, one digit alone may be one as well. */
const DISGUISED = /\p{L}[013457]\p{L}/u
const MIN_DISGUISED = 3
/** A number, also with a unit; one digit before letters may stand for a letter. */
const NUMBER = /^(?:\p{N}+|\p{N}{2,}\p{L}{1,3}|\p{N}(?:ms|s|h|d|k|m|x|kb|mb|gb|st|nd|rd|th|am|pm|px|pp))$/u

/** Negations that are part of a word, or whose letters look like another word in Latin. */
const NEGATIONS = [
  [/\bcan(?:['’]t|not)\b/gi, 'can not'],
  [/\bwon['’]t\b/gi, 'will not'],
  [/n['’]t\b/gi, ' not'],
  [/(?<!\p{L})(?:не|нет|ни|без|никогда)(?!\p{L})/giu, ' not '],
] as const

const list = (words: string): string[] => words.trim().split(/\s+/)

/** Words that every text has, and those that greet. */
const COMMON = new Set(
  list(`a about after again all also am an and any are as at be because been before being both but by can could did do
  does doing down each even every few for from get go had has have having he her here him his how i if in into is it its
  just like make many me more most much my no nor not now of off on once one only or other our out over own really s same
  see she should so some still such t than that the their them then there these they this those through to too under until
  up us use very was we were what when where which while who why will with would you your hi hey hello dear look new wow breaking attention everybody everyone folks friends please`),
)

/** Words that turn a statement round, or announce another view of it. */
const STANCE = new Set(
  list(`not no nor never none nothing nobody neither without hardly barely zero nicht kein keine keinen keiner nie ohne
  nunca sin tampoco pas jamais sans aucun aucune non mai senza nao sem nem however although instead actually against
  disagree disagreed disagrees doubt doubts false wrong incorrect untrue misleading oppose opposes opposed reject rejected
  deny denied denies refute refuted refutes debunked retract retracted retraction correction corrected corrections erratum
  update updated edit edited caveat counterexample exception`),
)

/** Words of two sides, one of which may take the place of the other. */
const SIDES = new Set(
  list(`up down above below over under before after more less fewer most least all few always sometimes rarely often yes for
  rose rise rises rising risen fell fall falls falling fallen climbed dropped increase increased increases decrease decreased
  decreases grew grows shrank shrinks higher lower high low better worse best worst gain gained gains loss lost won lose win
  faster slower fast slow early late agree agreed agrees true right correct support supports accept accepted pass passed
  passes fail failed fails failing success failure succeeded safe unsafe dangerous good bad recommend possible impossible
  works working broken enable enabled disable disabled open opened closed start started stop stopped keep drop buy sell
  confirm confirmed confirms improved regressed healthy degraded useful useless helpful harmful strong weak cheap expensive
  love hate can must may should will left right in out on off with first last same different`),
)

/** Numbers that are written as words, and days: they change from one report to the next. */
const COUNTED = new Set(
  list(`two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred thousand million half twice
  double third first second monday tuesday wednesday thursday friday saturday sunday january february march april june july
  august september october november december today yesterday tomorrow`),
)

/** Role of a word in a text. */
export type WordKind = 'plain' | 'stance' | 'side' | 'number'

/** A word as texts are compared by. */
export interface ComparedWord {
  readonly word: string
  readonly kind: WordKind
  /** True if it is left out where only the subject of a text counts. */
  readonly isCommon: boolean
}

/**
 * The words of a text in order as copies share them: without letters of other alphabets that look Latin, case, accents,
 * hidden characters, links, mentions and quoted lines. Of the title of a long text only what makes it another text counts.
 */
export function comparedWords(text: string, title = ''): ComparedWord[] {
  const words = wordsOf(text)
  if (title === '') return words
  if (subjectOf(words).length < MIN_WORDS) return [...wordsOf(title), ...words]
  const present = new Set(words.map(({ word }) => word))
  return [...wordsOf(title).filter(({ word, kind }) => isTurning(kind) && !present.has(word)), ...words]
}

const isTurning = (kind: WordKind): boolean => kind === 'stance' || kind === 'number'

function wordsOf(text: string): ComparedWord[] {
  const part = text.length <= BEGINNING + END ? text : `${text.slice(0, BEGINNING)} ${text.slice(-END)}`
  const plain = part.replace(QUOTED_LINES, ' ').replace(LINKS, ' ').replace(MENTIONS, ' ')
  const whole = NEGATIONS.reduce((rest, [pattern, word]) => rest.replace(pattern, word), plain)
  const words = normalizeText(whole).match(WORD) ?? []
  const isDisguised = words.filter((word) => DISGUISED.test(word)).length >= MIN_DISGUISED
  return words.map((word) => compared(word, isDisguised))
}

/** The words that say what a text is about, each once; a number is any number. */
export const distinctiveWords = (text: string): string[] => subjectOf(comparedWords(text))

export const subjectOf = (words: readonly ComparedWord[]): string[] => [
  ...new Set(words.filter(({ isCommon }) => !isCommon).map(({ word, kind }) => (kind === 'number' ? '0' : word))),
]

/** True if a text quotes another one at length. */
export const hasQuotation = (text: string): boolean => QUOTATION.test(text)

function compared(original: string, isDisguised: boolean): ComparedWord {
  if (NUMBER.test(original) && !(isDisguised && original.length === 1))
    return { word: original, kind: 'number', isCommon: false }
  const word = original.replace(/[013457]/g, (digit) => LEET[digit] ?? digit).slice(0, MAX_WORD)
  return { word, kind: kindOf(word), isCommon: COMMON.has(word) }
}

function kindOf(word: string): WordKind {
  if (STANCE.has(word)) return 'stance'
  if (SIDES.has(word)) return 'side'
  return COUNTED.has(word) ? 'number' : 'plain'
}

function normalizeText(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase()
  const letters = toLatin(text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '')).toLowerCase()
  return letters.replace(SPACELESS, (run) => pairsOf([...run]).join(' '))
}

const pairsOf = (characters: readonly string[]): string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`)
