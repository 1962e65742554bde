import { type Static, Type } from '@sinclair/typebox'
import { flag, optional, shape, text } from './fields.ts'
import { Interaction } from './parts.ts'
import { ToolInput } from './tool-input.ts'
import { ToolResult } from './tool-result.ts'

export const BlockText = shape('SessionStructuredBlockText', { type: Type.Literal('text'), text })

export const BlockThinking = shape('SessionStructuredBlockThinking', {
  type: Type.Literal('thinking'),
  signature: text,
  thinking: text,
})

export const BlockToolUse = shape('SessionStructuredBlockToolUse', {
  type: Type.Literal('tool_use'),
  file_path: text,
  id: text,
  input: optional(ToolInput),
  name: text,
})

export const BlockToolResult = shape('SessionStructuredBlockToolResult', {
  type: Type.Literal('tool_result'),
  content: text,
  file_path: text,
  is_error: flag,
  name: text,
  structured: optional(ToolResult),
  tool_call_id: text,
})

export const BlockInteraction = shape('SessionStructuredBlockInteraction', {
  type: Type.Literal('interaction'),
  interaction: optional(Interaction),
})

export const BlockImage = shape('SessionStructuredBlockImage', {
  type: Type.Literal('image'),
  file_path: text,
  image_url: text,
  mime_type: text,
  text,
})

export const BlockUnknown = shape('SessionStructuredBlockUnknown', {
  type: Type.Literal('unknown'),
  content: text,
  file_path: text,
  id: text,
  image_url: text,
  input: optional(ToolInput),
  interaction: optional(Interaction),
  is_error: flag,
  mime_type: text,
  name: text,
  signature: text,
  structured: optional(ToolResult),
  text,
  thinking: text,
  tool_call_id: text,
})

export const Block = Type.Union(
  [BlockText, BlockThinking, BlockToolUse, BlockToolResult, BlockInteraction, BlockImage, BlockUnknown],
  { $id: 'SessionStructuredBlock' },
)
export type Block = Static<typeof Block>
