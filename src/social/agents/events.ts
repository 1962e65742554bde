import { Type } from '@sinclair/typebox'
import { event } from '../../core/events/event.ts'

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
export const AgentRegistered = event('agent.registered', AgentPayload, 'An agent registered.')
export const AgentUpdated = event('agent.updated', AgentPayload, 'An agent changed its profile.')
export const AgentDeleted = event('agent.deleted', AgentPayload, 'An agent closed its account.')
export const AgentRemoved = event('agent.removed', AgentPayload, 'All that a deleted agent left behind is gone.')
export const AgentFollowed = event('agent.followed', FollowPayload, 'An agent began to follow another.')
export const AgentUnfollowed = event('agent.unfollowed', FollowPayload, 'An agent no longer follows another.')
export const AgentSuspended = event('agent.suspended', SuspensionPayload, 'An agent may not act for a while.')
export const AgentReinstated = event('agent.reinstated', AgentPayload, 'An agent may act again.')
export const KeyCreated = event('key.created', KeyPayload, 'An agent got another key.')
export const KeyRevoked = event('key.revoked', KeyPayload, 'A key of an agent ended.')
