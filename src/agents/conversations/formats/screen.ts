import { sha256 } from '../../../core/digest.ts'
import { asNumber, asString, isObject, parseJson } from '../../../programs/entries/index.ts'
import type { SessionRow } from '../../../work/sessions/index.ts'
import type { OutputTurn, StructuredFrame } from '../schema.ts'
import type { Message } from '../structured/messages.ts'
import { pendingIds, SUSPENDED } from './history.ts'
import type { ScreenPart } from './screen-parts.ts'

const VERSION = 'session.structured.v1' as const

/** The output of a session: turns of a conversation, or the text on its screen as one turn. */
export interface SessionOutput {
  format: 'conversation' | 'text'
  turns: OutputTurn[]
  /** Screen questions of its program, with their outcomes. */
  asked?: readonly Message[]
}

/** The output as messages of the raw format. */
export const toRawMessages = (output: SessionOutput | undefined): unknown[] =>
  (output?.turns ?? []).map(({ text }) => ({ role: 'assistant', content: [{ type: 'text', text }] }))

/** A structured transcript without its operation. */
export type StructuredSnapshot = Omit<StructuredFrame, 'operation' | 'reset_reason'>

const NO_LOG = 'shown from the screen: there is no log of the program that can be read'

/** The lines of a screen; none when it is blank. */
export const linesOf = (output: SessionOutput | undefined): string[] => {
  const text = textOf(output)
  return text === '' ? [] : text.split('\n')
}

const textOf = (output: SessionOutput | undefined): string => output?.turns.map((turn) => turn.text).join('\n') ?? ''

/** The structured transcript of a screen: one partial message. */
export function toStructured(row: SessionRow, output: SessionOutput | undefined): StructuredSnapshot {
  const messages = output ? [toMessage(row, { number: 1, text: textOf(output) })] : []
  return withMessages(row, output, { count: 1, messages: [...(output?.asked ?? []), ...messages] })
}

/** Lines of a screen as a message. */
export const toMessage = (row: SessionRow, { number, text }: ScreenPart): Message => ({
  role: 'assistant',
  id: messageId(row, number),
  status: 'partial',
  blocks: [{ type: 'text', text }],
})

/** The structured transcript of a screen that a reader has as so many messages, with some of those. */
export function withMessages(
  row: SessionRow,
  output: SessionOutput | undefined,
  { count, messages }: { count: number; messages: readonly Message[] },
): StructuredSnapshot {
  const id = messageId(row, count)
  const asked = output?.asked ?? []
  const pending = pendingIds(asked)
  return {
    id: row.id,
    template: row.template,
    provider: row.provider,
    format: 'structured',
    schema_version: VERSION,
    history: {
      gc_session_id: row.id,
      transcript_stream_id: streamId(row),
      generation: { id: String(row.generation) },
      cursor: { ...(output && { after_entry_id: id }), resume_token: resumeTokenOf(row, output, count) },
      continuity: { status: output || row.state === 'suspended' ? 'degraded' : 'unknown', note: NO_LOG },
      tail_state: {
        activity: 'unknown',
        ...(output && { last_entry_id: id }),
        ...(pending.length > 0 && { pending_interaction_ids: pending }),
        degraded: true,
        degraded_reason: row.state === 'suspended' ? SUSPENDED : NO_LOG,
      },
      diagnostics: [{ code: 'transcript_unavailable', count: 1, message: NO_LOG }],
    },
    structured_messages: [...messages],
  }
}

const streamId = ({ id }: SessionRow): string => `fallback:${id}`
const messageId = (row: SessionRow, number: number): string => `${streamId(row)}:${number}`

/** Changing state of a screen's questions; empty without any. */
const stateOf = (asked: readonly Message[]): string => asked.map(({ id, status }) => `\n${id} ${status}`).join('')

/** Received part of a screen, as encoded in the reader's token. */
interface ScreenToken {
  stream: string
  seen: string
  /** Number of its messages; absent means one. */
  count?: number
}

/** The resume token of a reader that has a screen as so many messages. */
function resumeTokenOf(row: SessionRow, output: SessionOutput | undefined, count: number): string {
  const seen = digest(textOf(output) + stateOf(output?.asked ?? []))
  const token: ScreenToken = { stream: streamId(row), seen, ...(count > 1 && { count }) }
  return `st1.${Buffer.from(JSON.stringify(token)).toString('base64url')}`
}

const digest = (text: string): string => sha256(text).slice(0, 16)

export type ScreenResume =
  | { how: 'same'; count: number }
  | ({ how: 'frame' } & Pick<StructuredFrame, 'operation' | 'reset_reason'>)

/** Determines how a reader with this token continues: it has all of the screen, or is sent all of it. */
export function resumeScreen(token: string, row: SessionRow, output: SessionOutput | undefined): ScreenResume {
  if (token === '') return { how: 'frame', operation: 'snapshot' }
  const state = decode(token)
  if (!state) return { how: 'frame', operation: 'reset', reset_reason: 'resume_invalid' }
  const { stream, count = 1 } = state
  if (stream !== streamId(row)) return { how: 'frame', operation: 'reset', reset_reason: 'stream_changed' }
  if (token === resumeTokenOf(row, output, count)) return { how: 'same', count }
  if (count > 1) return { how: 'frame', operation: 'reset', reset_reason: 'cursor_invalidated' }
  return { how: 'frame', operation: 'upsert' }
}

function decode(token: string): Omit<ScreenToken, 'seen'> | undefined {
  if (!token.startsWith('st1.')) return undefined
  const value = parseJson(Buffer.from(token.slice(4), 'base64url').toString())
  if (!isObject(value)) return undefined
  const stream = asString(value.stream)
  const count = asNumber(value.count)
  return stream === undefined ? undefined : { stream, ...(count !== undefined && { count }) }
}
