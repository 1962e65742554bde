import { areasOf, textColumns } from './layout.ts'
import { textWindow } from './scroll.ts'
import { updateView } from './selection.ts'
import { type State, viewOf } from './state.ts'
import { placeOfLine } from './text-lines.ts'

/** Notes that the end of what has to be read has been on the screen; where all is read aloud, it has been said. */
export function markRead(state: State): State {
  if (state.overlay) return state
  const unread = areasOf(state).find(({ location }) => {
    const { toRead, isRead, filter } = viewOf(state, location)
    return toRead !== undefined && !isRead && filter === ''
  })
  if (!unread) return state
  const { lines, toRead } = viewOf(state, unread.location)
  const { first, room } = textWindow(state, unread)
  const end = placeOfLine(lines, toRead ?? lines.length, textColumns(unread))
  return state.isAloud || first + room >= end ? updateView(state, unread.location, { isRead: true }) : state
}
