import { type Static, Type } from '@sinclair/typebox'
import { closedObject, optional, optionalBoolean, optionalString } from './fields.ts'
import { Interaction } from './parts.ts'
import { ToolInput } from './tool-input.ts'
import { ToolResult } from './tool-result.ts'

export const BlockText = closedObject('SessionStructuredBlockText', {
  type: Type.Literal('text'),
  text: optionalString,
})

export const BlockThinking = closedObject('SessionStructuredBlockThinking', {
  type: Type.Literal('thinking'),
  signature: optionalString,
  thinking: optionalString,
})

export const BlockToolUse = closedObject('SessionStructuredBlockToolUse', {
  type: Type.Literal('tool_use'),
  file_path: optionalString,
  id: optionalString,
  input: optional(ToolInput),
  name: optionalString,
})

export const BlockToolResult = closedObject('SessionStructuredBlockToolResult', {
  type: Type.Literal('tool_result'),
  content: optionalString,
  file_path: optionalString,
  is_error: optionalBoolean,
  name: optionalString,
  structured: optional(ToolResult),
  tool_call_id: optionalString,
})

export const BlockInteraction = closedObject('SessionStructuredBlockInteraction', {
  type: Type.Literal('interaction'),
  interaction: optional(Interaction),
})

export const BlockImage = closedObject('SessionStructuredBlockImage', {
  type: Type.Literal('image'),
  file_path: optionalString,
  image_url: optionalString,
  mime_type: optionalString,
  text: optionalString,
})

export const BlockUnknown = closedObject('SessionStructuredBlockUnknown', {
  type: Type.Literal('unknown'),
  content: optionalString,
  file_path: optionalString,
  id: optionalString,
  image_url: optionalString,
  input: optional(ToolInput),
  interaction: optional(Interaction),
  is_error: optionalBoolean,
  mime_type: optionalString,
  name: optionalString,
  signature: optionalString,
  structured: optional(ToolResult),
  text: optionalString,
  thinking: optionalString,
  tool_call_id: optionalString,
})

export const Block = Type.Union(
  [BlockText, BlockThinking, BlockToolUse, BlockToolResult, BlockInteraction, BlockImage, BlockUnknown],
  { $id: 'SessionStructuredBlock' },
)
export type Block = Static<typeof Block>
