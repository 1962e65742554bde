import { pageOf } from '../pages/pages.ts'
import { type Area, areasOf } from '../state/layout.ts'
import { focused } from '../state/navigation.ts'
import { type State, viewKey } from '../state/state.ts'
import { drawFooter, drawHeader } from './chrome.ts'
import type { Line } from './lines.tsx'
import { drawOverlay } from './overlay.ts'
import { drawBeside, drawBlock } from './span.ts'
import { drawTable } from './table.ts'
import { drawText } from './text-panel.ts'
import type { Theme } from './theme.ts'

/** The whole screen, line by line: where this is, the page or what lies over it, and what can be done. */
export function drawFrame(state: State, theme: Theme): Line[] {
  const { width, height } = state
  const whole = (text: string): Line => [{ text, width }]
  const body = state.overlay ? drawOverlay(state, state.overlay, theme) : drawPanels(state, theme)
  const footer = drawFooter(state, theme)
  const room = height + 1 - footer.length
  const missing = Array.from({ length: Math.max(0, room - body.length) }, () => whole(''))
  return [whole(drawHeader(state, theme)), ...body.slice(0, room), ...missing, ...footer.map(whole)]
}

/** The panels of the page, band by band. */
function drawPanels(state: State, theme: Theme): Line[] {
  const bands = Map.groupBy(areasOf(state), ({ y }) => y)
  return [...bands.values()].flatMap((areas) =>
    drawBeside(areas.map((area) => ({ width: area.width, lines: drawPanel(state, area, theme) }))),
  )
}

function drawPanel(state: State, area: Area, theme: Theme): string[] {
  const page = pageOf(area.location)
  const isFocused = viewKey(focused(state)) === viewKey(area.location)
  if (page.kind === 'table') return drawTable(state, page, area, isFocused, theme)
  return page.kind === 'text' ? drawText(state, area, theme) : drawBlock([], area.width, area.height)
}
