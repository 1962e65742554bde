import { displayWidth, formatAge, padTo, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Cell, Column, Row } from '../pages/page.ts'

/** So many of the first rows tell how much room columns want, beside those that are visible. */
const SAMPLE = 100

const sampled = new WeakMap<readonly Row[], readonly number[]>()

/** The widest text of each column among the first rows and those that are visible. */
export function contentWidths(columns: readonly Column[], rows: readonly Row[], visible: readonly Row[]): number[] {
  const widest = (some: readonly Row[], at: number) => Math.max(0, ...some.map(({ cells }) => widthOf(cells[at])))
  const known = sampled.get(rows) ?? columns.map((_, at) => widest(rows.slice(0, SAMPLE), at))
  sampled.set(rows, known)
  return columns.map((_, at) => Math.max(known[at] ?? 0, widest(visible, at)))
}

/** Columns of an age. */
const AGE = 4

const widthOf = ({ text = '', since }: Cell = {}): number => (since === undefined ? displayWidth(text) : AGE)

/**
 * The width of each column in so much room, by the widest text in each; a column that is left out has none: where there
 * is no room those that matter least, and those that may leave while they are empty.
 */
export function columnWidths(
  columns: readonly Column[],
  room: number,
  wanted: readonly number[],
): (number | undefined)[] {
  const widths = new Map<Column, number>()
  for (const [at, column] of columns.entries())
    if (column.leaves === undefined || wanted[at] !== 0) widths.set(column, column.width)
  const spare = () => room - [...widths.values()].reduce((sum, width) => sum + width + 1, -1)
  const leaving = [...widths.keys()].filter(({ leaves }) => leaves !== undefined)
  for (const column of leaving.sort((a, b) => (b.leaves ?? 0) - (a.leaves ?? 0))) {
    if (spare() >= 0) break
    widths.delete(column)
  }
  const widening = columns
    .map((column, at) => ({ column, lacks: (wanted[at] ?? 0) - column.width }))
    .filter(({ column, lacks }) => widths.has(column) && (column.grows || column.isName) && lacks > 0)
    .sort((a, b) => a.lacks - b.lacks)
  for (const [at, { column, lacks }] of widening.entries()) {
    const share = Math.floor(Math.max(0, spare()) / (widening.length - at))
    widths.set(column, column.width + Math.min(lacks, share))
  }
  const last = columns.findLast((column) => column.grows && widths.has(column))
  if (last) widths.set(last, (widths.get(last) ?? 0) + Math.max(0, spare()))
  return columns.map((column) => widths.get(column))
}

/** The text of a cell, padded to the width of its column. */
export function cellText({ text, since }: Cell, { isName }: Column, width: number, now: number): string {
  const shown = since === undefined ? sanitizeLine(text ?? '') : formatAge(since, now)
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
