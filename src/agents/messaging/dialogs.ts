import type { PermissionChoice } from '../../host/protocol/record.ts'
import { findQuestion, type Question } from '../../host/terminal/question.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { RunningSession } from '../sessions/running.ts'
import type { PendingInteraction } from '../sessions/schema.ts'

/** The kind of an option by its words; the first match counts. */
const KIND_PATTERNS: readonly [RegExp, string][] = [
  [/^(?:no|deny|reject|cancel|exit|skip|back|don.t)\b/i, 'reject_once'],
  [/don.t ask again|\balways\b|for this session|all edits/i, 'allow_always'],
  [/^(?:yes|allow|approve|accept|trust|continue|proceed)\b/i, 'allow_once'],
]

/** The dialog on a session's screen; undefined when there is none, or no screen any more. */
export async function readDialog(
  { host, launcher }: { host: Pick<SessionHost, 'screen'>; launcher: Launcher },
  row: RunningSession,
): Promise<Question | undefined> {
  const screen = await host.screen(row.hostKey).catch(() => undefined)
  return screen && findQuestion(screen, launcher.program(row).profile)
}

/** The options of a dialog, numbered from 1 as people count them. */
export const choicesOf = ({ options: menu }: Question): PermissionChoice[] =>
  (menu?.labels ?? []).map((name, index) => {
    const kind = KIND_PATTERNS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
    return { id: String(index + 1), name, kind }
  })

/** A dialog as clients see it. */
export const toInteraction = ({ id, dialog, options: menu }: Question): PendingInteraction => ({
  request_id: id,
  kind: dialog.kind,
  prompt: dialog.asks,
  ...(menu && { options: menu.labels }),
  metadata: { source: 'terminal' },
})
