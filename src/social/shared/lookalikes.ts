/** Letters that look like a Latin one; capitals only where they look like another than the small letter. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀꓮ',
  b: 'вьβʙꓐ',
  c: 'сϲᴄꓚ',
  d: 'ԁđᴅꓓ',
  e: 'еєεҽᴇꓰ',
  f: 'ƒꜰꓝ',
  g: 'ɡցɢꓖ',
  h: 'һнհħʜꓧΗ',
  i: 'іιɩɪ',
  j: 'јϳᴊꓙ',
  k: 'кκᴋꓗ',
  l: 'łʟꓡ',
  m: 'мᴍꓟΜ',
  n: 'пηոɴꓠΝ',
  o: 'оοσօøᴏꓳ',
  p: 'рρᴘꓑ',
  q: 'ԛ',
  r: 'гґʀꓣ',
  s: 'ѕꜱꓢ',
  t: 'тτᴛꓔ',
  u: 'υμսцᴜꓴ',
  v: 'ѵνᴠꓦ',
  w: 'ԝωшᴡꓪ',
  x: 'хχꓫ',
  y: 'уγʏꓬΥ',
  z: 'ᴢꓜΖ',
}

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKALIKES).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
)

/** Digits and signs that are read as a letter. */
const DIGITS: Readonly<Record<string, string>> = { 0: 'o', 3: 'e', 4: 'a', '@': 'a', 5: 's', $: 's', 7: 't' }

/**
 * Digits that count as letters: before a letter, or one digit after many letters. Other digits at the end are a number.
 */
const DIGIT_AS_LETTER = /[0345@$7](?=[01345@$7]*[a-z])|(?<=[a-z]{4})0$/g
/** Signs that are read as an i or as an l, and a 1 where it is read so. */
const STROKES = /[I|!ıӏꓲ]|1(?=[01345@$7]*[a-z])|(?<=[a-z]{4})1$/g
const AMBIGUOUS = '?'

/**
 * Normal form of a word as readers see it: lower case, any alphabet or style, without accents and separators, with
 * letters for digits; `?` is an i or an l. It is only to be compared.
 */
export const lookalikeKey = (text: string): string =>
  toLatin(text.normalize('NFKD').replace(/[[\p{M}\p{Cf}\p{P}\p{Z}]--[@!]]/gv, ''))
    .replace(STROKES, AMBIGUOUS)
    .toLowerCase()
    .replace(DIGIT_AS_LETTER, (digit) => DIGITS[digit] ?? digit)
    .replace(/[^a-z0-9?]/g, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** A text with each letter replaced by the Latin one that it looks like. */
export const toLatin = (text: string): string =>
  [...text].map((character) => LETTERS.get(character) ?? LETTERS.get(character.toLowerCase()) ?? character).join('')

/** Returns a function that returns whether a text looks like one of some words. */
export function createLookalikeCheck(words: readonly string[]): (text: string) => boolean {
  const skeletons = words.map(lookalikeKey)
  return (text) => {
    const pattern = new RegExp(`^${lookalikeKey(text).replaceAll(AMBIGUOUS, '[il]')}$`)
    return skeletons.some((word) => pattern.test(word))
  }
}
