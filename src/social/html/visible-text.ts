/** Control characters and invisible format characters; joiners stay. */
const INVISIBLE = /(?![\n\t])\p{Cc}|(?!\u200c|\u200d|[\u0600-\u0605\u06dd])\p{Cf}/gu
const LINE_BREAKS = /\r\n?|[\u2028\u2029\u0085]/g
/** Many combining marks on one letter would cover the lines around it. */
const STACKED_MARKS = /(\p{M}{6})\p{M}+/gu

/** Text that is safe to display: without invisible characters and stacked marks. */
export const visible = (text: string): string =>
  text.toWellFormed().replace(LINE_BREAKS, '\n').replace(INVISIBLE, '').replace(STACKED_MARKS, '$1')

/** The same in one line. */
export const singleLine = (text: string): string => visible(text).replace(/\s+/g, ' ').trim()

/** The end of a heading, list item or other block that has no punctuation of its own, before the next block. */
const BLOCK_END = /(?<=[\p{L}\p{N})])[*_`~]{0,3}[ \t]*(?=\n[ \t]*(?:\n|#{1,6}[ \t]|>|[-*+][ \t]|```))/gu

/** Removes Markdown syntax; a period ends a block that has no end of its own. */
const withoutMarkdown = (text: string): string =>
  text
    .trim()
    .replace(BLOCK_END, (end) => `${end.trimEnd()}.`)
    .replace(/^[ \t]*(#{1,6}|>|[-*+]|```.*)[ \t]*/gm, '')
    .replace(/\[([^\]]{1,200})\]\([^)\s]{1,500}\)/g, '$1')
    .replace(/\*{1,3}|`+|~~/g, '')

/** The beginning of the text in one line, cut between words if possible. */
export function excerpt(text: string, max: number): string {
  const line = singleLine(withoutMarkdown(text.slice(0, max * 4)))
  if (line.length <= max) return line
  const cut = line.lastIndexOf(' ', max)
  const start = line.slice(0, cut > max / 2 ? cut : max)
  // A surrogate pair is not cut in half.
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`
}
