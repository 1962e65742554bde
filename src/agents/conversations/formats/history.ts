import type { Static } from '@sinclair/typebox'
import { statusOf } from '../../../programs/log-status.ts'
import type { LogReader } from '../../../programs/logs/index.ts'
import type { SessionRow } from '../../../work/sessions/index.ts'
import type { History } from '../structured/history.ts'
import type { Message } from '../structured/messages.ts'
import { merged } from './questions.ts'
import { tokenOf } from './resume-token.ts'

/** The history part of a structured transcript, which describes the log and what its program asked on its screen. */
export function toHistory(
  row: SessionRow,
  reader: LogReader,
  messages: readonly Message[],
  thinking: boolean,
  asked: readonly Message[],
): Static<typeof History> {
  const { snapshot } = reader
  const compactions = snapshot.entries.filter(({ boundary }) => boundary).length
  const { activity } = statusOf(snapshot)
  const last = messages.at(-1)?.id
  const openCalls = openCallIds(messages)
  const all = merged(messages, asked)
  const pending = pendingIds(all)
  const diagnostics = [...reader.diagnostics, ...(reader.truncated ? [TRUNCATED] : [])]
  const suspended = row.state === 'suspended'
  return {
    gc_session_id: row.id,
    ...(snapshot.key !== undefined && { logical_conversation_id: snapshot.key, provider_session_id: snapshot.key }),
    transcript_stream_id: reader.stream,
    generation: { id: String(reader.generation) },
    cursor: {
      ...(last !== undefined && { after_entry_id: last }),
      resume_token: tokenOf(reader.stream, all, thinking),
    },
    continuity: {
      status: reader.truncated || suspended ? 'degraded' : compactions > 0 ? 'compacted' : 'continuous',
      ...(compactions > 0 && { compaction_count: compactions }),
      ...(snapshot.hasBranches && { has_branches: true }),
    },
    tail_state: {
      activity: activity === undefined ? 'unknown' : activity === 'in-turn' ? 'in_turn' : 'idle',
      ...(last !== undefined && { last_entry_id: last }),
      ...(openCalls.length > 0 && { open_tool_call_ids: openCalls }),
      ...(pending.length > 0 && { pending_interaction_ids: pending }),
      ...(suspended && { degraded: true, degraded_reason: SUSPENDED }),
    },
    ...(diagnostics.length > 0 && {
      diagnostics: diagnostics.map(({ code, count, message }) => ({ code, count, message })),
    }),
  }
}

/** Reason the end of a suspended session's conversation is not what comes next. */
export const SUSPENDED = 'the session is suspended; its conversation resumes when someone wakes it'

const TRUNCATED = { code: 'history_truncated', count: 1, message: 'the log is long; its oldest entries were left out' }

/** The ids of calls without a result; only the newest messages can have any. */
function openCallIds(messages: readonly Message[]): string[] {
  const answered = new Set<string>()
  const open: string[] = []
  for (const { blocks } of messages.slice(-50).reverse()) {
    for (const block of [...blocks].reverse()) {
      if (block.type === 'tool_result' && block.tool_call_id !== undefined) answered.add(block.tool_call_id)
      if (block.type === 'tool_use' && block.id !== undefined && !answered.has(block.id)) open.unshift(block.id)
    }
  }
  return open
}

/** The ids of questions that wait for an answer; only the newest messages can have any. */
export const pendingIds = (messages: readonly Message[]): string[] =>
  messages
    .slice(-50)
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.type === 'interaction' && block.interaction ? [block.interaction] : []))
    .flatMap(({ state, request_id: id }) => (state === 'pending' && id !== undefined ? [id] : []))
