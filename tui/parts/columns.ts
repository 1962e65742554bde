import { displayWidth, formatAge, padTo, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Cell, Column } from '../pages/page.ts'

/** The width of each column in so much room; a column that is left out has none. */
export function columnWidths(columns: readonly Column[], room: number): (number | undefined)[] {
  const shown = new Set(columns)
  const needed = () => [...shown].reduce((sum, { width }) => sum + width + 1, -1)
  const leaving = columns.filter(({ leaves }) => leaves !== undefined).sort((a, b) => (b.leaves ?? 0) - (a.leaves ?? 0))
  for (const column of leaving) {
    if (needed() <= room) break
    shown.delete(column)
  }
  const growing = [...shown].filter(({ grows }) => grows)
  const spare = Math.max(0, room - needed())
  const share = Math.floor(spare / Math.max(1, growing.length))
  const extra = (column: Column) => (column === growing[0] ? spare - share * (growing.length - 1) : share)
  return columns.map((column) => {
    if (!shown.has(column)) return undefined
    return growing.includes(column) ? column.width + extra(column) : column.width
  })
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
