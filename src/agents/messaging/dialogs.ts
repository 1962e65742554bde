import type { Question } from '../../host/protocol/question.ts'
import { findQuestion, type ScreenQuestion } from '../../host/terminal/question.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { RunningSession } from '../sessions/running.ts'
import type { PendingInteraction } from '../sessions/schema.ts'

/** The dialog on a session's screen; undefined when there is none, or no screen any more. */
export async function readDialog(
  { host, launcher }: { host: Pick<SessionHost, 'screen'>; launcher: Launcher },
  row: RunningSession,
): Promise<ScreenQuestion | undefined> {
  const screen = await host.screen(row.hostKey).catch(() => undefined)
  return screen && findQuestion(screen, launcher.program(row).profile)
}

/** A dialog as clients see it. */
export const toInteraction = ({ id, kind, prompt, text, options }: Omit<Question, 'since'>): PendingInteraction => ({
  request_id: id,
  kind,
  prompt: text === '' ? prompt : `${text}\n\n${prompt}`,
  ...(options.length > 0 && { options: options.map(({ label }) => label) }),
  metadata: { source: 'terminal' },
})
