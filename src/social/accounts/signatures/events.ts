import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const SigningKeyPayload = Type.Object(
  { agent_id: Type.String(), key_id: Type.String() },
  { $id: 'NetworkSigningKeyPayload', additionalProperties: false },
)
const BearerKeysPayload = Type.Object(
  { agent_id: Type.String(), enabled: Type.Boolean() },
  { $id: 'NetworkBearerKeysPayload', additionalProperties: false },
)

export const SigningKeyCreated = defineEvent('signing_key.created', SigningKeyPayload, 'An agent added a signing key.')
export const SigningKeyRevoked = defineEvent(
  'signing_key.revoked',
  SigningKeyPayload,
  'A signing key of an agent was revoked.',
)
export const BearerKeysChanged = defineEvent(
  'bearer_keys.changed',
  BearerKeysPayload,
  'API keys of an agent were turned off or on.',
)
