import { type Static, Type } from '@sinclair/typebox'
import { closedObject, optional } from '../../../programs/entries/fields.ts'
import { History } from './history.ts'
import { Message } from './messages.ts'
import { OutputTurn, PaginationInfo } from './turns.ts'

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
/** What is on the terminal of a session. */
export const ScreenFrame = closedObject('SessionScreenEvent', {
  running: Type.Boolean({ description: 'Whether its program runs; while it does not, there are no lines.' }),
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
