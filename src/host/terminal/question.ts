import { createHash } from 'node:crypto'
import type { TerminalScreen } from './host.ts'
import { type Menu, menuOf, unmarked } from './menu.ts'
import type { Dialog, TerminalProfile } from './profile.ts'
import { standing } from './standing.ts'

/** What a program asks a person on its screen. */
export interface Question {
  /** Changes when the question does, and not when its mark is moved. */
  id: string
  dialog: Dialog
  /** The options it lists; absent when none can be read. */
  menu?: Menu
}

/** What a screen asks; undefined when it asks nothing. */
export function questionOn(screen: TerminalScreen, manners: TerminalProfile): Question | undefined {
  const stands = standing(screen, manners, true)
  if (stands.is !== 'asking') return undefined
  const { dialog } = stands
  const id = `screen-${createHash('sha256').update(unmarked(screen)).digest('hex').slice(0, 16)}`
  const menu = menuOf(screen)
  return { id, dialog, ...(menu && menu.row >= rowOf(screen, dialog) && { menu }) }
}

/** The row where a dialog begins; what stands above it is not of it. */
function rowOf({ lines }: TerminalScreen, { seen }: Dialog): number {
  const text = lines.join('\n')
  return text.slice(0, seen.exec(text)?.index ?? 0).split('\n').length - 1
}
