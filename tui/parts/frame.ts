import { pageOf } from '../pages/pages.ts'
import { type Area, areasOf } from '../state/layout.ts'
import { focused } from '../state/navigation.ts'
import { type State, viewKey } from '../state/state.ts'
import { drawFooter, drawHeader } from './chrome.ts'
import { drawOverlay } from './overlay.ts'
import { drawBeside, drawBlock } from './span.ts'
import { drawTable } from './table.ts'
import { drawText } from './text-panel.ts'
import type { Theme } from './theme.ts'

/** The whole screen, line by line: where this is, the page or what lies over it, and what can be done. */
export function drawFrame(state: State, theme: Theme): string[] {
  const body = state.overlay ? drawOverlay(state, state.overlay, theme) : drawPanels(state, theme)
  return [drawHeader(state, theme), ...drawBlock(body, state.width, state.height), drawFooter(state, theme)]
}

/** The panels of the page, band by band. */
function drawPanels(state: State, theme: Theme): string[] {
  const bands = Map.groupBy(areasOf(state), ({ y }) => y)
  return [...bands.values()].flatMap((areas) =>
    drawBeside(areas.map((area) => ({ x: area.x, lines: drawPanel(state, area, theme) }))),
  )
}

function drawPanel(state: State, area: Area, theme: Theme): string[] {
  const page = pageOf(area.location)
  const isFocused = viewKey(focused(state)) === viewKey(area.location)
  if (page.kind === 'table') return drawTable(state, page, area, isFocused, theme)
  return page.kind === 'text' ? drawText(state, page, area, theme) : drawBlock([], area.width, area.height)
}
