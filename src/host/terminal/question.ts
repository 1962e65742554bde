import { createHash } from 'node:crypto'
import type { Question, QuestionKind, QuestionOption } from '../protocol/question.ts'
import { readDialogText } from './dialog-text.ts'
import { findOptions, type OptionList } from './option-list.ts'
import { roleOf } from './option-role.ts'
import type { Dialog, TerminalProfile } from './profile.ts'
import { stateOf } from './program-state.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** What a program asks a person on its screen. */
export interface ScreenQuestion {
  /** The same while it asks the same with the same options, wherever its mark stands and whatever its footer says. */
  id: string
  kind: QuestionKind
  prompt: string
  text: string
  cut: boolean
  options: QuestionOption[]
  /** The option that the program's mark stands at, counted from 0; undefined when there are none. */
  at: number | undefined
  picture: string[]
}

/** What a screen asks; undefined when it asks nothing. */
export function findQuestion(screen: TerminalScreen, profile: TerminalProfile): ScreenQuestion | undefined {
  const state = stateOf(screen, profile, true)
  if (state.is !== 'asking') return undefined
  const { dialog } = state
  const menu = findMenu(screen, dialog)
  const seenAt = rowOf(screen, dialog)
  const top = topOf(screen, profile, menu, seenAt)
  const rows = screen.lines.slice(top, menu?.first)
  const { prompt, text } = readDialogText(rows, {
    asksFirst: profile.asksFirst ?? false,
    otherwise: `It asks a person ${dialog.asks}.`,
  })
  const options = (menu?.labels ?? []).map((label, index) => ({ id: String(index + 1), label, role: roleOf(label) }))
  const cut = screen.lines.slice(top).some((row) => profile.cut?.test(row))
  const identity = JSON.stringify([dialog.kind, prompt, text, options.map(({ label }) => label)])
  const id = `screen-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`
  return { id, kind: dialog.kind, prompt, text, cut, options, at: menu?.at, picture: pictureOf(screen) }
}

/** A question as everybody is given it; `since` is when it came up, RFC 3339. */
export const toQuestion = ({ at: _, ...question }: ScreenQuestion, since: string): Question => ({ ...question, since })

/** The options of a dialog; what stands above it is not of it. */
function findMenu(screen: TerminalScreen, dialog: Dialog): OptionList | undefined {
  const menu = findOptions(screen)
  return menu && menu.row >= rowOf(screen, dialog) ? menu : undefined
}

/** The row where a dialog begins: below the lowest rule above its options, or where its words were seen. */
function topOf(
  { lines }: TerminalScreen,
  { top }: TerminalProfile,
  menu: OptionList | undefined,
  seenAt: number,
): number {
  if (!top || !menu) return seenAt
  const rule = lines.slice(0, menu.first).findLastIndex((row) => top.test(row))
  return rule < 0 ? seenAt : rule + 1
}

/** The row where the words of a dialog begin. */
function rowOf({ lines }: TerminalScreen, { seen }: Dialog): number {
  const text = lines.join('\n')
  return text.slice(0, seen.exec(text)?.index ?? 0).split('\n').length - 1
}

const pictureOf = ({ lines }: TerminalScreen): string[] => lines.slice(0, lines.findLastIndex(Boolean) + 1)
