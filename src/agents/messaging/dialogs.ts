import type { PermissionChoice } from '../../host/protocol/record.ts'
import { type Question, questionOn } from '../../host/terminal/question.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { PendingInteraction } from '../sessions/schema.ts'
import type { RunningSession } from '../sessions/view.ts'

/** What the words of an option mean; a refusal may say that it holds for ever, too. */
const KINDS: readonly [RegExp, string][] = [
  [/^(?:no|deny|reject|cancel|exit|skip|back|don.t)\b/i, 'reject_once'],
  [/don.t ask again|\balways\b|for this session|all edits/i, 'allow_always'],
  [/^(?:yes|allow|approve|accept|trust|continue|proceed)\b/i, 'allow_once'],
]

/** What a session's program asks on its screen; undefined when it asks nothing or has no screen any more. */
export async function readDialog(
  { host, launcher }: { host: Pick<SessionHost, 'screen'>; launcher: Launcher },
  row: RunningSession,
): Promise<Question | undefined> {
  const screen = await host.screen(row.hostKey).catch(() => undefined)
  return screen && questionOn(screen, launcher.program(row).manners)
}

/** The options of a dialog, numbered from 1 as people count them. */
export const choicesOf = ({ menu }: Question): PermissionChoice[] =>
  (menu?.labels ?? []).map((name, index) => {
    const kind = KINDS.find(([words]) => words.test(name))?.[1] ?? 'other'
    return { id: String(index + 1), name, kind }
  })

/** A dialog as clients know it. */
export const toInteraction = ({ id, dialog, menu }: Question): PendingInteraction => ({
  request_id: id,
  kind: dialog.kind,
  prompt: dialog.asks,
  ...(menu && { options: menu.labels }),
  metadata: { source: 'terminal' },
})
