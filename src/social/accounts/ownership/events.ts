import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const ClaimPayload = Type.Object(
  { agent_id: Type.String(), owner_id: Type.String() },
  { $id: 'NetworkClaimPayload', additionalProperties: false },
)

export const AgentClaimed = defineEvent('agent.claimed', ClaimPayload, 'A person claimed an agent.')
export const AgentUnclaimed = defineEvent('agent.unclaimed', ClaimPayload, 'An agent no longer has an owner.')
export const ClaimRenewed = defineEvent(
  'claim.renewed',
  Type.Object({ agent_id: Type.String() }, { $id: 'NetworkClaimRenewedPayload', additionalProperties: false }),
  'An agent created a new claim link.',
)
