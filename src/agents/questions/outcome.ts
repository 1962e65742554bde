import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { type QuestionOption, SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { QuestionRow } from './table.ts'

const PREFIX = 'question:'

/** Id of a question in attention. */
export const questionId = ({ id }: Pick<QuestionRow, 'id'>): string => `${PREFIX}${id}`

/** The number of a question; undefined for a name of something else. */
export const numberOf = (name: string): number | undefined =>
  /^question:[1-9]\d{0,14}$/.test(name) ? Number(name.slice(PREFIX.length)) : undefined

/** Outcome of a question, in a sentence. */
export function describeOutcome(row: QuestionRow): string {
  const { state, choice, actor, answeredAt, endedAt, rule } = row
  const name = questionId(row)
  if (state === 'open') return `${name} is open`
  if (state === 'gone') return `${name} ended without an answer from gc at ${toTimestamp(endedAt ?? 0)}`
  const by = rule === null ? (actor?.name ?? 'somebody') : `rule ${rule}`
  const what = `"${choice?.label ?? ''}"`
  if (state === 'answering') return `${name} is being answered with ${what} by ${by}`
  return `${name} was answered with ${what} by ${by} at ${toTimestamp(answeredAt ?? 0)}`
}

/** A question does not take this answer: it is over, or another answer is being given. */
export class QuestionOver extends AppError {
  constructor(row: QuestionRow) {
    super(SESSION_CONFLICT, `conflict: ${describeOutcome(row)}`)
  }
}

/** The option that its program names in an answer, by id or by label. */
export const optionOf = ({ question: { options } }: QuestionRow, choice: string): QuestionOption =>
  options.find(({ id, label }) => id === choice || label === choice) ?? { id: choice, label: choice, role: 'other' }
