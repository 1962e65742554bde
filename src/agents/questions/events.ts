import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const closed = { additionalProperties: false } as const
const optional = (description: string) => Type.Optional(Type.String({ description }))

const question = {
  session_id: Type.String(),
  request_id: Type.String({ description: 'The id under which its program knows the question.' }),
  question_id: optional('Names the question under attention; absent from events of earlier versions.'),
  text: optional('The command, path or text that it asks about; cut after 8,000 characters.'),
  folder: optional('The folder that the session works in.'),
  bead_id: optional('The bead that the session works on.'),
}

export const SessionAsked = defineEvent(
  'session.asked',
  Type.Object({ ...question, prompt: Type.String() }, { $id: 'SessionAskedPayload', ...closed }),
  'The program of a session asks a person something and waits.',
)
export const SessionAnswered = defineEvent(
  'session.answered',
  Type.Object(
    {
      ...question,
      prompt: Type.Optional(Type.String()),
      choice: optional('The answer in the program’s words; absent when the question ended without one.'),
      rule: optional('The rule that gave the answer; absent from answers of people.'),
      choice_text: optional('The text that was given with the answer; cut after 8,000 characters.'),
    },
    { $id: 'SessionAnsweredPayload', ...closed },
  ),
  'A question of a session was answered by the actor of this event, or no longer needs an answer.',
)

const rulePayload = ($id: string) => Type.Object({ rule: Type.String() }, { $id, additionalProperties: false })

export const RuleAdded = defineEvent(
  'rule.added',
  rulePayload('RuleAddedPayload'),
  'A person added a rule that answers questions.',
)
export const RuleRemoved = defineEvent('rule.removed', rulePayload('RuleRemovedPayload'), 'A rule was removed.')
export const RuleReviewed = defineEvent(
  'rule.reviewed',
  rulePayload('RuleReviewedPayload'),
  'A person saw the changed files that a rule depends on.',
)
