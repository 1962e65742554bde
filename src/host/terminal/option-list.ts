import type { TerminalScreen } from './terminal-host.ts'

/** The options of a dialog as a screen lists them, from the top. */
export interface OptionList {
  labels: string[]
  /** The one that the program's mark stands at. */
  at: number
  /** The row of the mark. */
  row: number
  /** The row of the first option. */
  first: number
}

interface OptionRow {
  column: number
  number?: number
  label: string
}

interface PlacedOption extends OptionRow {
  row: number
}

/** What programs leave free at the right edge, frames included. */
const MARGIN = 6
const FRAME = /[│┃║▌▏▐▕|]/g
/** `>` begins quotations, too; it is a mark only before a number. */
const MARK = /^(\s*)(?:[❯›▶➜●]|>(?=\s+\d+[.)]))(?=\s+\S)/
const NUMBER = /^(\d+)[.)]\s+/

/** The lowest list of options on a screen that has a mark at one of them. */
export function findOptions({ lines, cols }: TerminalScreen): OptionList | undefined {
  const row = lines.findLastIndex((line) => MARK.test(unframed(line)))
  const marked = row < 0 ? undefined : optionOf(lines[row] ?? '')
  if (!marked) return undefined
  const above = marked.number === 1 ? [] : along(lines, row, -1, marked).reverse()
  const options = [...above, { ...marked, row }, ...along(lines, row, 1, marked)]
  const whole = marked.number === undefined ? options.length > 1 : options[0]?.number === 1
  if (!whole) return undefined
  const labels = options.map((option) => wholeLabel(lines, option, cols))
  return { labels, at: above.length, row, first: options[0]?.row ?? row }
}

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
function along(lines: readonly string[], start: number, step: 1 | -1, from: OptionRow): PlacedOption[] {
  const options: PlacedOption[] = []
  for (let row = start + step; row >= 0 && row < lines.length; row += step) {
    const option = optionOf(lines[row] ?? '')
    if (from.number === undefined) {
      if (option?.column !== from.column || option.number !== undefined) break
      options.push({ ...option, row })
    } else if (option?.number === from.number + step * (options.length + 1)) options.push({ ...option, row })
    else if (option && (option.number !== undefined || option.column <= from.column)) break
  }
  return options
}

/** A label with the rows that it goes on in: those that begin below it, each after one that had no room for more. */
function wholeLabel(lines: readonly string[], { label, number, row }: PlacedOption, cols: number): string {
  if (number === undefined) return label
  const start = unframed(lines[row] ?? '').indexOf(label)
  const rows = [label]
  for (let next = row + 1; next < lines.length; next++) {
    const [before, line] = [unframed(lines[next - 1] ?? ''), unframed(lines[next] ?? '')]
    const words = line.trim()
    const isFull = before.length + 1 + (words.split(' ')[0]?.length ?? 0) >= cols - MARGIN
    if (words === '' || line.length - line.trimStart().length !== start || !isFull) break
    rows.push(words)
  }
  return rows.join(' ')
}
