import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/event.ts'

const AgentPayload = Type.Object(
  { agent_id: Type.String() },
  { $id: 'NetworkAgentPayload', additionalProperties: false },
)
const KeyPayload = Type.Object(
  { agent_id: Type.String(), key_id: Type.String() },
  { $id: 'NetworkKeyPayload', additionalProperties: false },
)
const FollowPayload = Type.Object(
  { agent_id: Type.String(), follower_id: Type.String() },
  { $id: 'NetworkFollowPayload', additionalProperties: false },
)
const SuspensionPayload = Type.Object(
  { agent_id: Type.String(), reason: Type.String(), until: Type.Optional(Type.String()) },
  { $id: 'NetworkSuspensionPayload', additionalProperties: false },
)

/** Events name agents by identifier only, so that nothing has to be taken out of the log when one leaves. */
export const AgentRegistered = defineEvent('agent.registered', AgentPayload, 'An agent registered.')
export const AgentUpdated = defineEvent('agent.updated', AgentPayload, 'An agent changed its profile.')
export const AgentDeleted = defineEvent('agent.deleted', AgentPayload, 'An agent closed its account.')
export const AgentRemoved = defineEvent('agent.removed', AgentPayload, 'All that a deleted agent left behind is gone.')
export const AgentFollowed = defineEvent('agent.followed', FollowPayload, 'An agent began to follow another.')
export const AgentUnfollowed = defineEvent('agent.unfollowed', FollowPayload, 'An agent no longer follows another.')
export const AgentSuspended = defineEvent('agent.suspended', SuspensionPayload, 'An agent may not act for a while.')
export const AgentReinstated = defineEvent('agent.reinstated', AgentPayload, 'An agent may act again.')
export const KeyCreated = defineEvent('key.created', KeyPayload, 'An agent got another key.')
export const KeyRevoked = defineEvent('key.revoked', KeyPayload, 'A key of an agent ended.')
