import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { listOf, nullable } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const
const Integer = Type.Integer({ format: 'int64' })
const Timestamp = Type.String({ format: 'date-time' })
const SchemaVersion = Type.Integer({ format: 'int64', description: 'The form of the record: 1.' })

/** Free keys and values; null where there are none. */
const Metadata = nullable(Type.Record(Type.String(), Type.String()))
const GivenMetadata = Type.Optional(Type.Record(Type.String(), Type.String()))

export const ConversationKind = Type.Union([Type.Literal('dm'), Type.Literal('room'), Type.Literal('thread')], {
  $id: 'ConversationKind',
  description: 'A talk with one person, a room of several, or a thread in a room.',
})

export const ConversationRef = Type.Object(
  {
    scope_id: Type.String({ description: 'Scope of the conversation, usually the name of the city.' }),
    provider: Type.String({ description: 'The messenger, in any case: `slack`.' }),
    account_id: Type.String({ description: 'The account of the messenger that the adapter speaks for.' }),
    conversation_id: Type.String({ description: 'Id of the conversation in the messenger.' }),
    parent_conversation_id: Type.Optional(Type.String({ description: 'The room that a thread is in.' })),
    kind: ConversationKind,
  },
  { $id: 'ConversationRef', ...closed, description: 'Names a conversation in a messenger, by all of its fields.' },
)
export type ConversationRef = Static<typeof ConversationRef>

export const ExternalActor = Type.Object(
  { id: Type.String(), display_name: Type.String(), is_bot: Type.Boolean() },
  { $id: 'ExternalActor', ...closed, description: 'Author of a message, as named by the messenger.' },
)
export type ExternalActor = Static<typeof ExternalActor>

export const ExternalAttachment = Type.Object(
  { provider_id: Type.String(), url: Type.String(), mime_type: Type.String() },
  { $id: 'ExternalAttachment', ...closed, description: 'A file that came with a message; gc does not fetch it.' },
)
export type ExternalAttachment = Static<typeof ExternalAttachment>

export const ExternalInboundMessage = Type.Object(
  {
    provider_message_id: Type.String({
      description: 'Id of the message in the messenger; repeated deliveries are recorded once.',
    }),
    conversation: ConversationRef,
    actor: ExternalActor,
    text: Type.String(),
    explicit_target: Type.Optional(Type.String({ description: 'The handle in a group that it is addressed to.' })),
    reply_to_message_id: Type.Optional(Type.String({ description: 'The message that it answers.' })),
    attachments: Type.Optional(nullable(Type.Array(ExternalAttachment))),
    dedup_key: Type.Optional(
      Type.String({ description: 'Identifies a repeated delivery instead of `provider_message_id`.' }),
    ),
    received_at: Timestamp,
  },
  { $id: 'ExternalInboundMessage', ...closed, description: 'A message from a messenger.' },
)
export type ExternalInboundMessage = Static<typeof ExternalInboundMessage>

export const AdapterCapabilities = Type.Object(
  {
    SupportsChildConversations: Type.Boolean(),
    SupportsAttachments: Type.Boolean(),
    MaxMessageLength: Type.Integer({ format: 'int64', description: 'In characters; 0 for no limit.' }),
  },
  { $id: 'AdapterCapabilities', ...closed, description: 'Capabilities of an adapter.' },
)
export type AdapterCapabilities = Static<typeof AdapterCapabilities>

export const AdapterRegistration = Type.Object(
  {
    provider: Type.String({ minLength: 1, description: 'The messenger.' }),
    account_id: Type.String({ minLength: 1, description: 'The account that it speaks for.' }),
    name: Type.Optional(Type.String({ description: '`provider/account_id` when absent.' })),
    callback_url: Type.Optional(
      Type.String({
        description:
          'Messages to the messenger are posted to `/publish` under this address; that of a service of the city is asked on its socket.',
      }),
    ),
    capabilities: Type.Optional(AdapterCapabilities),
  },
  { $id: 'ExtMsgAdapterRegisterInputBody', ...closed },
)
export type AdapterRegistration = Static<typeof AdapterRegistration>

export const RegisteredAdapter = Type.Object(
  { status: Type.String(), provider: Type.String(), account_id: Type.String(), name: Type.String() },
  { $id: 'ExtMsgAdapterRegisterOutputBody', ...closed },
)
export type RegisteredAdapter = Static<typeof RegisteredAdapter>

export const AdapterName = Type.Object(
  { provider: Type.String({ minLength: 1 }), account_id: Type.String({ minLength: 1 }) },
  { $id: 'ExtMsgAdapterUnregisterInputBody', ...closed },
)
export type AdapterName = Static<typeof AdapterName>

export const AdapterInfo = Type.Object(
  { provider: Type.String(), account_id: Type.String(), name: Type.String() },
  { $id: 'ExtmsgAdapterInfo', ...closed },
)
export const AdapterList = listOf(AdapterInfo, 'ListBodyExtmsgAdapterInfo')
export type AdapterList = Static<typeof AdapterList>

export const BindingStatus = Type.Union([Type.Literal('active'), Type.Literal('ended')], { $id: 'BindingStatus' })

export const SessionBindingRecord = Type.Object(
  {
    ID: Type.String(),
    SchemaVersion,
    Conversation: ConversationRef,
    SessionID: Type.String({ description: 'The session that answers; empty when an agent does.' }),
    SessionName: Type.String(),
    AgentName: Type.String({ description: 'The named session that answers; empty when a session of its own does.' }),
    Status: BindingStatus,
    BoundAt: Timestamp,
    ExpiresAt: nullable(Timestamp),
    BindingGeneration: Type.Integer({
      format: 'int64',
      description: 'Rises with every new binding of the conversation.',
    }),
    Metadata,
  },
  { $id: 'SessionBindingRecord', ...closed, description: 'Session or agent that replies in a conversation.' },
)
export type SessionBindingRecord = Static<typeof SessionBindingRecord>
export const BindingList = listOf(SessionBindingRecord, 'ListBodySessionBindingRecord')
export type BindingList = Static<typeof BindingList>

export const BindRequest = Type.Object(
  {
    conversation: Type.Optional(ConversationRef),
    session_id: Type.Optional(Type.String({ description: 'Session that answers.' })),
    agent_name: Type.Optional(
      Type.String({ description: 'Named session that answers; gc starts it when a message arrives.' }),
    ),
    replace: Type.Optional(Type.Boolean({ description: 'Also when another answers it now.' })),
    metadata: GivenMetadata,
  },
  { $id: 'ExtMsgBindInputBody', ...closed },
)
export type BindRequest = Static<typeof BindRequest>

export const UnbindRequest = Type.Object(
  {
    conversation: Type.Optional(ConversationRef),
    session_id: Type.Optional(Type.String()),
    agent_name: Type.Optional(Type.String()),
  },
  { $id: 'ExtMsgUnbindInputBody', ...closed, description: 'A binding ends only if it matches all given fields.' },
)
export type UnbindRequest = Static<typeof UnbindRequest>

export const UnbindResult = Type.Object(
  { unbound: nullable(Type.Array(SessionBindingRecord)) },
  { $id: 'ExtMsgUnbindBody', ...closed },
)
export type UnbindResult = Static<typeof UnbindResult>

export const FanoutPolicy = Type.Object(
  {
    Enabled: Type.Boolean(),
    AllowUntargetedPublication: Type.Boolean(),
    MaxPeerTriggeredPublishes: Integer,
    MaxTotalPeerDeliveries: Integer,
  },
  { $id: 'FanoutPolicy', ...closed },
)

export const ConversationGroupRecord = Type.Object(
  {
    ID: Type.String(),
    SchemaVersion,
    RootConversation: ConversationRef,
    Mode: Type.String({ description: '`launcher`.' }),
    DefaultHandle: Type.String({ description: 'Recipient of messages without an address.' }),
    LastAddressedHandle: Type.String({ description: 'Last addressed participant, which gets the following messages.' }),
    FanoutPolicy,
    Metadata,
  },
  { $id: 'ConversationGroupRecord', ...closed, description: 'A conversation that several sessions answer.' },
)
export type ConversationGroupRecord = Static<typeof ConversationGroupRecord>

export const GroupRequest = Type.Object(
  {
    root_conversation: Type.Optional(ConversationRef),
    mode: Type.Optional(Type.String({ description: '`launcher`, which is the default.' })),
    default_handle: Type.Optional(Type.String()),
    metadata: GivenMetadata,
  },
  { $id: 'ExtMsgGroupEnsureInputBody', ...closed },
)
export type GroupRequest = Static<typeof GroupRequest>

export const ConversationGroupParticipant = Type.Object(
  {
    ID: Type.String(),
    GroupID: Type.String(),
    Handle: Type.String({ description: 'By which people address it, in lower case.' }),
    SessionID: Type.String(),
    SessionName: Type.String(),
    Public: Type.Boolean(),
    Metadata,
  },
  { $id: 'ConversationGroupParticipant', ...closed },
)
export type ConversationGroupParticipant = Static<typeof ConversationGroupParticipant>

export const ParticipantRequest = Type.Object(
  {
    group_id: Type.String({ minLength: 1 }),
    handle: Type.String({ minLength: 1 }),
    session_id: Type.String({ minLength: 1 }),
    public: Type.Optional(Type.Boolean()),
    metadata: GivenMetadata,
  },
  { $id: 'ExtMsgParticipantUpsertInputBody', ...closed },
)
export type ParticipantRequest = Static<typeof ParticipantRequest>

export const ParticipantName = Type.Object(
  { group_id: Type.String({ minLength: 1 }), handle: Type.String({ minLength: 1 }) },
  { $id: 'ExtMsgParticipantRemoveInputBody', ...closed },
)
export type ParticipantName = Static<typeof ParticipantName>

/** A field of a group or conversation in a query. */
const refFields = {
  scope_id: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
  account_id: Type.Optional(Type.String()),
  conversation_id: Type.Optional(Type.String()),
  kind: Type.Optional(Type.String({ description: '`dm`, `room` or `thread`.' })),
} satisfies Record<string, TSchema>

export const GroupQuery = Type.Object(refFields)
export type GroupQuery = Static<typeof GroupQuery>

export const TranscriptQuery = Type.Object({
  ...refFields,
  parent_conversation_id: Type.Optional(Type.String()),
  after_sequence: Type.Optional(
    Type.Integer({ format: 'int64', description: 'Only messages with a higher sequence; 0 when absent.' }),
  ),
  limit: Type.Optional(Type.Integer({ format: 'int64', description: 'Maximum rows: default 100, up to 500.' })),
  order: Type.Optional(
    Type.Union([Type.Literal('asc'), Type.Literal('desc')], { description: 'By sequence; ascending when absent.' }),
  ),
})
export type TranscriptQuery = Static<typeof TranscriptQuery>
