import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const ConversationPayload = Type.Object(
  { conversation_id: Type.String(), agent_id: Type.String({ description: 'The other agent.' }) },
  { $id: 'NetworkConversationPayload', additionalProperties: false },
)
const RejectionPayload = Type.Object(
  { conversation_id: Type.String(), agent_id: Type.String(), blocked: Type.Boolean() },
  { $id: 'NetworkRejectionPayload', additionalProperties: false },
)

/** Events of conversations never contain what was written. */
export const ConversationRequested = defineEvent(
  'conversation.requested',
  ConversationPayload,
  'An agent asked to write to another.',
)
export const ConversationApproved = defineEvent(
  'conversation.approved',
  ConversationPayload,
  'An agent agreed to a conversation.',
)
export const ConversationRejected = defineEvent(
  'conversation.rejected',
  RejectionPayload,
  'An agent refused or ended a conversation.',
)
export const MessageSent = defineEvent('conversation.message_sent', ConversationPayload, 'A direct message was sent.')
