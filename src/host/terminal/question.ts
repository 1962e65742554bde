import { createHash } from 'node:crypto'
import type { Question, QuestionKind, QuestionOption } from '../protocol/question.ts'
import { findButtons } from './buttons.ts'
import { readDialogText } from './dialog-text.ts'
import { findColouredOptions, findOptions, type OptionList } from './option-list.ts'
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
  /** The options stand beside one another. */
  isRow: boolean
  /** The keys of its options, which no mark stands at then. */
  keys?: readonly string[]
  picture: string[]
}

/** Kinds of questions that may be longer than a screen. */
const MAY_BE_LONG: ReadonlySet<QuestionKind> = new Set(['approval', 'choice', 'plan'])

/** Before what a person ticks in a list, and submits elsewhere: that takes a person at the terminal. */
const TICK_BOX = /^\[.?\] /
/** A row in place of others. */
const OMISSION = /\d+ (?:more )?lines?\b/
const squeeze = (text: string): string => text.replace(/\s+/g, '')

/** What a screen asks; undefined when it asks nothing. */
export function findQuestion(screen: TerminalScreen, profile: TerminalProfile): ScreenQuestion | undefined {
  const state = stateOf(screen, profile, true)
  if (state.is !== 'asking') return undefined
  const { dialog, row: seenAt } = state
  const menu = findMenu(screen, seenAt)
  const top = topOf(screen, profile, dialog, menu, seenAt)
  const isCutAbove = top === undefined && MAY_BE_LONG.has(dialog.kind)
  const ticks = menu?.labels.some((label) => TICK_BOX.test(label)) ?? false
  const { prompt, text } = readDialogText(
    screen.lines.slice(top ?? (isCutAbove ? 0 : seenAt), ticks ? undefined : menu?.first),
    {
      asksFirst: profile.asksFirst ?? false,
      otherwise: `It asks a person ${dialog.asks}.`,
    },
  )
  const keys = menu ? undefined : dialog.keys
  const labels = ticks ? [] : (menu?.labels ?? keys?.map(({ label }) => label) ?? [])
  const options = labels.map((label, index) => toOption(label, index, profile))
  const cut = isCutAbove || screen.lines.slice(top).some((row) => profile.cut?.test(row))
  const identity = JSON.stringify([dialog.kind, prompt, text, options.map(({ label }) => label)])
  const id = `screen-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`
  const mark = { at: menu?.at, isRow: menu?.isRow ?? false, ...(keys && { keys: keys.map((each) => each.keys) }) }
  return { id, kind: dialog.kind, prompt, text, cut, options, ...mark, picture: pictureOf(screen) }
}

function toOption(label: string, index: number, { texts }: TerminalProfile): QuestionOption {
  const text = texts?.find((each) => each.label.test(label))?.text
  return { id: String(index + 1), label, role: roleOf(label), ...(text && { text }) }
}

/** A question as everybody is given it; `since` is when it came up, RFC 3339. */
export const toQuestion = ({ at: _, isRow: __, keys: ___, ...question }: ScreenQuestion, since: string): Question => ({
  ...question,
  since,
})

/** Whether a question of which only a part is shown may be this one: it has the same options, and nothing else in its text. */
export function isPartOf(part: ScreenQuestion, whole: ScreenQuestion): boolean {
  if (!part.cut || !isSameQuestion({ ...part, text: whole.text }, whole)) return false
  const text = squeeze(whole.text)
  return part.text.split('\n').every((row) => text.includes(squeeze(row)) || OMISSION.test(row))
}

/** Whether both ask the same. Where the mark stands, and where it was before, an option may have other words. */
export function isSameQuestion(a: ScreenQuestion, b: ScreenQuestion): boolean {
  if (a.kind !== b.kind || a.prompt !== b.prompt || a.text !== b.text) return false
  if (a.options.length !== b.options.length) return false
  return a.options.filter(({ label }, index) => label !== b.options[index]?.label).length <= 2
}

/** The options of a dialog, which has begun at this row: those with a mark, else the lowest that have a colour for it. */
function findMenu(screen: TerminalScreen, from: number): OptionList | undefined {
  const isOfDialog = (list: OptionList | undefined) => list !== undefined && list.row >= from
  const coloured = [findButtons(screen), findColouredOptions(screen)].filter(isOfDialog)
  const marked = findOptions(screen)
  return isOfDialog(marked) ? marked : coloured.toSorted((a, b) => (b?.row ?? 0) - (a?.row ?? 0))[0]
}

/**
 * The row where a dialog begins: below the lowest rule above its options, or where its words are, or what it is about.
 * Undefined when it begins above the screen.
 */
function topOf(
  { lines }: TerminalScreen,
  { top, frame }: TerminalProfile,
  { from, below }: Dialog,
  menu: OptionList | undefined,
  seenAt: number,
): number | undefined {
  if (from) {
    const about = lines.slice(0, seenAt).findLastIndex((row) => from.test(row))
    if (about >= 0) return about
  }
  if (below) {
    const above = lines.findIndex((row) => below.test(row))
    if (above >= 0 && above < (menu?.first ?? lines.length)) return above + 1
  }
  if (frame && menu && seenAt === 0) return lines.slice(0, menu.first).findLastIndex((row) => !frame.test(row)) + 1
  if (!top || !menu) return seenAt
  const rule = lines.slice(0, menu.first).findLastIndex((row) => top.test(row))
  if (rule >= 0) return rule + 1
  return lines.slice(0, seenAt).some((row) => row.trim()) ? undefined : seenAt
}

const pictureOf = ({ lines }: TerminalScreen): string[] => {
  const rows = lines.map((row) => row.trimEnd())
  return rows.slice(0, rows.findLastIndex(Boolean) + 1)
}
