import { pageOf } from '../pages/pages.ts'
import type { MouseAction } from '../terminal/input.ts'
import type { Step } from './effects.ts'
import { tabsOf } from './header.ts'
import { moveHelp } from './help.ts'
import { areaAt, rowAt } from './layout.ts'
import { focused, openSelected, switchTo } from './navigation.ts'
import { movePalette } from './palette-keys.ts'
import { scrollText } from './scroll.ts'
import { moreOf, moveSelection, selectedIndex } from './selection.ts'
import { here, type State, viewKey } from './state.ts'

/** Rows or lines that one turn of the wheel moves. */
const WHEEL = 3

/** A click selects, and opens what is selected already; the wheel moves what it is over. */
export function onMouse(state: State, action: MouseAction, x: number, y: number): Step {
  const by = action === 'wheel-up' ? -1 : 1
  if (state.overlay?.kind === 'palette' && action !== 'press') return [movePalette(state, state.overlay, by)]
  if (state.overlay?.kind === 'help' && action !== 'press') {
    return [moveHelp(state, state.overlay.first + by * WHEEL)]
  }
  if (state.prompt || state.overlay) return [state]
  if (y === 0 && action === 'press') return [clickHeader(state, x)]
  const area = areaAt(state, x, y)
  if (!area) return [state]
  const { location } = area
  const hadFocus = viewKey(focused(state)) === viewKey(location)
  const next: State = pageOf(here(state)).kind === 'overview' ? { ...state, focus: location.page } : state
  const isText = pageOf(location).kind === 'text'
  if (action !== 'press') {
    const moved = isText ? scrollText(next, location, by * WHEEL) : moveSelection(next, location, by * WHEEL)
    return [moved, by > 0 ? moreOf(moved, location) : undefined]
  }
  const row = isText ? undefined : rowAt(state, area, y)
  if (row === undefined) return [next]
  const away = row - selectedIndex(state, location)
  return [hadFocus && away === 0 ? openSelected(next, location) : moveSelection(next, location, away)]
}

function clickHeader(state: State, x: number): State {
  const tab = tabsOf(state).find((each) => x >= each.x && x < each.x + each.width)
  return tab ? switchTo(state, tab.city) : state
}
