import { type Cell, type Column, type Row, shortTime } from '../../client/views/index.ts'
import { displayWidth, padTo, sanitizeLine, truncate } from '../../src/client/text.ts'

/** So many of the first rows tell how much room columns want, beside those that are visible. */
const SAMPLE = 100

const sampled = new WeakMap<readonly Row[], readonly number[]>()

/** The widest text of each column among the first rows and those that are visible. */
export function contentWidths(
  columns: readonly Column[],
  rows: readonly Row[],
  visible: readonly Row[],
  now: number,
): number[] {
  const widest = (some: readonly Row[], at: number) => Math.max(0, ...some.map(({ cells }) => widthOf(cells[at], now)))
  const known = sampled.get(rows) ?? columns.map((_, at) => widest(rows.slice(0, SAMPLE), at))
  sampled.set(rows, known)
  return columns.map((_, at) => Math.max(known[at] ?? 0, widest(visible, at)))
}

/** Columns of an age. */
const AGE = 4

/** Local midnight, which changes how a time is shown, is at the end of a quarter of an hour. */
const QUARTER_MS = 900_000

const measured = new WeakMap<Cell, { readonly quarter: number; readonly width: number }>()

/** The width of what a cell says; measured once, since most cells stay while others come. */
function widthOf(cell: Cell | undefined, now: number): number {
  if (!cell) return 0
  const quarter = Math.floor(now / QUARTER_MS)
  const known = measured.get(cell)
  if (known?.quarter === quarter) return known.width
  const width = measure(cell, now)
  measured.set(cell, { quarter, width })
  return width
}

function measure({ text = '', since, at, part }: Cell, now: number): number {
  if (since !== undefined) return since === '' ? 0 : AGE
  const bar = part === undefined ? 0 : PROGRESS + 1
  return bar + displayWidth(at === undefined ? sanitizeLine(text) : shortTime(at, now))
}

/** Columns before the cells of a row. */
export const GUTTER = 2

/** Columns of a progress bar. */
export const PROGRESS = 8

/**
 * The width of each column in so much room, by the widest text in each: its own where all of them have room, less where
 * others need it. A column that is left out has none: where there is no room those that matter least, and those that may
 * leave while they are empty. Room that no text needs stays free at the end, so that the cells of a row stand together;
 * while a text is cut, there is none.
 */
export function columnWidths(
  columns: readonly Column[],
  room: number,
  wanted: readonly number[],
): (number | undefined)[] {
  const needs = new Map(columns.map((column, at) => [column, wanted[at] ?? 0]))
  const needOf = (column: Column) => needs.get(column) ?? 0
  const kept = withoutYielding(
    columns.filter((column) => column.leaves === undefined || needOf(column) !== 0),
    room,
    needOf,
  )
  const widths = new Map(kept.map((column) => [column, column.width]))
  const spare = () => room - [...widths.values()].reduce((sum, width) => sum + width + 1, -1)
  const lacks = () => kept.reduce((sum, column) => sum + Math.max(0, needOf(column) - column.width), 0)
  if (spare() < lacks()) for (const column of kept) widths.set(column, leastWidth(column, needOf(column)))
  for (const column of inOrderOfLeaving(kept)) {
    if (spare() >= 0) break
    widths.delete(column)
  }
  for (const [column, width] of [...widths].sort(([, a], [, b]) => b - a))
    if (column.isName) widths.set(column, Math.max(Math.min(width, MIN_NAME), width + Math.min(0, spare())))
  widen(widths, spare(), needOf)
  widen(widths, spare(), (column) => inSteps(needOf(column), column))
  return columns.map((column) => widths.get(column))
}

/** The columns without those that yield, as far as texts of others need their room. */
function withoutYielding(columns: readonly Column[], room: number, needOf: (column: Column) => number): Column[] {
  const widthOf = (column: Column) => {
    const need = column.grows ? Math.min(needOf(column), MAX_YIELDED) : needOf(column)
    return Math.max(displayWidth(column.title), need)
  }
  const kept = new Set(columns)
  const isShort = () => [...kept].reduce((sum, column) => sum + widthOf(column) + 1, -1) > room
  for (const column of inOrderOfLeaving(columns)) if (column.yields && isShort()) kept.delete(column)
  return [...kept]
}

/** No column yields to more of a text than this: long texts are cut in any case. */
const MAX_YIELDED = 60

/** The columns that may be left out, those that matter least first. */
const inOrderOfLeaving = (columns: readonly Column[]): Column[] =>
  columns.filter(({ leaves }) => leaves !== undefined).sort((a, b) => (b.leaves ?? 0) - (a.leaves ?? 0))

/** Gives room to the columns that lack some: all that they lack, or equal parts of it. */
function widen(widths: Map<Column, number>, spare: number, wantedOf: (column: Column) => number): void {
  const widening = [...widths]
    .map(([column, width]) => ({ column, width, lacks: wantedOf(column) - width }))
    .filter(({ lacks }) => lacks > 0)
    .sort((a, b) => a.lacks - b.lacks)
  let left = Math.max(0, spare)
  for (const [at, { column, width, lacks }] of widening.entries()) {
    const share = Math.min(lacks, Math.floor(left / (widening.length - at)))
    widths.set(column, width + share)
    left -= share
  }
}

/** Names are shortened to this where there is no room for what may not be left out. */
const MIN_NAME = 8

/** Minimum width of a column for its texts and title, if less than its current width. */
const leastWidth = ({ title, width }: Column, need: number): number =>
  Math.min(width, Math.max(need, displayWidth(title)))

/** Columns that grow do so in steps: what stands after them does not move with every other text. */
const inSteps = (width: number, { grows }: Column): number => (grows ? Math.ceil(width / STEP) * STEP : width)

const STEP = 8

/** Text of a cell, padded to the width of its column. */
export function cellText(shown: string, { isName }: Column, width: number): string {
  return padTo(isName ? shortenName(shown, width) : truncate(shown, width), width)
}

/** Shortens a name in its middle: both of its ends tell something. */
export function shortenName(name: string, width: number): string {
  if (displayWidth(name) <= width || width < 5) return truncate(name, width)
  const characters = [...name]
  const tail = Math.floor((width - 1) / 2)
  let end = ''
  for (const character of characters.reverse()) {
    if (displayWidth(character + end) > tail) break
    end = character + end
  }
  return `${truncate(name, width - displayWidth(end))}${end}`
}
