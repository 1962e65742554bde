import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/event.ts'

const closed = { additionalProperties: false } as const

export const SessionAsked = defineEvent(
  'session.asked',
  Type.Object(
    { session_id: Type.String(), request_id: Type.String(), prompt: Type.String() },
    { $id: 'SessionAskedPayload', ...closed },
  ),
  'A session’s agent waits for a person to say whether it may.',
)
export const SessionAnswered = defineEvent(
  'session.answered',
  Type.Object(
    {
      session_id: Type.String(),
      request_id: Type.String(),
      choice: Type.Optional(Type.String({ description: 'Absent when nobody answered and the turn ended.' })),
    },
    { $id: 'SessionAnsweredPayload', ...closed },
  ),
  'A session’s agent has its answer, or needs none any more.',
)
