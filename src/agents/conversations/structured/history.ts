import { Type } from '@sinclair/typebox'
import {
  closedObject,
  optional,
  optionalBoolean,
  optionalInteger,
  optionalString,
  optionalStrings,
} from '../../../programs/entries/index.ts'

export const Generation = closedObject('SessionStructuredGeneration', {
  id: Type.String(),
  observed_at: optionalString,
})

export const Cursor = closedObject('SessionStructuredCursor', {
  resume_token: Type.String(),
  after_entry_id: optionalString,
})

export const Continuity = closedObject('SessionStructuredContinuity', {
  status: Type.String(),
  compaction_count: optionalInteger,
  has_branches: optionalBoolean,
  note: optionalString,
})

export const TailState = closedObject('SessionStructuredTailState', {
  activity: Type.String(),
  degraded: optionalBoolean,
  degraded_reason: optionalString,
  last_entry_id: optionalString,
  open_tool_call_ids: optionalStrings,
  pending_interaction_ids: optionalStrings,
})

export const Diagnostic = closedObject('SessionStructuredDiagnostic', {
  code: Type.String(),
  count: optionalInteger,
  message: optionalString,
})

export const History = closedObject('SessionStructuredHistory', {
  continuity: Continuity,
  cursor: Cursor,
  generation: Generation,
  tail_state: TailState,
  transcript_stream_id: Type.String(),
  diagnostics: optional(Type.Array(Diagnostic)),
  gc_session_id: optionalString,
  logical_conversation_id: optionalString,
  provider_session_id: optionalString,
})
