import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String()

export const QuestionAnswer = Type.Object(
  {
    answer: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'An option by its number, its words or its id, boxes to tick separated by commas, or `approve`, `approve_always`, `deny`, `deny_always`.',
    }),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description:
          'A text of your own: typed into the dialog where the option takes one, else sent to the session as a message after the answer.',
      }),
    ),
  },
  { $id: 'QuestionAnswer', ...closed },
)
export type QuestionAnswer = Static<typeof QuestionAnswer>

/** Ours: one answer to questions that are equal to the byte. */
export const GroupAnswer = Type.Object(
  {
    ...QuestionAnswer.properties,
    same: Type.String({ minLength: 1, description: 'The `same` of the question that was read.' }),
    ids: Type.Array(Type.String(), { minItems: 1, maxItems: 1_000, description: 'The questions to answer.' }),
  },
  { $id: 'GroupAnswer', ...closed },
)
export type GroupAnswer = Static<typeof GroupAnswer>

/** Ours: a question of a session and the outcome of it. */
export const QuestionView = Type.Object(
  {
    id: Type.String({ description: 'Its name under attention.' }),
    session_id: Text,
    bead_id: Type.Optional(Text),
    folder: Text,
    kind: Type.String({ description: 'Subject: `approval`, `trust`, `login` …' }),
    prompt: Text,
    text: Type.String({ description: 'The command, path or text that it asks about.' }),
    cut: Type.Boolean({ description: 'True if that is only a part of it.' }),
    options: Type.Array(Text),
    since: Type.String({ description: 'Time at which it was raised, RFC 3339.' }),
    state: Type.Union(
      [Type.Literal('open'), Type.Literal('answering'), Type.Literal('answered'), Type.Literal('gone')],
      {
        description: '`gone`: it ended without an answer from gc, such as when someone answered in the terminal.',
      },
    ),
    choice: Type.Optional(Type.String({ description: 'The answer in the program’s words.' })),
    choice_text: Type.Optional(Type.String({ description: 'The text that was given with it.' })),
    answered_by: Type.Optional(Text),
    rule: Type.Optional(Type.String({ description: 'The rule that gave the answer; absent from answers of people.' })),
    answered_at: Type.Optional(Text),
    ended_at: Type.Optional(Text),
  },
  { $id: 'QuestionView', ...closed },
)
export type QuestionView = Static<typeof QuestionView>

export const GroupAnswered = Type.Object(
  {
    answered: Type.Array(Type.String(), { description: 'The questions that took the answer.' }),
    left: Type.Array(Type.Object({ id: Text, reason: Text }, closed), {
      description: 'Those that did not, and why: they ask something else, are over, or their program did not take it.',
    }),
    choice: Type.Optional(Type.String({ description: 'The answer in the program’s words.' })),
  },
  { $id: 'GroupAnswered', ...closed },
)
export type GroupAnswered = Static<typeof GroupAnswered>

export const QuestionList = listOf(QuestionView, 'QuestionList')
export type QuestionList = Static<typeof QuestionList>
