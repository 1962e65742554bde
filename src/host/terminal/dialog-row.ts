import { stripFrame } from './input.ts'
import type { Dialog } from './profile.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** The row where the words of a dialog begin, also where they are wrapped; undefined when the screen does not have them. */
export function findDialogRow({ lines }: TerminalScreen, { seen }: Dialog): number | undefined {
  const asTheyStand = seen.exec(lines.join('\n'))
  if (asTheyStand) return rowAt(lines, asTheyStand.index)
  const bare = lines.map((line) => stripFrame(line).trim())
  const flowing = seen.exec(bare.join(' '))
  return flowing ? rowAt(bare, flowing.index) : undefined
}

/** The row of a place in rows that are joined by one character. */
function rowAt(rows: readonly string[], index: number): number {
  let end = -1
  return rows.findIndex((row) => {
    end += row.length + 1
    return index <= end
  })
}
