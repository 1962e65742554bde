import { sha256 } from '../../core/digest.ts'
import type { Dialog, QuestionKind, TerminalProfile } from '../../programs/terminal-profile.ts'
import type { OptionRole, Question, QuestionOption } from '../protocol/index.ts'
import { findForm } from './form.ts'
import {
  findColouredOptions,
  findOptions,
  firstRow,
  type ListedOption,
  markRow,
  type OptionList,
} from './option-list.ts'
import { startOfDialog, stateOf } from './program-state.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** Question of a program on its screen. */
export interface ScreenQuestion {
  /** The same while it asks the same with the same options, wherever its mark stands and whatever its footer says. */
  id: string
  kind: QuestionKind
  prompt: string
  text: string
  cut: boolean
  options: QuestionOption[]
  /** The options as the screen lists them; none where they have keys of their own. */
  listed: readonly ListedOption[]
  /** The one that the mark stands at, counted from 0; undefined when there are none. */
  at: number | undefined
  /** The program has more options than it shows. */
  isPart: boolean
  /** The program draws the rest of it in a moment. */
  isDrawing: boolean
  /** The keys of its options, which no mark stands at then. */
  keys?: readonly string[]
  picture: string[]
}

/** Kinds of questions that may be longer than a screen. */
const MAY_BE_LONG: ReadonlySet<QuestionKind> = new Set(['approval', 'choice', 'plan'])

/** A row in place of others. */
const OMISSION = /\d+ (?:more )?lines?\b/
const squeeze = (text: string): string => text.replace(/\s+/g, '')

/** Question on a screen; undefined without one. */
export function findQuestion(screen: TerminalScreen, profile: TerminalProfile): ScreenQuestion | undefined {
  const state = stateOf(screen, profile, true)
  if (state.is !== 'asking') return undefined
  const { dialog, row: seenAt } = state
  const menu = dialog.isForm ? findForm(screen) : findMenu(screen, seenAt)
  const top = topOf(screen, profile, dialog, menu, seenAt)
  const isCutAbove = top === undefined && MAY_BE_LONG.has(dialog.kind)
  const rows = screen.lines.slice(top ?? (isCutAbove ? 0 : seenAt), menu && firstRow(menu)).map(unticked)
  const isHeaded = profile.heading?.test(rows[0] ?? '') ?? false
  const { prompt, text } = readDialogText(rows.slice(isHeaded ? 1 : 0), {
    asksFirst: profile.asksFirst ?? false,
    otherwise: `It asks a person ${dialog.asks}.`,
  })
  const keys = menu ? undefined : dialog.keys
  const listed = menu?.options ?? []
  const named = menu ? listed : (keys?.map(({ label }, index) => ({ id: String(index + 1), label })) ?? [])
  const options = named.map((option) => toOption(option, profile))
  const isPart = menu?.isPart ?? false
  const isDrawing = profile.drawing?.test(rows.join('\n')) ?? false
  const cut = isCutAbove || isPart || isDrawing || screen.lines.slice(top).some((row) => profile.cut?.test(row))
  const identity = JSON.stringify([dialog.kind, prompt, text, options.map(({ label }) => label)])
  const id = `screen-${sha256(identity).slice(0, 16)}`
  const mark = { listed, at: menu?.at, isPart, isDrawing, ...(keys && { keys: keys.map((each) => each.keys) }) }
  return { id, kind: dialog.kind, prompt, text, cut, options, ...mark, picture: pictureOf(screen) }
}

function toOption(
  { id, label, description, tick, takesText }: Omit<ListedOption, 'row'>,
  { texts }: TerminalProfile,
): QuestionOption {
  const text = takesText ? 'required' : texts?.find((each) => each.label.test(label))?.text
  const more = { ...(description !== undefined && { description }), ...(text && { text }) }
  return { id, label, role: roleOf(label), ...more, ...(tick !== undefined && { ticks: true }) }
}

/** Ticks by a person do not change the question. */
const unticked = (row: string): string => row.replaceAll('☒', '☐')

/** A question as everybody is given it; `since` is when it came up, RFC 3339. */
export function toQuestion(question: ScreenQuestion, since: string): Question {
  const { listed: _, at: __, isPart: ___, keys: ____, isDrawing: _____, ...asked } = question
  return { ...asked, since }
}

/**
 * True if a question of which only a part is shown may be this one: it has the same options, and nothing else in its
 * text.
 */
export function isPartOf(part: ScreenQuestion, whole: ScreenQuestion): boolean {
  if (!part.cut || !asksSame({ ...part, text: whole.text }, whole)) return false
  if (part.options.length !== whole.options.length && !part.isPart) return false
  const text = squeeze(whole.text)
  return part.text.split('\n').every((row) => text.includes(squeeze(row)) || OMISSION.test(row))
}

/** True if both ask the same. */
export const isSameQuestion = (a: ScreenQuestion, b: ScreenQuestion): boolean =>
  a.options.length === b.options.length && asksSame(a, b)

/**
 * True if the other asks the same, with all these options. Where the mark stands, and where it was before, one may have
 * other words.
 */
function asksSame(a: ScreenQuestion, b: ScreenQuestion): boolean {
  if (a.kind !== b.kind || a.prompt !== b.prompt || !isSameText(a.text, b.text)) return false
  const labels = new Map(b.options.map(({ id, label }) => [id, label]))
  if (!a.options.every(({ id }) => labels.has(id))) return false
  return a.options.filter(({ id, label }) => labels.get(id) !== label).length <= 2
}

/** True if two texts differ only in where their lines are broken. */
function isSameText(a: string, b: string): boolean {
  if (a === b) return true
  return squeeze(a) === squeeze(b) && (hasRowsOf(a, b) || hasRowsOf(b, a))
}

/** True if each row of the other is there as it is written. */
function hasRowsOf(text: string, other: string): boolean {
  const flat = text.replace(/\s*\n\s*/g, ' ')
  return other.split('\n').every((row) => flat.includes(row.trim()))
}

/** The options of a dialog, which has begun at this row: those with a mark, else the lowest that have a colour for it. */
function findMenu(screen: TerminalScreen, from: number): OptionList | undefined {
  const isOfDialog = (list: OptionList | undefined) => list !== undefined && markRow(list) >= from
  const coloured = [findButtons(screen), findColouredOptions(screen)].filter(isOfDialog)
  const marked = findOptions(screen)
  return isOfDialog(marked) ? marked : coloured.toSorted((a, b) => (b ? markRow(b) : 0) - (a ? markRow(a) : 0))[0]
}

/**
 * The row where a dialog begins: below the lowest rule above its options, or where its words are, or what it is about.
 * Undefined when it begins above the screen.
 */
function topOf(
  screen: TerminalScreen,
  profile: TerminalProfile,
  { from, below }: Dialog,
  menu: OptionList | undefined,
  seenAt: number,
): number | undefined {
  const { lines } = screen
  const { top, frame } = profile
  const end = menu ? firstRow(menu) : lines.length
  const start = startOfDialog(screen, profile)
  if (from) {
    const about = lines.slice(0, seenAt).findLastIndex((row) => from.test(row))
    if (about >= 0) return about
  }
  if (below) {
    const above = lines.findIndex((row, at) => at >= start && below.test(row))
    if (above >= 0 && above < end) return above + 1
  }
  if (frame && menu && seenAt === 0) return lines.slice(0, end).findLastIndex((row) => !frame.test(row)) + 1
  if (!top || !menu) return seenAt
  const rule = lines.slice(0, end).findLastIndex((row) => top.test(row))
  if (rule >= 0) return rule + 1
  return lines.slice(0, seenAt).some((row) => row.trim()) ? undefined : seenAt
}

const pictureOf = ({ lines }: TerminalScreen): string[] => {
  const rows = lines.map((row) => row.trimEnd())
  return rows.slice(0, rows.findLastIndex(Boolean) + 1)
}

/** Patterns of option labels with their roles; the first match counts. */
const PATTERNS: readonly [RegExp, OptionRole][] = [
  [/^(?:no|deny|reject|cancel|exit|skip|back|quit|stop|decline|dismiss|don.t|continue without)\b/i, 'deny'],
  [
    /don.t ask again|\balways\b|for this session|all (?:future )?(?:edits|sessions|mcp servers)|switch to (?:accept|auto)/i,
    'allow-always',
  ],
  [/^(?:yes|allow|approve|accept|trust|continue|proceed|run|use this)\b/i, 'allow-once'],
]

/** Role of an option with this label. */
const roleOf = (label: string): OptionRole => PATTERNS.find(([pattern]) => pattern.test(label))?.[1] ?? 'other'

interface Button {
  label: string
  isMarked: boolean
}

const WORDS = /\S+(?: \S+)*/g

/** The lowest row of buttons on a screen, of which one is marked by the colour of its ground alone. */
function findButtons(screen: TerminalScreen): OptionList | undefined {
  for (let row = screen.lines.length - 1; row >= 0; row--) {
    const buttons = buttonsIn(screen, row)
    const at = buttons.findIndex(({ isMarked }) => isMarked)
    const isMenu = buttons.length > 1 && buttons.filter(({ isMarked }) => isMarked).length === 1
    const options = buttons.map(({ label }, index) => ({ id: String(index + 1), label, row }))
    if (isMenu) return { options, at, isPart: false }
  }
  return undefined
}

/** The words of a row that are of one colour each; what names a key and what it does has two. */
function buttonsIn({ lines, colours }: TerminalScreen, row: number): Button[] {
  const line = lines[row] ?? ''
  if (!colours) return []
  const buttons: Button[] = []
  for (const { 0: label, index } of line.matchAll(WORDS)) {
    const cells = [...label].map((character, at) => ({ character, ...colours(index + at, row) }))
    const inked = cells.filter(({ character }) => character !== ' ')
    const [first] = inked
    const isPlain = inked.every(({ text, ground }) => text === first?.text && ground === first?.ground)
    if (!first || !/^\p{L}/u.test(label) || !isPlain) continue
    // A marked button has its colour on either side of its label, too.
    const edges = [index - 2, index + label.length + 1].map((x) => colours(Math.max(0, x), row).ground)
    buttons.push({ label, isMarked: edges.every((ground) => ground !== first.ground) })
  }
  return buttons
}

/** A row that only draws: a rule, or an edge of a box. */
const RULE = /^[\s▲▼─━═╌┄╭╮╰╯┌┐└┘├┤╹▀▄▁▔_-]+$/
const EDGES = /^[\s│┃║▌▏]+|(?:\s{2,}█)?[\s│┃║▐▕]*$/g
/** The end of a row so long that the next one continues it: no one writes lines of that length by hand. */
const BROKEN = /([^\n]{960,})\n[^\S\n]*(?=\S)/g
const SENTENCE_END = /[?？](?: \(select all that apply\))?$/

/** The words of a dialog above its options: its question, and what it asks about. */
interface DialogText {
  prompt: string
  text: string
}

/** Splits the rows of a dialog above its options into its question, which is the first or last row that reads so, and the rest. */
function readDialogText(
  rows: readonly string[],
  { asksFirst, otherwise }: { asksFirst: boolean; otherwise: string },
): DialogText {
  const bare = rows.map(unframed)
  const asks = (row: string) => SENTENCE_END.test(row.trim())
  const at = asksFirst ? bare.findIndex(asks) : bare.findLastIndex(asks)
  const prompt = at < 0 ? otherwise : (bare[at] ?? '').trim()
  return { prompt, text: unwrapped(dedent(at < 0 ? bare : bare.toSpliced(at, 1))) }
}

/** A line that was broken though there was so much room. */
const unwrapped = (text: string): string =>
  text.replace(BROKEN, (_, row: string) => row + (/\s/.test(row.slice(-200)) ? ' ' : ''))

/** A row without its frame, and with its indentation; nothing of one that only draws. */
function unframed(row: string): string {
  const words = row.replace(EDGES, '')
  return words === '' || RULE.test(words) ? '' : ' '.repeat(row.indexOf(words)) + words
}

/** Rows without the indentation that all share, without blank edges, and with one blank row where there were more. */
function dedent(rows: readonly string[]): string {
  const indents = rows.filter(Boolean).map((row) => row.length - row.trimStart().length)
  const indent = indents.length > 0 ? Math.min(...indents) : 0
  const text = rows.map((row) => row.slice(indent).trimEnd()).join('\n')
  return text.replace(/\n{3,}/g, '\n\n').replace(/^\n+|\n+$/g, '')
}
