import { type Static, Type } from '@sinclair/typebox'
import { listOf, nullable } from '../../http/schema.ts'
import {
  ConversationRef,
  ExternalActor,
  ExternalAttachment,
  ExternalInboundMessage,
  SessionBindingRecord,
} from './schema.ts'

const closed = { additionalProperties: false } as const
const Integer = Type.Integer({ format: 'int64' })
const Timestamp = Type.String({ format: 'date-time' })
const Metadata = nullable(Type.Record(Type.String(), Type.String()))

export const TranscriptMessageKind = Type.Union([Type.Literal('inbound'), Type.Literal('outbound')], {
  $id: 'TranscriptMessageKind',
})
export const TranscriptProvenance = Type.Union([Type.Literal('live'), Type.Literal('hydrated')], {
  $id: 'TranscriptProvenance',
  description: 'True if it was recorded as it passed, or read from the messenger later.',
})

export const ConversationTranscriptRecord = Type.Object(
  {
    ID: Type.String(),
    SchemaVersion: Integer,
    Conversation: ConversationRef,
    Sequence: Type.Integer({ format: 'int64', description: 'Counts the messages of the conversation from 1.' }),
    Kind: TranscriptMessageKind,
    Provenance: TranscriptProvenance,
    ProviderMessageID: Type.String({ description: 'Id in the messenger.' }),
    Actor: ExternalActor,
    Text: Type.String(),
    ExplicitTarget: Type.String({ description: 'The handle that it was addressed to; empty for none.' }),
    ReplyToMessageID: Type.String({ description: 'Id in the messenger of the message that it replies to.' }),
    Attachments: nullable(Type.Array(ExternalAttachment)),
    SourceSessionID: Type.String({ description: 'The session that sent it; empty for one from outside.' }),
    CreatedAt: Timestamp,
    Metadata,
  },
  { $id: 'ConversationTranscriptRecord', ...closed, description: 'One message of a conversation.' },
)
export type ConversationTranscriptRecord = Static<typeof ConversationTranscriptRecord>
export const TranscriptList = listOf(ConversationTranscriptRecord, 'ListBodyConversationTranscriptRecord')
export type TranscriptList = Static<typeof TranscriptList>

export const TranscriptAck = Type.Object(
  {
    session_id: Type.String({ minLength: 1 }),
    conversation: Type.Optional(ConversationRef),
    sequence: Type.Optional(Type.Integer({ format: 'int64', description: 'The last message that it has read.' })),
  },
  { $id: 'ExtMsgTranscriptAckInputBody', ...closed },
)
export type TranscriptAck = Static<typeof TranscriptAck>

export const GroupRouteDecision = Type.Object(
  {
    Match: Type.String({
      description:
        'Reason of the route: `explicit_target`, `last_addressed`, `default`, `no_match` without a matching participant, or `no_group`.',
    }),
    TargetSessionID: Type.String(),
    UpdateCursor: Type.Boolean({ description: 'True if later messages go there as well.' }),
  },
  { $id: 'GroupRouteDecision', ...closed },
)
export type GroupRouteDecision = Static<typeof GroupRouteDecision>

export const InboundRequest = Type.Object(
  {
    message: Type.Optional(ExternalInboundMessage),
    provider: Type.Optional(Type.String({ description: 'Adapter that reads `payload`.' })),
    account_id: Type.Optional(Type.String()),
    payload: Type.Optional(
      Type.String({
        contentEncoding: 'base64',
        description: 'A message as the messenger sent it. Adapters behind an address cannot read it: send `message`.',
      }),
    ),
  },
  { $id: 'ExtMsgInboundInputBody', ...closed },
)
export type InboundRequest = Static<typeof InboundRequest>

export const InboundResult = Type.Object(
  {
    Message: ExternalInboundMessage,
    Binding: nullable(SessionBindingRecord),
    GroupRoute: nullable(GroupRouteDecision),
    TranscriptEntry: nullable(ConversationTranscriptRecord),
    TargetSessionID: Type.String(),
    TargetAgentName: Type.String(),
  },
  { $id: 'InboundResult', ...closed, description: 'Route of a message. Without a TranscriptEntry it reached no one.' },
)
export type InboundResult = Static<typeof InboundResult>

export const OutboundRequest = Type.Object(
  {
    session_id: Type.String({ minLength: 1, description: 'The session that sends.' }),
    conversation: Type.Optional(ConversationRef),
    text: Type.Optional(Type.String()),
    reply_to_message_id: Type.Optional(Type.String()),
    idempotency_key: Type.Optional(
      Type.String({ description: 'The same key sends one message: later requests get the first receipt.' }),
    ),
  },
  { $id: 'ExtMsgOutboundInputBody', ...closed },
)
export type OutboundRequest = Static<typeof OutboundRequest>

export const PublishReceipt = Type.Object(
  {
    MessageID: Type.String({ description: 'Id of the message in the messenger.' }),
    Conversation: Type.Object(
      { ...ConversationRef.properties, kind: Type.String() },
      { ...closed, description: 'Recipient; all fields are empty if the adapter did not report it.' },
    ),
    Delivered: Type.Boolean(),
    FailureKind: Type.String({
      description:
        'Delivery failure: `unsupported`, `auth`, `rate_limited`, `transient`, `permanent` or `not_found`; `unknown` if it was sent without a response and may have arrived.',
    }),
    RetryAfter: Type.Integer({ format: 'int64', description: 'Delay before a retry, in nanoseconds.' }),
    Metadata,
  },
  { $id: 'PublishReceipt', ...closed, description: 'Response of an adapter.' },
)
export type PublishReceipt = Static<typeof PublishReceipt>

export const DeliveryContextRecord = Type.Object(
  {
    ID: Type.String(),
    SchemaVersion: Integer,
    SessionID: Type.String(),
    Conversation: ConversationRef,
    BindingGeneration: Integer,
    LastPublishedAt: Timestamp,
    LastMessageID: Type.String(),
    SourceSessionID: Type.String(),
    Metadata,
  },
  { $id: 'DeliveryContextRecord', ...closed, description: 'Last message of a session to a conversation bound to it.' },
)

export const OutboundResult = Type.Object(
  {
    Receipt: PublishReceipt,
    DeliveryContext: nullable(DeliveryContextRecord),
    TranscriptEntry: nullable(ConversationTranscriptRecord),
  },
  { $id: 'OutboundResult', ...closed, description: 'Delivery outcome of a message, see Receipt.' },
)
export type OutboundResult = Static<typeof OutboundResult>

/** Ours: a conversation with who answers it. */
export const ConversationView = Type.Object(
  {
    id: Type.String({ description: 'Name in gc.' }),
    conversation: ConversationRef,
    binding: Type.Optional(SessionBindingRecord),
    group_id: Type.Optional(Type.String({ description: 'The group whose participants answer it.' })),
    last_sequence: Type.Integer({ description: 'Number of its messages.' }),
    undelivered: Type.Optional(
      Type.String({ description: 'Reason its last message reached no one; set if no one replies.' }),
    ),
    updated_at: Timestamp,
  },
  { $id: 'ExternalConversation', ...closed },
)
export type ConversationView = Static<typeof ConversationView>
export const ConversationViewList = listOf(ConversationView, 'ExternalConversationList')
export type ConversationViewList = Static<typeof ConversationViewList>
