import { type TProperties, Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const payload = <Properties extends TProperties>(id: string, properties: Properties) =>
  Type.Object(properties, { $id: id, additionalProperties: false })

const text = Type.String()
const conversation = { provider: text, conversation_id: text }
const AdapterPayload = Type.Object(
  { provider: text, account_id: text },
  { $id: 'AdapterEventPayload', additionalProperties: false },
)

export const AdapterAdded = defineEvent(
  'extmsg.adapter_added',
  AdapterPayload,
  'An adapter of external messages was registered.',
)
export const AdapterRemoved = defineEvent(
  'extmsg.adapter_removed',
  AdapterPayload,
  'An adapter of external messages was unregistered.',
)
export const ConversationBound = defineEvent(
  'extmsg.bound',
  payload('BoundEventPayload', { ...conversation, session_id: text, agent_name: Type.Optional(text) }),
  'A conversation was bound to a session.',
)
export const ConversationUnbound = defineEvent(
  'extmsg.unbound',
  payload('UnboundEventPayload', { session_id: text, count: Type.Integer() }),
  'Conversations were unbound from a session.',
)
export const GroupCreated = defineEvent(
  'extmsg.group_created',
  payload('GroupCreatedEventPayload', { ...conversation, mode: text }),
  'A group conversation was created.',
)
export const MessageReceived = defineEvent(
  'extmsg.inbound',
  payload('InboundEventPayload', {
    ...conversation,
    actor: text,
    target_session: text,
    target_agent: Type.Optional(text),
  }),
  'An external message came in.',
)
export const MessagePublished = defineEvent(
  'extmsg.outbound',
  payload('OutboundEventPayload', { ...conversation, session: text, message_id: text }),
  'A message was sent to an external conversation.',
)
export const ChannelMismatch = defineEvent(
  'extmsg.outbound_channel_mismatch',
  payload('OutboundChannelMismatchPayload', { ...conversation, posting_session: text, owner_session: text }),
  'A session sent to a conversation that another session owns.',
)
