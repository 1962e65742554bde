import { createHash } from 'node:crypto'
import type { SessionRow } from '../../sessions/table.ts'
import type { Message } from '../structured/messages.ts'
import type { StructuredFrame } from '../structured/transcript.ts'
import type { OutputTurn } from '../structured/turns.ts'
import { pendingIds, SUSPENDED } from './history.ts'

const VERSION = 'session.structured.v1' as const

/** The output of a session: turns of a conversation, or the text on its screen as one turn. */
export interface SessionOutput {
  format: 'conversation' | 'text'
  turns: OutputTurn[]
  /** What its program asked on its screen, with what became of it. */
  asked?: readonly Message[]
}

/** The output as messages of the raw format. */
export const toRawMessages = (output: SessionOutput | undefined): unknown[] =>
  (output?.turns ?? []).map(({ text }) => ({ role: 'assistant', content: [{ type: 'text', text }] }))

/** A structured transcript without its operation. */
export type StructuredSnapshot = Omit<StructuredFrame, 'operation' | 'reset_reason'>

const NO_LOG = 'shown from the screen: there is no log of the program that can be read'

/** The structured transcript of a screen: one partial message. */
export function toStructured(row: SessionRow, output: SessionOutput | undefined): StructuredSnapshot {
  const stream = `fallback:${row.id}`
  const text = output?.turns.map((turn) => turn.text).join('\n') ?? ''
  const id = `${stream}:1`
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
      transcript_stream_id: stream,
      generation: { id: String(row.generation) },
      cursor: { ...(output && { after_entry_id: id }), resume_token: resumeTokenOf(stream, text + stateOf(asked)) },
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
    structured_messages: [
      ...asked,
      ...(output
        ? [{ role: 'assistant' as const, id, status: 'partial' as const, blocks: [{ type: 'text' as const, text }] }]
        : []),
    ],
  }
}

/** What changes of a screen's questions; empty without any. */
const stateOf = (asked: readonly Message[]): string => asked.map(({ id, status }) => `\n${id} ${status}`).join('')

/** The resume token for a screen with this text. */
const resumeTokenOf = (stream: string, text: string): string => `st1.${encode({ stream, seen: digest(text) })}`

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Determines how a reader with this token continues: from the start, or with what changed. */
export function resumeScreen(
  token: string,
  snapshot: StructuredSnapshot,
): Pick<StructuredFrame, 'operation' | 'reset_reason'> | 'same' {
  if (token === '') return { operation: 'snapshot' }
  const { resume_token, after_entry_id: _ } = snapshot.history.cursor
  if (token === resume_token) return 'same'
  const stream = streamOf(token)
  if (stream === undefined) return { operation: 'reset', reset_reason: 'resume_invalid' }
  if (stream !== snapshot.history.transcript_stream_id) return { operation: 'reset', reset_reason: 'stream_changed' }
  return { operation: 'upsert' }
}

function streamOf(token: string): string | undefined {
  if (!token.startsWith('st1.')) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(token.slice(4), 'base64url').toString())
    if (typeof value !== 'object' || value === null || !('stream' in value)) return undefined
    return typeof value.stream === 'string' ? value.stream : undefined
  } catch {
    return undefined
  }
}
