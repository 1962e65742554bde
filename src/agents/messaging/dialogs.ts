import { toTimestamp } from '../../core/clock.ts'
import type { SessionHost } from '../../host/client/index.ts'
import type { Question } from '../../host/protocol/index.ts'
import { findQuestion, type ScreenQuestion, toQuestion } from '../../host/terminal/index.ts'
import type { PendingInteraction, RunningSession } from '../../work/sessions/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'

interface DialogOptions {
  host: Pick<SessionHost, 'screen' | 'question' | 'reportsQuestions' | 'whenQuestionsKnown'>
  launchPlanner: Pick<LaunchPlanner, 'program'>
}

/**
 * Dialog on a session's terminal once the host has reported it; `since` is the time if no one recorded when it
 * appeared.
 */
export async function findDialog(
  { host, launchPlanner }: DialogOptions,
  row: RunningSession,
  since: () => number,
): Promise<Question | undefined> {
  await host.whenQuestionsKnown()
  if (host.reportsQuestions(row.hostKey)) return host.question(row.hostKey)
  const dialog = await readDialog({ host, launchPlanner }, row)
  return dialog && toQuestion(dialog, toTimestamp(since()))
}

/** The dialog on the screen of a session whose host is of an earlier build; undefined when there is none. */
export async function readDialog(
  { host, launchPlanner }: Pick<DialogOptions, 'launchPlanner'> & { host: Pick<SessionHost, 'screen'> },
  row: RunningSession,
): Promise<ScreenQuestion | undefined> {
  return findQuestion(await host.screen(row.hostKey), launchPlanner.program(row).profile)
}

/** A dialog as clients see it. */
export const toInteraction = ({ id, kind, prompt, text, options }: Omit<Question, 'since'>): PendingInteraction => ({
  request_id: id,
  kind,
  prompt: text === '' ? prompt : `${text}\n\n${prompt}`,
  ...(options.length > 0 && { options: options.map(({ label }) => label) }),
  metadata: { source: 'terminal' },
})
