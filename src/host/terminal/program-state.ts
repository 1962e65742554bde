import type { Dialog, TerminalProfile } from '../../programs/terminal-profile.ts'
import { isOptionLine, lastRows, showsEmptyInput, statusRows, stripFrame, unsentInput } from './input.ts'
import { findColouredOptions, findOptions, firstRow } from './option-list.ts'
import type { TerminalScreen } from './terminal-host.ts'

/** State of a program by its screen: empty or used input line, working, waiting for a person, or no input line yet. */
export type ProgramState =
  | { is: 'ready' }
  | { is: 'typing' }
  | { is: 'busy' }
  | { is: 'asking'; dialog: Dialog; row: number }
  | { is: 'starting' }

type Asking = Extract<ProgramState, { is: 'asking' }>

/** A list to choose from that is none of the dialogs we know, such as a question of the agent's own. */
const UNKNOWN: Dialog = { kind: 'choice', seen: /(?!)/, asks: 'to choose' }

/**
 * Judges a screen. An input line in sight beats a dialog, since text that an agent printed may look like one;
 * `settled` says that a program without signs has had its time.
 */
export function stateOf(screen: TerminalScreen, profile: TerminalProfile, settled: boolean): ProgramState {
  const over = findDialogOver(screen, profile)
  if (over) return over
  const waiting = showsEmptyInput(screen, profile)
  if (waiting !== true || isOptionLine(screen, profile)) {
    const dialog = findDialog(screen, profile)
    if (dialog) return dialog
    const isChoosing = profile.choosing?.test(lastRows(screen)) && showsOptions(screen)
    if (isChoosing) return { is: 'asking', dialog: UNKNOWN, row: 0 }
  }
  if (profile.marksPastes && !screen.bracketedPaste) return { is: 'starting' }
  const busy = isBusy(screen, profile)
  if (busy && !profile.takesWhileBusy) return { is: 'busy' }
  if (!(waiting ?? settled)) return { is: 'starting' }
  if (unsentInput(screen, profile)) return { is: 'typing' }
  return { is: busy ? 'busy' : 'ready' }
}

const isBusy = (screen: TerminalScreen, profile: TerminalProfile): boolean =>
  profile.busy?.test(statusRows(screen, profile)) ?? false

/** The colour of a cell that has none. */
const NO_GROUND = -1
/** A column beside what is drawn over an input line, where messages have the ground of their words. */
const BESIDE = 4

/** The state of a running program, as people and agents see it. */
export type Standing = 'starting' | 'working' | 'person' | 'limit' | 'idle'

/** Judges where a program stands; one that waits for the end of a usage limit asks no one, and does not work either. */
export function standingOf(screen: TerminalScreen, profile: TerminalProfile): Standing {
  const state = stateOf(screen, profile, true)
  if (state.is === 'asking') return state.dialog.kind === 'usage-limit' ? 'limit' : 'person'
  const text = screen.lines.join('\n')
  if (profile.waits?.test(text)) return 'limit'
  if (state.is === 'busy' || (state.is === 'typing' && isBusy(screen, profile))) return 'working'
  if (profile.limited?.test(text)) return 'limit'
  return state.is === 'starting' ? 'starting' : 'idle'
}

/**
 * The dialog on a screen, with the row where its words begin. Those where the program draws its dialogs count first,
 * since what an agent wrote above may have such words.
 */
function findDialog(screen: TerminalScreen, profile: TerminalProfile): Asking | undefined {
  const start = startOfDialog(screen, profile)
  const isSetOff = profile.top !== undefined || start === 0
  return findDialogBelow(screen, profile, start) ?? (isSetOff ? undefined : findDialogBelow(screen, profile, 0))
}

/** Finds the highest start of a dialog, since its subject may contain the same words. */
function findDialogBelow(screen: TerminalScreen, profile: TerminalProfile, start: number): Asking | undefined {
  const below = { ...screen, lines: screen.lines.slice(start) }
  let highest: Asking | undefined
  for (const dialog of profile.dialogs) {
    const row = dialog.over ? undefined : findDialogRow(below, dialog)
    if (row === undefined || (highest && highest.row <= row + start)) continue
    highest = { is: 'asking', dialog, row: row + start }
    if (!profile.asksFirst) return highest
  }
  return highest
}

/** A dialog over the input line. Its words have another ground than the rows that it lies on, which an agent's have not. */
function findDialogOver({ lines, colours }: TerminalScreen, { dialogs }: TerminalProfile): Asking | undefined {
  const text = lines.join('\n')
  for (const dialog of dialogs) {
    const seen = dialog.over ? dialog.seen.exec(text) : null
    if (!seen) continue
    const row = rowAt(lines, seen.index)
    const column = seen.index - (text.lastIndexOf('\n', seen.index - 1) + 1)
    if (!colours || colours(column, row).ground !== colours(BESIDE, row).ground) return { is: 'asking', dialog, row }
  }
  return undefined
}

/** The first row that a dialog can have: that of the screen where the program does not set its dialogs off. */
export function startOfDialog(screen: TerminalScreen, { top, frame, grounded }: TerminalProfile): number {
  const { lines, colours } = screen
  if (frame) return startOfBlock(lines, (row) => frame.test(lines[row] ?? ''))
  if (grounded) return colours ? startOfBlock(lines, (row) => colours(0, row).ground !== NO_GROUND) : 0
  if (!top) return 0
  const list = findOptions(screen)
  return lines.slice(0, list ? firstRow(list) : lines.length).findLastIndex((row) => top.test(row)) + 1
}

/** The highest of the lowest rows like this; 0 where there are none. */
function startOfBlock(lines: readonly string[], isLike: (row: number) => boolean): number {
  const last = lines.findLastIndex((_, row) => isLike(row))
  return lines.slice(0, Math.max(0, last)).findLastIndex((_, row) => !isLike(row)) + 1
}

const showsOptions = (screen: TerminalScreen): boolean =>
  findOptions(screen) !== undefined || findColouredOptions(screen) !== undefined

/**
 * The row where the words of a dialog begin, even where they are wrapped; undefined when the screen does not have them.
 */
function findDialogRow({ lines }: TerminalScreen, { seen }: Dialog): number | undefined {
  const asTheyStand = seen.exec(lines.join('\n'))
  if (asTheyStand) return rowAt(lines, asTheyStand.index)
  const bare = lines.map((line) => stripFrame(line).trim())
  const flowing = seen.exec(bare.join(' '))
  return flowing ? rowAt(bare, flowing.index) : undefined
}

/** The row of a place in rows that are joined by one character. */
function rowAt(rows: readonly string[], index: number): number {
  let end = -1
  return rows.findIndex((row) => {
    end += row.length + 1
    return index <= end
  })
}
