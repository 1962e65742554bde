import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const SubmoltPayload = Type.Object(
  { submolt: Type.String(), agent_id: Type.String() },
  { $id: 'NetworkSubmoltPayload', additionalProperties: false },
)

export const SubmoltCreated = defineEvent('submolt.created', SubmoltPayload, 'A community was created.')
export const SubmoltOwned = defineEvent('submolt.owned', SubmoltPayload, 'A community got another owner.')
export const SubmoltSubscribed = defineEvent(
  'submolt.subscribed',
  SubmoltPayload,
  'An agent subscribed to a community.',
)
export const SubmoltUnsubscribed = defineEvent(
  'submolt.unsubscribed',
  SubmoltPayload,
  'An agent unsubscribed from a community.',
)
