import type { TerminalScreen } from './terminal-host.ts'

/** An option as a screen lists it. */
export interface ListedOption {
  /** Its number on the screen, else its place in the list, counted from 1; the words of a row that ends a list of boxes. */
  id: string
  label: string
  /** The words below the label that explain it. */
  description?: string
  row: number
  /** True if its box is ticked; undefined where it has none. */
  tick?: boolean | undefined
  /** A text is typed right at it. */
  takesText?: true
  /** List of the choices it takes. */
  list?: FieldList
}

/** The list of a field in a form, as far as the screen shows it. */
export interface FieldList {
  /** Value in the words of the program. */
  value: string
  /** None while it is closed. */
  choices: readonly { label: string; isTaken: boolean }[]
  /** The choice that the mark stands at; -1 while it is closed. */
  at: number
  /** Several of them can be taken. */
  several: boolean
}

/** The options of a dialog as a screen lists them, from the top. */
export interface OptionList {
  options: ListedOption[]
  /** The one that the program's mark stands at. */
  at: number
  /** There are more than it shows. */
  isPart: boolean
}

/** The row of the mark. */
export const markRow = ({ options, at }: OptionList): number => options[at]?.row ?? -1
/** The row of the first option. */
export const firstRow = ({ options }: OptionList): number => options[0]?.row ?? -1

interface OptionRow {
  column: number
  number?: number
  label: string
}

interface PlacedOption extends OptionRow {
  row: number
}

/** Columns that programs leave free at the right edge, including frames. */
const MARGIN = 6
const LEFT_FRAME = /^[\s│┃║▌▏▐▕|]+/
const RIGHT_FRAME = /[\s│┃║▌▏▐▕|]+$/
/** `>` begins quotations as well; it is a mark only before a number. */
const MARK = /^(\s*)(?:[❯›▶➜●]|>(?=\s+\d+[.)]))(?=\s+\S)/
const TICK = /^(\s*)[✔✓](?=\s)/
/** A line across a list. */
const RULE = /^\s*[─━═╌┄]{3,}$/
/** Above a list of which a part is shown. */
const MORE_ABOVE = /^▲$/
const BOX = /^\[(.)\] /
/** Row that ends a list of boxes, if there is one. */
const END_OF_BOXES = /^(?:submit|next|done)$/i
/** Between a label and what explains it beside it. */
const COLUMNS = / {2,}(?=\S)/
const NUMBER = /^(\d+)[.)](?:\s+|$)/

/** The lowest list of options on a screen that has a mark at one of them. */
export function findOptions({ lines, cols }: TerminalScreen): OptionList | undefined {
  const row = lines.findLastIndex((line) => MARK.test(unframed(line)))
  const marked = row < 0 ? undefined : placedOption(lines, row)
  if (!marked) return undefined
  const from = (END_OF_BOXES.test(marked.label) && lastBox(lines, row)) || marked
  const above = from.number === 1 ? [] : along(lines, from.row, -1, from).reverse()
  const options = [...above, from, ...along(lines, from.row, 1, from)]
  const [first] = options
  const isPart = first !== undefined && MORE_ABOVE.test(unframed(lines[first.row - 1] ?? '').trim())
  const isWhole = from.number === undefined ? options.length > 1 : first?.number === 1
  if (!isWhole && !isPart) return undefined
  const listed = withEnd(
    lines,
    options.map((option, index) => listedOption(lines, option, index, cols)),
  )
  return { options: listed, at: listed.findIndex((option) => option.row === row), isPart }
}

/** The lowest numbered list that is marked at one option by the colour of its number alone. */
export function findColouredOptions({ lines, cols, colours }: TerminalScreen): OptionList | undefined {
  const first = lines.findLastIndex((line) => optionOf(line)?.number === 1)
  const start = first < 0 ? undefined : optionOf(lines[first] ?? '')
  if (!start || !colours) return undefined
  const options = [{ ...start, row: first }, ...along(lines, first, 1, start)]
  const grounds = options.map(({ column, row }) => colours(column, row).ground)
  const at = grounds.findIndex((ground) => grounds.filter((other) => other === ground).length === 1)
  if (options.length < 2 || at < 0) return undefined
  // Of two that differ, either could be the marked one; what surrounds a list has the colour of the other.
  const isMarked = at >= 0 && (options.length > 2 || grounds[at] !== colours(start.column, first - 1).ground)
  const listed = options.map((option, index) => listedOption(lines, option, index, cols))
  return { options: listed, at: isMarked ? at : 1 - at, isPart: false }
}

/** The lowest box above a row. */
function lastBox(lines: readonly string[], row: number): PlacedOption | undefined {
  const at = lines.slice(0, row).findLastIndex((line) => BOX.test(optionOf(line)?.label ?? ''))
  const box = at < 0 ? undefined : placedOption(lines, at)
  return box?.number === undefined ? undefined : box
}

/** A list of boxes with the row that ends it. */
function withEnd(lines: readonly string[], options: ListedOption[]): ListedOption[] {
  const box = options.findLast(({ tick }) => tick !== undefined)
  if (!box) return options
  const row = lines.findIndex((line, at) => at > box.row && END_OF_BOXES.test(bare(line).trim()))
  if (row < 0) return options
  const label = bare(lines[row] ?? '').trim()
  return [...options, { id: label, label, row }].sort((a, b) => a.row - b.row)
}

function listedOption(lines: readonly string[], option: PlacedOption, index: number, cols: number): ListedOption {
  const { row, number = index + 1 } = option
  const { words, description } = wholeLabel(lines, option, cols)
  const box = BOX.exec(words)
  const label = words.slice(box?.[0].length ?? 0)
  const described = description === '' ? {} : { description }
  return { id: String(number), label, row, ...described, ...(box && { tick: box[1] !== ' ' }) }
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

function placedOption(lines: readonly string[], row: number): PlacedOption | undefined {
  const option = optionOf(lines[row] ?? '')
  return option && { ...option, row }
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

/**
 * A label with the rows that it continues in: those that begin below it, each after one that had no room for more. The
 * rows that begin there after others explain it.
 */
function wholeLabel(lines: readonly string[], { label, number, row }: PlacedOption, cols: number) {
  if (number === undefined) return { words: label, description: '' }
  const start = unframed(lines[row] ?? '').indexOf(label)
  const rows = [label]
  const explains: string[] = []
  for (let next = row + 1; next < lines.length; next++) {
    const [before, line] = [unframed(lines[next - 1] ?? ''), unframed(lines[next] ?? '')]
    const words = line.trim()
    const isFull = before.length + 1 + (words.split(' ')[0]?.length ?? 0) >= cols - MARGIN
    if (words === '' || END_OF_BOXES.test(words) || line.length - line.trimStart().length !== start) break
    if (isFull && explains.length === 0) rows.push(words)
    else explains.push(words)
  }
  return { words: rows.join(' ').replace(COLUMNS, ': '), description: explains.join(' ') }
}
