import type { TerminalProfile } from '../../programs/terminal-profile.ts'
import { findForm } from './form.ts'
import { findOptions, markRow } from './option-list.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** Length of the end of the text to look for; a wrapped or scrolled input line shows its end. */
const TAIL = 24
/** Rows that one tail may be spread over. */
const ROWS = 5
const FOOT = 8
const EDGES = /^[\s│┃║▌▏|]+|[\s│┃║▐▕|]+$/g
const BORDER = /^[\s─━═╌┄╭╮╰╯┌┐└┘╹▀▄▁▔]+$/
const PASTED = /\[pasted[^\]]*\]$/i
const PASTE = /^\[pasted[^\]]*\]$/i
const MENU = /^\d+[.)]/

/** A row without the frame it is in. */
export const stripFrame = (row: string): string => row.replace(EDGES, '')

/** Text as every terminal shows it: without blanks, which wrapping moves, and without emoji and marks, which vary. */
const normalizeText = (text: string): string =>
  text.replace(/[\s\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{M}\u200d]+/gu, '')

const endOfText = (text: string): string => normalizeText(text).slice(-TAIL) || text.trim()

/** The last rows that say anything: where programs have their input line and their status. */
export const lastRows = ({ lines }: TerminalScreen): string =>
  lines
    .filter((row) => stripFrame(row))
    .slice(-FOOT)
    .join('\n')

/** The last rows, or those of them that only the program writes: below a row of its own, be it one of a dialog. */
export function statusRows(screen: TerminalScreen, { status, frame }: TerminalProfile): string {
  if (!status) return lastRows(screen)
  const above = screen.lines.findLastIndex((row) => status.test(row) || frame?.test(row))
  return lastRows({ ...screen, lines: screen.lines.slice(above + 1) })
}

/** Position of typed text: before the cursor, or behind the prefix of a program that draws its own cursor. */
export type InputPosition = 'cursor' | 'prefix'

/** Position of the end of the typed text in the input line, or of the program's mark for a paste. */
export function findTypedText(
  screen: TerminalScreen,
  profile: TerminalProfile,
  text: string,
): InputPosition | undefined {
  const places: InputPosition[] = ['cursor', 'prefix']
  return places.find((place) => showsTypedText(screen, profile, text, place))
}

/**
 * The lowest row that the typed text ends in, even where it is wrapped, or shown as a paste; undefined when none does.
 */
export function findTypedRow({ lines }: TerminalScreen, text: string): number | undefined {
  const end = endOfText(text)
  const row = lines.findLastIndex((line, at) => {
    const words = stripFrame(line)
    return words !== '' && (PASTED.test(words) || normalizeText(stripFrame(lines[at - 1] ?? '') + words).endsWith(end))
  })
  return row < 0 ? undefined : row
}

/** True if the text is still in the input line, at the place where it was seen. */
export function showsTypedText(
  screen: TerminalScreen,
  profile: TerminalProfile,
  text: string,
  place: InputPosition,
): boolean {
  const input = place === 'cursor' ? beforeCursor(screen) : (findInputLine(screen, profile)?.content ?? '')
  return PASTED.test(input) || (input !== '' && (normalizeText(input) || input).endsWith(endOfText(text)))
}

/** True if the input line holds this text, as far as it shows it, or one paste, and nothing else. */
export function holdsOnly(screen: TerminalScreen, profile: TerminalProfile, text: string): boolean {
  const held = unsentInput(screen, profile)
  const words = normalizeText(held)
  return PASTE.test(held) || (words.length >= TAIL && normalizeText(text).endsWith(words))
}

/** True if the text still waits above the cursor, since what should have submitted it only began a new line. */
export function isStillTyped(screen: TerminalScreen, profile: TerminalProfile, text: string): boolean {
  const line = profile.pasteGuard === undefined ? undefined : findInputLine(screen, profile)
  if (!line || screen.cursor.y < line.row) return false
  const rows = screen.lines.slice(line.row, screen.cursor.y + 1)
  return normalizeText(rows.map(stripFrame).join('')).endsWith(endOfText(text))
}

/** Text that someone left in the input line; '' if it is empty or looks like a prompt. */
export function unsentInput(screen: TerminalScreen, profile: TerminalProfile): string {
  const { cursor } = screen
  const line = findInputLine(screen, profile)
  if (line && cursor.y >= line.row && cursor.y < line.row + line.height) {
    const rows = screen.lines.slice(line.row, cursor.y).map(stripFrame)
    return [...rows, cursorRow(screen)].join('\n').slice(line.prefix.length).trim()
  }
  return profile.readyPrefixes.includes('') ? cursorRow(screen) : ''
}

/** True if the screen shows an input line that waits; undefined when this program has no sign of it. */
export function showsEmptyInput(screen: TerminalScreen, profile: TerminalProfile): boolean | undefined {
  if (profile.ready) return profile.ready.test(statusRows(screen, profile))
  if (!profile.readyPrefixes.some(Boolean)) return undefined
  const line = findInputLine(screen, profile)
  if (!line || MENU.test(line.content)) return false
  if (line.content === '' || profile.placeholder?.test(line.content)) return true
  return screen.cursor.y >= line.row && screen.cursor.y < line.row + line.height
}

/** True if what looks like the input line is the marked option of a list, or the marked field of a form. */
export const isOptionLine = (screen: TerminalScreen, profile: TerminalProfile): boolean => {
  const line = findInputLine(screen, profile)
  const hasForms = profile.dialogs.some(({ isForm }) => isForm)
  const lists = [findOptions(screen), hasForms ? findForm(screen) : undefined]
  return line !== undefined && lists.some((list) => list !== undefined && markRow(list) === line.row)
}

/** The rows up to the cursor, the farthest first; '' when its own row has nothing before it. */
function beforeCursor(screen: TerminalScreen): string {
  const row = cursorRow(screen)
  if (row === '') return ''
  const above = screen.lines.slice(Math.max(0, screen.cursor.y - ROWS + 1), screen.cursor.y)
  return [...above.map(stripFrame), row].join('')
}

/** Text before the cursor on its row. */
export const cursorRow = ({ lines, cursor }: TerminalScreen): string =>
  stripFrame((lines[cursor.y] ?? '').slice(0, cursor.x))

interface InputLine {
  row: number
  height: number
  prefix: string
  content: string
}

/** The lowest row that starts with a prefix of the program, with the rows its text is wrapped over. */
function findInputLine({ lines }: TerminalScreen, { readyPrefixes }: TerminalProfile): InputLine | undefined {
  const prefixes = readyPrefixes.map((prefix) => prefix.trim()).filter(Boolean)
  const row = lines.findLastIndex((line) => prefixes.some((prefix) => stripFrame(line).startsWith(prefix)))
  const prefix = prefixes.find((candidate) => stripFrame(lines[row] ?? '').startsWith(candidate))
  if (prefix === undefined) return undefined
  const rest = lines.slice(row)
  const end = rest.findIndex((line, at) => at > 0 && (stripFrame(line) === '' || BORDER.test(line)))
  const rows = end < 0 ? rest : rest.slice(0, end)
  return { row, height: rows.length, prefix, content: rows.map(stripFrame).join(' ').slice(prefix.length).trim() }
}
