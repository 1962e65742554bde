import type { Area } from '../state/layout.ts'
import { textWindow } from '../state/scroll.ts'
import type { State } from '../state/state.ts'
import { drawBlock } from './span.ts'
import { drawLines } from './text-lines.ts'
import type { Theme } from './theme.ts'

/** A text, from the line it is scrolled to. */
export function drawText(state: State, area: Area, theme: Theme): string[] {
  const { head, lines, first, room } = textWindow(state, area)
  const shown = [...head, ...lines.slice(first, first + room)]
  return drawBlock(drawLines(shown, area.width, theme), area.width, area.height)
}
