import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const OwnerEmailPayload = Type.Object(
  { agent_id: Type.String() },
  { $id: 'NetworkOwnerEmailPayload', additionalProperties: false },
)

export const OwnerEmailSet = defineEvent(
  'owner_email.set',
  OwnerEmailPayload,
  'An agent gave the address of its human.',
)
export const OwnerEmailVerified = defineEvent(
  'owner_email.verified',
  OwnerEmailPayload,
  'The human of an agent verified their address.',
)
