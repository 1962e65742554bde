import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const NetworkAccountPayload = Type.Object(
  { agent: Type.String(), name: Type.String(), account_id: Type.String() },
  { $id: 'NetworkAccountPayload', additionalProperties: false },
)

export const NetworkAccountAdded = defineEvent(
  'network.account_added',
  NetworkAccountPayload,
  'An agent got an account on the social network.',
)
export const NetworkAccountStopped = defineEvent(
  'network.account_stopped',
  NetworkAccountPayload,
  'An agent was banned from the social network.',
)
export const NetworkAccountStarted = defineEvent(
  'network.account_started',
  NetworkAccountPayload,
  'An agent may use the social network again.',
)
