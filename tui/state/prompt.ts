import type { Location } from '../pages/page.ts'
import { pageOf } from '../pages/pages.ts'
import { begin, notice } from './actions.ts'
import { complete, parseCommand } from './commands.ts'
import type { Step } from './effects.ts'
import { editField, onFormKey } from './fields.ts'
import { scrollHelp } from './help.ts'
import { editLine, lineOf, pasteInto, pasteLines } from './line.ts'
import { focused, open } from './navigation.ts'
import { editPalette, onPaletteKey } from './palette-keys.ts'
import { lookFurther, updateView } from './selection.ts'
import type { Overlay, Prompt, State } from './state.ts'

const MAX_HISTORY = 100

/** A key while something is typed at the bottom. */
export function onPromptKey(state: State, prompt: Prompt, key: string): Step {
  if (key === 'esc') return closePrompt(state, prompt)
  if (key === 'enter') return enterPrompt(state, prompt)
  const next = prompt.kind === 'command' ? onCommandKey(state, prompt, key) : prompt
  const edit = next === prompt ? editLine(prompt.edit, key) : next.edit
  return typeInto(state, { ...next, edit })
}

function typeInto(state: State, prompt: Prompt): Step {
  const typed: State = { ...state, prompt }
  return prompt.kind === 'filter' ? filterBy(typed, focused(typed), prompt.edit.text) : [typed]
}

/** Pasted text goes where something is typed; elsewhere it would be taken for keys, so it is left out. */
export function onPaste(state: State, text: string): Step {
  const { prompt, overlay } = state
  if (prompt) return typeInto(state, { ...prompt, edit: pasteInto(prompt.edit, text) })
  if (overlay?.kind === 'palette') return editPalette(state, overlay, pasteInto(overlay.edit, text))
  if (overlay?.kind === 'form')
    return [editField(state, overlay, (edit, { isLong }) => (isLong ? pasteLines : pasteInto)(edit, text))]
  return [notice(state, 'press : or / first: pasted text is taken where something is typed', true)]
}

/** Completion and history; the prompt itself for a key that is neither. */
function onCommandKey(state: State, prompt: Prompt, key: string): Prompt {
  if (key === 'tab') return { ...prompt, edit: lineOf(complete(state, prompt.edit.text)) }
  if (key !== 'up' && key !== 'down') return prompt
  const back = Math.max(0, Math.min(state.history.length, prompt.back + (key === 'up' ? 1 : -1)))
  return { ...prompt, back, edit: lineOf(state.history[back - 1] ?? '') }
}

function closePrompt(state: State, { kind }: Prompt): Step {
  const next = { ...state, prompt: undefined }
  return kind === 'filter' ? filterBy(next, focused(next), '') : [next]
}

function enterPrompt(state: State, { kind, edit }: Prompt): Step {
  const next: State = { ...state, prompt: undefined }
  if (kind === 'filter' || edit.text.trim() === '') return [next]
  const command = parseCommand(state, edit.text)
  const entered = { ...next, history: [edit.text, ...state.history].slice(0, MAX_HISTORY) }
  switch (command.kind) {
    case 'quit':
      return [entered, { type: 'quit' }]
    case 'help':
      return [{ ...entered, overlay: { kind: 'help', first: 0 } }]
    case 'error':
      return [notice(entered, command.text, true)]
    case 'open':
      return [open(entered, command.location)]
    case 'act':
      return begin(entered, command.chosen, command.words)
  }
}

/** A page that the server searches is read again. */
export function filterBy(state: State, location: Location, filter: string): Step {
  const page = pageOf(location)
  const next = updateView(state, location, { filter, selected: undefined, under: undefined, index: 0 })
  const isSearched = page.kind === 'table' && page.isSearched
  return [next, isSearched ? { type: 'reload', location } : lookFurther(next, location)]
}

/** A key while something lies over the page. Esc always leaves it, and nothing was done. */
export function onOverlayKey(state: State, overlay: Overlay, key: string): Step {
  const closed: State = { ...state, overlay: undefined }
  if (key === 'esc' && overlay.kind !== 'confirm') return [closed]
  if (overlay.kind === 'help') return [scrollHelp(state, overlay.first, key) ?? closed]
  if (overlay.kind === 'palette') return onPaletteKey(state, overlay, key)
  if (overlay.kind === 'form') return onFormKey(state, overlay, key)
  if (overlay.kind === 'wait') return [state]
  if (key === 'y') return [closed, overlay.run]
  return [notice(closed, `${overlay.run.chosen.action.name}: nothing was done`, false)]
}
