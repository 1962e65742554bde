import { type Colour, displayWidth, padTo, paint, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Io } from './io.ts'

/** One column of a table: its head, its cell, and how it gives way when the terminal is narrow. */
export interface Column<Row> {
  header: string
  value(row: Row): string | number | undefined
  colour?(row: Row): Colour | undefined
  /** May be cut to this many columns; without it the cell is always whole. */
  minWidth?: number
}

const GAP = '  '

/** Prints rows under their heads, cut to the terminal's width; without rows, the sentence that says so. */
export function printTable<Row>(io: Io, rows: readonly Row[], columns: readonly Column<Row>[], none: string): void {
  if (rows.length === 0) {
    io.out(`${none}\n`)
    return
  }
  const cells = rows.map((row) => columns.map((column) => sanitizeLine(String(column.value(row) ?? ''))))
  const shown = columns.map((column, at) => column.header !== '' && cells.some((row) => row[at] !== ''))
  const widths = fitWidths(
    columns.map((column, at) =>
      shown[at] ? Math.max(displayWidth(column.header), ...cells.map((c) => displayWidth(c[at] ?? ''))) : 0,
    ),
    columns.map((column) => column.minWidth),
    io.width,
  )
  const write = (texts: readonly string[], colour: (at: number) => Colour | undefined) =>
    io.out(`${formatRow(texts, widths, shown, colour, io)}\n`)
  write(
    columns.map((column) => column.header),
    () => 'dim',
  )
  for (const [at, each] of rows.entries()) write(cells[at] ?? [], (column) => columns[column]?.colour?.(each))
}

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

/** Takes what is too much from the widest columns that may give way, one step at a time. */
export function fitWidths(natural: readonly number[], least: readonly (number | undefined)[], room?: number): number[] {
  const widths = [...natural]
  if (room === undefined) return widths
  const gaps = GAP.length * Math.max(0, natural.filter((width) => width > 0).length - 1)
  for (let over = sum(widths) + gaps - room; over > 0; over--) {
    const widest = widestThatGives(widths, least)
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

function widestThatGives(widths: readonly number[], least: readonly (number | undefined)[]): number | undefined {
  let found: number | undefined
  for (const [at, width] of widths.entries()) {
    const floor = least[at]
    if (floor === undefined || width <= floor) continue
    if (found === undefined || width > (widths[found] ?? 0)) found = at
  }
  return found
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)

/** Prints facts under each other: `name  value`, those without a value left out. */
export function printFields(io: Io, pairs: readonly (readonly [string, string | number | undefined])[]): void {
  const filled = pairs.filter(
    (pair): pair is readonly [string, string | number] => pair[1] !== undefined && pair[1] !== '',
  )
  const wide = Math.max(0, ...filled.map(([name]) => displayWidth(name)))
  for (const [name, value] of filled) {
    const text = sanitizeLine(String(value))
    const room = io.width === undefined ? text : truncate(text, Math.max(8, io.width - wide - GAP.length))
    io.out(`${paint(padTo(name, wide), 'dim', io.colour)}${GAP}${room}\n`)
  }
}
