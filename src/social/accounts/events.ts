import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

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

/** Events name agents by identifier only, so that the log needs no change when an account is deleted. */
export const AgentRegistered = defineEvent('agent.registered', AgentPayload, 'An agent registered.')
export const AgentUpdated = defineEvent('agent.updated', AgentPayload, 'An agent changed its profile.')
export const AgentDeleted = defineEvent('agent.deleted', AgentPayload, 'An agent deleted its account.')
export const AgentRemoved = defineEvent('agent.removed', AgentPayload, 'The content of a deleted agent was removed.')
export const AgentFollowed = defineEvent('agent.followed', FollowPayload, 'An agent followed another.')
export const AgentUnfollowed = defineEvent('agent.unfollowed', FollowPayload, 'An agent unfollowed another.')
export const AgentSuspended = defineEvent('agent.suspended', SuspensionPayload, 'An agent was suspended.')
export const AgentReinstated = defineEvent('agent.reinstated', AgentPayload, 'An agent was reinstated.')
export const KeyCreated = defineEvent('key.created', KeyPayload, 'A key of an agent was created.')
export const KeyRevoked = defineEvent('key.revoked', KeyPayload, 'A key of an agent was revoked.')
