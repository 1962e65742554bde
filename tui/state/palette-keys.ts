import { begin, hold } from './actions.ts'
import type { Step } from './effects.ts'
import { editLine } from './line.ts'
import { open } from './navigation.ts'
import { findEntries } from './palette.ts'
import { here, type Overlay, type State } from './state.ts'

type Palette = Overlay & { kind: 'palette' }

/** Opens the palette and asks for what the city has. */
export const openPalette = (state: State): Step =>
  typed({ ...state, overlay: { kind: 'palette', edit: { text: '', caret: 0 }, at: 0, held: hold(state) } }, '')

/** A key in the palette: it edits, moves, or takes what is marked. */
export function onPaletteKey(state: State, palette: Palette, key: string): Step {
  if (key === 'down' || key === 'ctrl+n' || key === 'tab') return [movePalette(state, palette, 1)]
  if (key === 'up' || key === 'ctrl+p' || key === 'shift+tab') return [movePalette(state, palette, -1)]
  if (key === 'enter') return choose(state, palette)
  return editPalette(state, palette, editLine(palette.edit, key))
}

/** Another text is looked for; what was found is marked from the first on. */
export function editPalette(state: State, palette: Palette, edit: Palette['edit']): Step {
  const next: State = { ...state, overlay: { ...palette, edit, at: edit.text === palette.edit.text ? palette.at : 0 } }
  return edit.text === palette.edit.text ? [next] : typed(next, edit.text)
}

export function movePalette(state: State, palette: Palette, by: number): State {
  const last = findEntries(state, palette.edit.text).length - 1
  return { ...state, overlay: { ...palette, at: Math.max(0, Math.min(last, palette.at + by)) } }
}

function choose(state: State, { edit, at }: Palette): Step {
  const closed: State = { ...state, overlay: undefined }
  const entry = findEntries(state, edit.text)[at]
  if (!entry) return [closed]
  return 'open' in entry.does ? [open(closed, entry.does.open)] : begin(closed, entry.does.begin)
}

function typed(state: State, text: string): Step {
  const { city } = here(state)
  return city === '' ? [state] : [state, { type: 'find', city, text }]
}
