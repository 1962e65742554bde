import type { TerminalScreen } from './terminal-host.ts'

/** The options of a dialog as a screen lists them, from the top. */
export interface OptionList {
  labels: string[]
  /** The one that the program's mark stands at. */
  at: number
  /** The row of the mark. */
  row: number
}

interface OptionRow {
  column: number
  number?: number
  label: string
}

const FRAME = /[│┃║▌▏▐▕|]/g
/** `>` begins quotations, too; it is a mark only before a number. */
const MARK = /^(\s*)(?:[❯›▶➜●]|>(?=\s+\d+[.)]))(?=\s+\S)/
const NUMBER = /^(\d+)[.)]\s+/

/** The lowest list of options on a screen that has a mark at one of them. */
export function findOptions({ lines }: TerminalScreen): OptionList | undefined {
  const row = lines.findLastIndex((line) => MARK.test(unframed(line)))
  const marked = row < 0 ? undefined : optionOf(lines[row] ?? '')
  if (!marked) return undefined
  const before = marked.number === 1 ? [] : along(lines.slice(0, row).reverse(), marked, -1).reverse()
  const options = [...before, marked, ...along(lines.slice(row + 1), marked, 1)]
  const whole = marked.number === undefined ? options.length > 1 : options[0]?.number === 1
  return whole ? { labels: options.map(({ label }) => label), at: before.length, row } : undefined
}

/** A screen without its marks: the same whichever option they stand at. */
export const screenWithoutMarker = ({ lines }: TerminalScreen): string => lines.map(bare).join('\n').trimEnd()

const unframed = (line: string): string => line.replace(FRAME, ' ').trimEnd()

const bare = (line: string): string => unframed(line).replace(MARK, '$1 ')

function optionOf(line: string): OptionRow | undefined {
  const text = bare(line)
  const words = text.trimStart()
  if (words === '') return undefined
  const number = NUMBER.exec(words)
  const column = text.length - words.length
  return number ? { column, number: Number(number[1]), label: words.slice(number[0].length) } : { column, label: words }
}

/** The options that follow one another in a direction. Numbered ones may have explanations between them. */
function along(lines: readonly string[], from: OptionRow, step: 1 | -1): OptionRow[] {
  const rows: OptionRow[] = []
  for (const line of lines) {
    const option = optionOf(line)
    if (from.number === undefined) {
      if (option?.column !== from.column || option.number !== undefined) break
      rows.push(option)
    } else if (option?.number === from.number + step * (rows.length + 1)) rows.push(option)
    else if (option && (option.number !== undefined || option.column <= from.column)) break
  }
  return rows
}
