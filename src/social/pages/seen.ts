/** Control characters, and what turns the direction of a line, hides in it or carries words nobody sees; joiners stay. */
const UNSEEN = /(?![\n\t])\p{Cc}|(?!\u200c|\u200d|[\u0600-\u0605\u06dd])\p{Cf}/gu
const BREAKS = /\r\n?|[\u2028\u2029\u0085]/g
/** Marks piled on one letter would run over the lines around it. */
const PILES = /(\p{M}{6})\p{M}+/gu

/** A text as a reader may see it: nothing in it hides or reaches beyond its place. */
export const seen = (text: string): string =>
  text.toWellFormed().replace(BREAKS, '\n').replace(UNSEEN, '').replace(PILES, '$1')

/** The same in one line. */
export const seenLine = (text: string): string => seen(text).replace(/\s+/g, ' ').trim()

/** The signs of Markdown, without which its words are read more easily in one line. */
const unmarked = (text: string): string =>
  text
    .replace(/^[ \t]*(#{1,6}|>|[-*+]|```.*)[ \t]*/gm, '')
    .replace(/\[([^\]]{1,200})\]\([^)\s]{1,500}\)/g, '$1')
    .replace(/\*{1,3}|`+|~~/g, '')

/** The beginning of a text in one line, cut between words where it can be. */
export function excerpt(text: string, most: number): string {
  const line = seenLine(unmarked(text.slice(0, most * 4)))
  if (line.length <= most) return line
  const cut = line.lastIndexOf(' ', most)
  const some = line.slice(0, cut > most / 2 ? cut : most)
  // Half of a character is none.
  return `${some.isWellFormed() ? some : some.slice(0, -1)}…`
}
