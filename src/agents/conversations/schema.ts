import { type Static, Type } from '@sinclair/typebox'
import { closedObject, optional } from '../../programs/entries/index.ts'
import { History } from './structured/history.ts'
import { Message } from './structured/messages.ts'

const closed = { additionalProperties: false } as const

export const OutputTurn = Type.Object(
  {
    role: Type.String({ description: '`user`, `assistant`, `system`, `result`, or `output` for a screen.' }),
    text: Type.String(),
    timestamp: Type.Optional(Type.String()),
  },
  { $id: 'OutputTurn', ...closed },
)
export type OutputTurn = Static<typeof OutputTurn>

export const PaginationInfo = Type.Object(
  {
    has_older_messages: Type.Boolean(),
    has_newer_messages: Type.Optional(Type.Boolean()),
    total_message_count: Type.Integer(),
    returned_message_count: Type.Integer(),
    truncated_before_message: Type.Optional(
      Type.String({ description: 'Give it as `before` for the page before this one.' }),
    ),
    total_compactions: Type.Integer({ description: 'Number of compactions of the conversation.' }),
  },
  { $id: 'PaginationInfo', ...closed },
)
export type PaginationInfo = Static<typeof PaginationInfo>

const sessionFields = {
  id: Type.String({ description: 'The session.' }),
  template: Type.String(),
  provider: Type.String(),
}
const pagedFields = { pagination: optional(PaginationInfo) }
const turns = Type.Array(OutputTurn)
const Raw = Type.Unknown({
  $id: 'SessionRawMessageFrame',
  description: 'An entry as the program logged it.',
})
const structuredFields = {
  ...sessionFields,
  format: Type.Literal('structured'),
  schema_version: Type.Literal('session.structured.v1'),
  history: History,
  structured_messages: Type.Array(Message),
  ...pagedFields,
}

export const ConversationTranscript = closedObject('SessionTranscriptConversationResponse', {
  ...sessionFields,
  format: Type.Union([Type.Literal('conversation'), Type.Literal('text')], {
    description: '`text` when only the screen can be shown.',
  }),
  turns: optional(turns),
  ...pagedFields,
})

export const RawTranscript = closedObject('SessionTranscriptRawResponse', {
  ...sessionFields,
  format: Type.Literal('raw'),
  messages: Type.Array(Raw),
  ...pagedFields,
})

export const StructuredTranscript = closedObject('SessionTranscriptStructuredResponse', {
  ...structuredFields,
  operation: Type.Literal('snapshot'),
})

export const Transcript = Type.Union([ConversationTranscript, RawTranscript, StructuredTranscript], {
  $id: 'SessionTranscriptGetResponse',
})
export type Transcript = Static<typeof Transcript>

export const TurnFrame = closedObject('SessionStreamMessageEvent', {
  ...sessionFields,
  format: Type.String(),
  turns,
  ...pagedFields,
})
/** Contents of a session's terminal. */
export const ScreenFrame = closedObject('SessionScreenEvent', {
  running: Type.Boolean({ description: 'True if its program runs; the lines are otherwise those that it left.' }),
  lines: Type.Array(Type.String(), { description: 'The last lines of its terminal, the newest last.' }),
})
export const RawFrame = closedObject('SessionStreamRawMessageEvent', {
  ...sessionFields,
  format: Type.String(),
  messages: Type.Array(Raw),
  ...pagedFields,
})
export const StructuredFrame = closedObject('SessionStreamStructuredMessageEvent', {
  ...structuredFields,
  operation: Type.Union([Type.Literal('snapshot'), Type.Literal('upsert'), Type.Literal('reset')]),
  reset_reason: optional(
    Type.Union([
      Type.Literal('resume_invalid'),
      Type.Literal('stream_changed'),
      Type.Literal('cursor_invalidated'),
      Type.Literal('history_rewritten'),
    ]),
  ),
})
export type StructuredFrame = Static<typeof StructuredFrame>

export const ActivityFrame = closedObject('SessionActivityEvent', {
  activity: Type.String({ description: '`idle` or `in-turn`.' }),
})
export const PendingCleared = closedObject('SessionPendingClearedEvent', { request_id: Type.String() })

export const TranscriptFormat = Type.Union([
  Type.Literal('conversation'),
  Type.Literal('raw'),
  Type.Literal('structured'),
])
export type TranscriptFormat = Static<typeof TranscriptFormat>

/** The latest output of an agent, under its own name. */
export const AgentOutput = Type.Object(
  {
    agent: Type.String(),
    format: Type.String({ description: '`conversation`, or `text` for lines of a screen.' }),
    turns: Type.Array(OutputTurn),
    pagination: Type.Optional(PaginationInfo),
  },
  { $id: 'AgentOutputResponse', ...closed },
)
export type AgentOutput = Static<typeof AgentOutput>
