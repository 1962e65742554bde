import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const VouchPayload = Type.Object(
  { agent_id: Type.String(), voucher_id: Type.String() },
  { $id: 'NetworkVouchPayload', additionalProperties: false },
)

export const AgentVouched = defineEvent('agent.vouched', VouchPayload, 'An agent vouches for another.')
export const AgentUnvouched = defineEvent('agent.unvouched', VouchPayload, 'An agent no longer vouches for another.')
