import { type Column, type Line, type Row, shownText } from '../../client/views/index.ts'
import { displayWidth, padTo } from '../../src/client/text.ts'
import { wrapLine } from '../state/text-lines.ts'

/** So much room must be left below the rows of a table. */
const MIN_ROOM = 3

interface Room {
  readonly columns: number
  readonly lines: number
}

/** Full texts of a row that its columns cut, if there is room below the rows; else empty. */
export function detailLines(
  columns: readonly Column[],
  widths: readonly (number | undefined)[],
  row: Row | undefined,
  room: Room,
  now: number,
): readonly Line[] {
  if (row === undefined || room.lines < MIN_ROOM) return []
  const cut = columns.flatMap(({ title }, at) => {
    const text = shownText(row.cells[at] ?? {}, now)
    return text !== '' && displayWidth(text) > (widths[at] ?? 0) ? [{ title, text }] : []
  })
  const width = Math.max(0, ...cut.map(({ title }) => displayWidth(title)))
  const lines = cut.flatMap(({ title, text }) =>
    wrapLine({ text: `${padTo(title, width)}  ${text}`, hang: width + 2, tone: 'quiet' }, room.columns - 4),
  )
  return lines.slice(0, room.lines - 1).map((line) => ({ ...line, text: `  ${line.text}` }))
}
