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
  /** The options stand beside one another. */
  isRow: boolean
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
const LEFT_FRAME = /^[\s│┃║▌▏▐▕|]+/
const RIGHT_FRAME = /[\s│┃║▌▏▐▕|]+$/
/** `>` begins quotations, too; it is a mark only before a number. */
const MARK = /^(\s*)(?:[❯›▶➜●]|>(?=\s+\d+[.)]))(?=\s+\S)/
const TICK = /^(\s*)[✔✓](?=\s)/
/** A line across a list. */
const RULE = /^\s*[─━═╌┄]{3,}$/
/** Between a label and what explains it beside it. */
const COLUMNS = / {2,}(?=\S)/
const NUMBER = /^(\d+)[.)](?:\s+|$)/

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
  return { labels, at: above.length, row, first: options[0]?.row ?? row, isRow: false }
}

/** The lowest numbered list that is marked at one option by the colour of its number alone. */
export function findColouredOptions({ lines, cols, colours }: TerminalScreen): OptionList | undefined {
  const first = lines.findLastIndex((line) => optionOf(line)?.number === 1)
  const start = first < 0 ? undefined : optionOf(lines[first] ?? '')
  if (!start || !colours) return undefined
  const options = [{ ...start, row: first }, ...along(lines, first, 1, start)]
  const grounds = options.map(({ column, row }) => colours(column, row).ground)
  const at = grounds.findIndex((ground) => grounds.filter((other) => other === ground).length === 1)
  const row = options[at]?.row
  // Of two that differ, either could be the marked one; what surrounds a list has the colour of the other.
  const isMarked = at >= 0 && (options.length > 2 || grounds[at] !== colours(start.column, first - 1).ground)
  if (row === undefined || options.length < 2) return undefined
  const marked = isMarked ? at : 1 - at
  const labels = options.map((option) => wholeLabel(lines, option, cols))
  return { labels, at: marked, row: options[marked]?.row ?? row, first, isRow: false }
}

const unframed = (line: string): string =>
  line.replace(LEFT_FRAME, (frame) => ' '.repeat(frame.length)).replace(RIGHT_FRAME, '')

/** A row without its mark, and without the tick at what holds now. */
const bare = (line: string): string => unframed(line).replace(MARK, '$1 ').replace(TICK, '$1 ')

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
    const line = lines[row] ?? ''
    const option = RULE.test(unframed(line)) ? undefined : optionOf(line)
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
  return rows.join(' ').replace(COLUMNS, ': ')
}
