import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/event.ts'

const closed = { additionalProperties: false } as const

export const SessionAsked = defineEvent(
  'session.asked',
  Type.Object(
    { session_id: Type.String(), request_id: Type.String(), prompt: Type.String() },
    { $id: 'SessionAskedPayload', ...closed },
  ),
  'The agent of a session waits for a person’s permission.',
)
export const SessionAnswered = defineEvent(
  'session.answered',
  Type.Object(
    {
      session_id: Type.String(),
      request_id: Type.String(),
      choice: Type.Optional(Type.String({ description: 'Absent when the turn ended without an answer.' })),
    },
    { $id: 'SessionAnsweredPayload', ...closed },
  ),
  'The question of a session’s agent was answered, or needs no answer any more.',
)
