import { findDialogRow } from './dialog-row.ts'
import { isOptionLine, lastRows, showsEmptyInput, unsentInput } from './input.ts'
import { findColouredOptions, findOptions } from './option-list.ts'
import type { Dialog, TerminalProfile } from './profile.ts'
import type { TerminalScreen } from './terminal-host.ts'

/**
 * Where a program stands, judged by its screen: its input line is empty, or holds what someone began; it works on a
 * turn; it waits for a person; or there is no input line yet.
 */
export type ProgramState =
  | { is: 'ready' }
  | { is: 'typing' }
  | { is: 'busy' }
  | { is: 'asking'; dialog: Dialog }
  | { is: 'starting' }

/** A list to choose from that is none of the dialogs we know, such as a question of the agent's own. */
const UNKNOWN: Dialog = { kind: 'choice', seen: /(?!)/, asks: 'to choose' }

/**
 * Judges a screen. An input line in sight beats a dialog, since text that an agent printed may look like one;
 * `settled` says that a program without signs has had its time.
 */
export function stateOf(screen: TerminalScreen, profile: TerminalProfile, settled: boolean): ProgramState {
  const over = profile.dialogs.find((dialog) => dialog.over && findDialogRow(screen, dialog) !== undefined)
  if (over) return { is: 'asking', dialog: over }
  const waiting = showsEmptyInput(screen, profile)
  if (waiting !== true || isOptionLine(screen, profile)) {
    const dialog = profile.dialogs.find((candidate) => findDialogRow(screen, candidate) !== undefined)
    if (dialog) return { is: 'asking', dialog }
    if (profile.choosing?.test(lastRows(screen)) && showsOptions(screen)) return { is: 'asking', dialog: UNKNOWN }
  }
  if (profile.marksPastes && !screen.bracketedPaste) return { is: 'starting' }
  const busy = profile.busy?.test(lastRows(screen)) ?? false
  if (busy && !profile.takesWhileBusy) return { is: 'busy' }
  if (!(waiting ?? settled)) return { is: 'starting' }
  if (unsentInput(screen, profile)) return { is: 'typing' }
  return { is: busy ? 'busy' : 'ready' }
}

const showsOptions = (screen: TerminalScreen): boolean =>
  findOptions(screen) !== undefined || findColouredOptions(screen) !== undefined
