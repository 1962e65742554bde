import { type Static, Type } from '@sinclair/typebox'
import { optional, shape } from './fields.ts'
import { History } from './history.ts'
import { Message } from './messages.ts'
import { OutputTurn, PaginationInfo } from './turns.ts'

const whose = {
  id: Type.String({ description: 'The session.' }),
  template: Type.String(),
  provider: Type.String(),
}
const paged = { pagination: optional(PaginationInfo) }
const turns = Type.Array(OutputTurn)
const Raw = Type.Unknown({
  $id: 'SessionRawMessageFrame',
  description: 'An entry of the program’s own log, as it stands there.',
})
const structured = {
  ...whose,
  format: Type.Literal('structured'),
  schema_version: Type.Literal('session.structured.v1'),
  history: History,
  structured_messages: Type.Array(Message),
  ...paged,
}

export const ConversationTranscript = shape('SessionTranscriptConversationResponse', {
  ...whose,
  format: Type.Union([Type.Literal('conversation'), Type.Literal('text')], {
    description: '`text` when only the screen can be shown.',
  }),
  turns: optional(turns),
  ...paged,
})

export const RawTranscript = shape('SessionTranscriptRawResponse', {
  ...whose,
  format: Type.Literal('raw'),
  messages: Type.Array(Raw),
  ...paged,
})

export const StructuredTranscript = shape('SessionTranscriptStructuredResponse', {
  ...structured,
  operation: Type.Literal('snapshot'),
})

export const Transcript = Type.Union([ConversationTranscript, RawTranscript, StructuredTranscript], {
  $id: 'SessionTranscriptGetResponse',
})
export type Transcript = Static<typeof Transcript>

export const TurnFrame = shape('SessionStreamMessageEvent', { ...whose, format: Type.String(), turns, ...paged })
export const RawFrame = shape('SessionStreamRawMessageEvent', {
  ...whose,
  format: Type.String(),
  messages: Type.Array(Raw),
  ...paged,
})
export const StructuredFrame = shape('SessionStreamStructuredMessageEvent', {
  ...structured,
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

export const ActivityFrame = shape('SessionActivityEvent', {
  activity: Type.String({ description: '`idle` or `in-turn`.' }),
})
export const PendingCleared = shape('SessionPendingClearedEvent', { request_id: Type.String() })

export const TranscriptFormat = Type.Union([
  Type.Literal('conversation'),
  Type.Literal('raw'),
  Type.Literal('structured'),
])
export type TranscriptFormat = Static<typeof TranscriptFormat>
