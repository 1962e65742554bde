import { createHash } from 'node:crypto'
import { findOptions, type OptionList, screenWithoutMarker } from './option-list.ts'
import type { Dialog, TerminalProfile } from './profile.ts'
import { stateOf } from './program-state.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** What a program asks a person on its screen. */
export interface Question {
  /** Changes when the question does, and not when its mark is moved. */
  id: string
  dialog: Dialog
  /** The options it lists; absent when none can be read. */
  options?: OptionList
}

/** What a screen asks; undefined when it asks nothing. */
export function findQuestion(screen: TerminalScreen, profile: TerminalProfile): Question | undefined {
  const state = stateOf(screen, profile, true)
  if (state.is !== 'asking') return undefined
  const { dialog } = state
  const id = `screen-${createHash('sha256').update(screenWithoutMarker(screen)).digest('hex').slice(0, 16)}`
  const menu = findOptions(screen)
  return { id, dialog, ...(menu && menu.row >= rowOf(screen, dialog) && { options: menu }) }
}

/** The row where a dialog begins; what stands above it is not of it. */
function rowOf({ lines }: TerminalScreen, { seen }: Dialog): number {
  const text = lines.join('\n')
  return text.slice(0, seen.exec(text)?.index ?? 0).split('\n').length - 1
}
