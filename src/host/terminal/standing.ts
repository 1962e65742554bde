import type { TerminalScreen } from './host.ts'
import { draft, foot, waits } from './input.ts'
import type { Dialog, TerminalProfile } from './profile.ts'

/**
 * Where a program stands, judged by its screen: its input line is empty, or holds what someone began; it works on a
 * turn; it waits for a person; or there is no input line yet.
 */
export type Standing =
  | { is: 'ready' }
  | { is: 'typing' }
  | { is: 'busy' }
  | { is: 'asking'; dialog: Dialog }
  | { is: 'starting' }

/**
 * Judges a screen. An input line in sight beats a dialog, since text that an agent printed may look like one;
 * `settled` says that a program without signs has had its time.
 */
export function standing(screen: TerminalScreen, manners: TerminalProfile, settled: boolean): Standing {
  const text = screen.lines.join('\n')
  const over = manners.dialogs.find((dialog) => dialog.over && dialog.seen.test(text))
  if (over) return { is: 'asking', dialog: over }
  const waiting = waits(screen, manners)
  if (waiting !== true) {
    const dialog = manners.dialogs.find(({ seen }) => seen.test(text))
    if (dialog) return { is: 'asking', dialog }
  }
  if (manners.marksPastes && !screen.bracketedPaste) return { is: 'starting' }
  const busy = manners.busy?.test(foot(screen)) ?? false
  if (busy && !manners.takesWhileBusy) return { is: 'busy' }
  if (!(waiting ?? settled)) return { is: 'starting' }
  if (draft(screen, manners)) return { is: 'typing' }
  return { is: busy ? 'busy' : 'ready' }
}
