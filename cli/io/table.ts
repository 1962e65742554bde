import { type Colour, displayWidth, padTo, paint, sanitizeLine, truncate } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'
import type { Io } from './io.ts'

/** One column of a table: its header, its value, and how far it shrinks on a narrow terminal. */
export interface Column<Row> {
  header: string
  value(row: Row): string | number | undefined
  colour?(row: Row): Colour | undefined
  /** May be truncated to this many columns; without it the cell is never truncated. */
  minWidth?: number
  /** Never truncated: where the table has no room for it, it stands below its row, after these characters. */
  below?: string
}

const GAP = '  '
const INDENT = 2

/** Prints rows below a header, truncated to the terminal's width; without rows, the sentence `empty`. */
export function printTable<Row>(io: Io, rows: readonly Row[], columns: readonly Column<Row>[], empty: string): void {
  if (rows.length === 0) {
    io.out(`${empty}\n`)
    return
  }
  const cells = rows.map((row) => columns.map((column) => sanitizeLine(String(column.value(row) ?? ''))))
  const filled = columns.map((column, at) => column.header !== '' && cells.some((row) => row[at] !== ''))
  const natural = columns.map((column, at) =>
    filled[at] ? Math.max(displayWidth(column.header), ...cells.map((c) => displayWidth(c[at] ?? ''))) : 0,
  )
  const hasRoom = io.width === undefined || sum(natural) + gapsOf(natural) <= io.width
  const shown = columns.map(({ below }, at) => filled[at] === true && (hasRoom || below === undefined))
  const widths = fitWidths(
    natural.map((width, at) => (shown[at] ? width : 0)),
    columns.map((column) => column.minWidth),
    io.width,
  )
  const write = (texts: readonly string[], colour: (at: number) => Colour | undefined) =>
    io.out(`${formatRow(texts, widths, shown, colour, io)}\n`)
  write(
    columns.map((column) => column.header),
    () => 'dim',
  )
  for (const [at, each] of rows.entries()) {
    const texts = cells[at] ?? []
    write(texts, (column) => columns[column]?.colour?.(each))
    for (const [column, { below }] of columns.entries())
      if (below !== undefined && !shown[column] && texts[column]) io.out(belowRow(`${below}${texts[column]}`, io))
  }
}

/** A text on lines of its own. */
const belowRow = (text: string, { width = 80 }: Io): string =>
  wrap(' '.repeat(INDENT) + text, width, INDENT)
    .map((line) => `${line}\n`)
    .join('')

function formatRow(
  texts: readonly string[],
  widths: readonly number[],
  shown: readonly boolean[],
  colour: (at: number) => Colour | undefined,
  io: Io,
): string {
  const parts: string[] = []
  let room = io.width ?? Number.POSITIVE_INFINITY
  for (const [at, text] of texts.entries()) {
    if (!shown[at] || room <= 0) continue
    const wide = Math.min(widths[at] ?? 0, room)
    parts.push(paint(padTo(truncate(text, wide), wide), colour(at), io.colour))
    room -= wide + GAP.length
  }
  return parts.join(GAP).trimEnd()
}

/** Narrows the widest columns that may shrink, one step at a time, until the row fits. */
export function fitWidths(
  natural: readonly number[],
  minWidths: readonly (number | undefined)[],
  room?: number,
): number[] {
  const widths = [...natural]
  if (room === undefined) return widths
  for (let over = sum(widths) + gapsOf(natural) - room; over > 0; over--) {
    const index = widestShrinkable(widths, minWidths)
    if (index === undefined) break
    widths[index] = (widths[index] ?? 0) - 1
  }
  return widths
}

/** The columns between those that have something in them. */
const gapsOf = (widths: readonly number[]): number =>
  GAP.length * Math.max(0, widths.filter((width) => width > 0).length - 1)

function widestShrinkable(widths: readonly number[], minWidths: readonly (number | undefined)[]): number | undefined {
  let widest: number | undefined
  for (const [at, width] of widths.entries()) {
    const minWidth = minWidths[at]
    if (minWidth === undefined || width <= minWidth) continue
    if (widest === undefined || width > (widths[widest] ?? 0)) widest = at
  }
  return widest
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)

/** Prints fields below each other: `name value`, which continues below itself; leaves out those without a value. */
export function printFields(io: Io, pairs: readonly (readonly [string, string | number | undefined])[]): void {
  const filled = pairs.filter(
    (pair): pair is readonly [string, string | number] => pair[1] !== undefined && pair[1] !== '',
  )
  const wide = Math.max(0, ...filled.map(([name]) => displayWidth(name)))
  for (const [name, value] of filled) {
    const text = sanitizeLine(String(value))
    const indent = ' '.repeat(wide + GAP.length)
    const [first = '', ...more] = io.width === undefined ? [text] : wrap(text, Math.max(8, io.width - indent.length), 0)
    io.out(`${paint(padTo(name, wide), 'dim', io.colour)}${GAP}${first}\n`)
    for (const line of more) io.out(`${indent}${line}\n`)
  }
}
