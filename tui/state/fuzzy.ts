/**
 * Score of a text for typed characters; undefined without a match. The letters of each word must occur in order; those
 * that begin a word, follow each other or stand early count more.
 */
export function matchFuzzy(typed: string, text: string): number | undefined {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const lower = text.toLowerCase()
  let sum = 0
  for (const word of words) {
    const score = matchWord(word, lower)
    if (score === undefined) return undefined
    sum += score
  }
  return sum
}

function matchWord(word: string, text: string): number | undefined {
  const whole = text.indexOf(word)
  if (whole >= 0) return 10 * word.length + (begins(text, whole) ? 5 : 0) - whole / 100
  let score = 0
  let at = -1
  for (const letter of word) {
    const found = text.indexOf(letter, at + 1)
    if (found < 0) return undefined
    score += begins(text, found) ? 4 : found === at + 1 ? 3 : 1
    at = found
  }
  return score - at / 100
}

const begins = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')
