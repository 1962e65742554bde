/** A row that only draws: a rule, or an edge of a box. */
const RULE = /^[\s▲▼─━═╌┄╭╮╰╯┌┐└┘├┤╹▀▄▁▔_-]+$/
const EDGES = /^[\s│┃║▌▏]+|(?:\s{2,}█)?[\s│┃║▐▕]*$/g
/** The end of a row so long that the next one continues it: nobody writes lines of that length by hand. */
const BROKEN = /([^\n]{960,})\n[^\S\n]*(?=\S)/g
const SENTENCE_END = /[?？](?: \(select all that apply\))?$/

/** The words of a dialog above its options: its question, and what it asks about. */
export interface DialogText {
  prompt: string
  text: string
}

/** Splits the rows of a dialog above its options into its question, which is the first or last row that reads so, and the rest. */
export function readDialogText(
  rows: readonly string[],
  { asksFirst, otherwise }: { asksFirst: boolean; otherwise: string },
): DialogText {
  const bare = rows.map(unframed)
  const asks = (row: string) => SENTENCE_END.test(row.trim())
  const at = asksFirst ? bare.findIndex(asks) : bare.findLastIndex(asks)
  const prompt = at < 0 ? otherwise : (bare[at] ?? '').trim()
  return { prompt, text: unwrapped(dedent(at < 0 ? bare : bare.toSpliced(at, 1))) }
}

/** A line that was broken though there was so much room. */
const unwrapped = (text: string): string =>
  text.replace(BROKEN, (_, row: string) => row + (/\s/.test(row.slice(-200)) ? ' ' : ''))

/** A row without its frame, and with its indentation; nothing of one that only draws. */
function unframed(row: string): string {
  const words = row.replace(EDGES, '')
  return words === '' || RULE.test(words) ? '' : ' '.repeat(row.indexOf(words)) + words
}

/** Rows without the indentation that all share, without blank edges, and with one blank row where there were more. */
function dedent(rows: readonly string[]): string {
  const indents = rows.filter(Boolean).map((row) => row.length - row.trimStart().length)
  const indent = indents.length > 0 ? Math.min(...indents) : 0
  const text = rows.map((row) => row.slice(indent).trimEnd()).join('\n')
  return text.replace(/\n{3,}/g, '\n\n').replace(/^\n+|\n+$/g, '')
}
