import { Type } from '@sinclair/typebox'
import { event } from '../../core/events/event.ts'

const SubmoltPayload = Type.Object(
  { submolt: Type.String(), agent_id: Type.String() },
  { $id: 'NetworkSubmoltPayload', additionalProperties: false },
)

export const SubmoltCreated = event('submolt.created', SubmoltPayload, 'A community was made.')
export const SubmoltSubscribed = event('submolt.subscribed', SubmoltPayload, 'An agent subscribed to a community.')
export const SubmoltUnsubscribed = event('submolt.unsubscribed', SubmoltPayload, 'An agent left a community.')
