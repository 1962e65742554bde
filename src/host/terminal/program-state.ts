import type { Dialog, TerminalProfile } from '../../programs/terminal-profile.ts'
import { isOptionLine, lastRows, showsEmptyInput, stripFrame, unsentInput } from './input.ts'
import { findColouredOptions, findOptions, firstRow } from './option-list.ts'
import type { TerminalScreen } from './terminal-host.ts'

/**
 * Where a program stands, judged by its screen: its input line is empty, or holds what someone began; it works on a
 * turn; it waits for a person; or there is no input line yet.
 */
export type ProgramState =
  | { is: 'ready' }
  | { is: 'typing' }
  | { is: 'busy' }
  | { is: 'asking'; dialog: Dialog; row: number }
  | { is: 'starting' }

/** A list to choose from that is none of the dialogs we know, such as a question of the agent's own. */
const UNKNOWN: Dialog = { kind: 'choice', seen: /(?!)/, asks: 'to choose' }

/**
 * Judges a screen. An input line in sight beats a dialog, since text that an agent printed may look like one;
 * `settled` says that a program without signs has had its time.
 */
export function stateOf(screen: TerminalScreen, profile: TerminalProfile, settled: boolean): ProgramState {
  const over = findDialog(screen, profile, ({ over: isOver }) => isOver === true)
  if (over) return over
  const waiting = showsEmptyInput(screen, profile)
  if (waiting !== true || isOptionLine(screen, profile)) {
    const dialog = findDialog(screen, profile, () => true)
    if (dialog) return dialog
    const isChoosing = profile.choosing?.test(lastRows(screen)) && showsOptions(screen)
    if (isChoosing) return { is: 'asking', dialog: UNKNOWN, row: 0 }
  }
  if (profile.marksPastes && !screen.bracketedPaste) return { is: 'starting' }
  const busy = profile.busy?.test(statusRows(screen, profile)) ?? false
  if (busy && !profile.takesWhileBusy) return { is: 'busy' }
  if (!(waiting ?? settled)) return { is: 'starting' }
  if (unsentInput(screen, profile)) return { is: 'typing' }
  return { is: busy ? 'busy' : 'ready' }
}

/** Where a running program stands, as people and agents are told. */
export type Standing = 'starting' | 'working' | 'person' | 'limit' | 'idle'

/** Judges where a program stands; one that waits for the end of a usage limit asks nobody, and does not work either. */
export function standingOf(screen: TerminalScreen, profile: TerminalProfile): Standing {
  const state = stateOf(screen, profile, true)
  if (state.is === 'asking') return state.dialog.kind === 'usage-limit' ? 'limit' : 'person'
  const text = screen.lines.join('\n')
  if (profile.waits?.test(text)) return 'limit'
  if (state.is === 'busy') return 'working'
  if (profile.limited?.test(text)) return 'limit'
  return state.is === 'starting' ? 'starting' : 'idle'
}

/**
 * The dialog on a screen, with the row where its words begin: below the rule that the program draws above it, where it
 * draws one, since what an agent wrote before may have such words. Where dialogs begin with their words, the highest
 * counts, since what it asks about may have such words, too.
 */
function findDialog(
  screen: TerminalScreen,
  { dialogs, top, asksFirst }: TerminalProfile,
  isMeant: (dialog: Dialog) => boolean,
): Extract<ProgramState, { is: 'asking' }> | undefined {
  const start = top ? rowBelowRule(screen, top) : 0
  const below = { ...screen, lines: screen.lines.slice(start) }
  let highest: Extract<ProgramState, { is: 'asking' }> | undefined
  for (const dialog of dialogs) {
    const row = isMeant(dialog) ? findDialogRow(below, dialog) : undefined
    if (row === undefined || (highest && highest.row <= row + start)) continue
    highest = { is: 'asking', dialog, row: row + start }
    if (!asksFirst) return highest
  }
  return highest
}

/** The last rows, of which the program says where it stands in those below a row of its own, where it draws one. */
function statusRows(screen: TerminalScreen, { status }: TerminalProfile): string {
  const above = status ? screen.lines.findLastIndex((row) => status.test(row)) : -1
  return lastRows({ ...screen, lines: screen.lines.slice(above + 1) })
}

/** The row below the lowest rule above the options of a screen; the first one where there is no rule. */
function rowBelowRule(screen: TerminalScreen, rule: RegExp): number {
  const list = findOptions(screen)
  const end = list ? firstRow(list) : screen.lines.length
  return screen.lines.slice(0, end).findLastIndex((row) => rule.test(row)) + 1
}

const showsOptions = (screen: TerminalScreen): boolean =>
  findOptions(screen) !== undefined || findColouredOptions(screen) !== undefined

/** The row where the words of a dialog begin, also where they are wrapped; undefined when the screen does not have them. */
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
