import { toTimestamp } from '../../core/clock.ts'
import { questionId } from './outcome.ts'
import type { QuestionView } from './schema.ts'
import type { QuestionRow } from './table.ts'

/** A question as clients see it. */
export function toView(row: QuestionRow): QuestionView {
  const { sessionId, beadId, folder, question, state, choice, actor, answeredAt, endedAt, rule } = row
  const { kind, prompt, text, cut, options, since } = question
  return {
    ...{ id: questionId(row), session_id: sessionId, folder, kind, prompt, text, cut, since, state },
    options: options.map(({ label }) => label),
    ...(beadId !== null && { bead_id: beadId }),
    ...(choice && { choice: choice.label }),
    ...(choice?.words !== undefined && { choice_text: choice.words }),
    ...(actor && { answered_by: actor.name }),
    ...(rule !== null && { rule }),
    ...(answeredAt !== null && { answered_at: toTimestamp(answeredAt) }),
    ...(endedAt !== null && { ended_at: toTimestamp(endedAt) }),
  }
}
