import { Type } from '@sinclair/typebox'
import { count, flag, optional, shape, strings, text } from './fields.ts'

export const Generation = shape('SessionStructuredGeneration', { id: Type.String(), observed_at: text })

export const Cursor = shape('SessionStructuredCursor', { resume_token: Type.String(), after_entry_id: text })

export const Continuity = shape('SessionStructuredContinuity', {
  status: Type.String(),
  compaction_count: count,
  has_branches: flag,
  note: text,
})

export const TailState = shape('SessionStructuredTailState', {
  activity: Type.String(),
  degraded: flag,
  degraded_reason: text,
  last_entry_id: text,
  open_tool_call_ids: strings,
  pending_interaction_ids: strings,
})

export const Diagnostic = shape('SessionStructuredDiagnostic', { code: Type.String(), count, message: text })

export const History = shape('SessionStructuredHistory', {
  continuity: Continuity,
  cursor: Cursor,
  generation: Generation,
  tail_state: TailState,
  transcript_stream_id: Type.String(),
  diagnostics: optional(Type.Array(Diagnostic)),
  gc_session_id: text,
  logical_conversation_id: text,
  provider_session_id: text,
})
