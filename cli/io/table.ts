import { type Colour, cut, pad, paint, plain, widthOf } from '../../src/client/text.ts'
import type { Io } from './io.ts'

/** One column of a table: its head, its cell, and how it gives way when the terminal is narrow. */
export interface Column<Row> {
  head: string
  of(row: Row): string | number | undefined
  colour?(row: Row): Colour | undefined
  /** May be cut to this many columns; without it the cell is always whole. */
  least?: number
}

const GAP = '  '

/** Prints rows under their heads, cut to the terminal's width; without rows, the sentence that says so. */
export function table<Row>(io: Io, rows: readonly Row[], columns: readonly Column<Row>[], none: string): void {
  if (rows.length === 0) {
    io.out(`${none}\n`)
    return
  }
  const cells = rows.map((row) => columns.map((column) => plain(String(column.of(row) ?? ''))))
  const shown = columns.map((column, at) => column.head !== '' && cells.some((row) => row[at] !== ''))
  const widths = fit(
    columns.map((column, at) =>
      shown[at] ? Math.max(widthOf(column.head), ...cells.map((c) => widthOf(c[at] ?? ''))) : 0,
    ),
    columns.map((column) => column.least),
    io.width,
  )
  const write = (texts: readonly string[], colour: (at: number) => Colour | undefined) =>
    io.out(`${row(texts, widths, shown, colour, io)}\n`)
  write(
    columns.map((column) => column.head),
    () => 'dim',
  )
  for (const [at, each] of rows.entries()) write(cells[at] ?? [], (column) => columns[column]?.colour?.(each))
}

function row(
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
    parts.push(paint(pad(cut(text, wide), wide), colour(at), io.colour))
    room -= wide + GAP.length
  }
  return parts.join(GAP).trimEnd()
}

/** Takes what is too much from the widest columns that may give way, one step at a time. */
export function fit(natural: readonly number[], least: readonly (number | undefined)[], room?: number): number[] {
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
export function facts(io: Io, pairs: readonly (readonly [string, string | number | undefined])[]): void {
  const told = pairs.filter(
    (pair): pair is readonly [string, string | number] => pair[1] !== undefined && pair[1] !== '',
  )
  const wide = Math.max(0, ...told.map(([name]) => widthOf(name)))
  for (const [name, value] of told) {
    const text = plain(String(value))
    const room = io.width === undefined ? text : cut(text, Math.max(8, io.width - wide - GAP.length))
    io.out(`${paint(pad(name, wide), 'dim', io.colour)}${GAP}${room}\n`)
  }
}
