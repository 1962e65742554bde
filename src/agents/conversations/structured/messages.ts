import { type Static, Type } from '@sinclair/typebox'
import { Block } from './blocks.ts'
import { count, optional, shape, strings, text } from './fields.ts'

/** `final` will not change any more; `superseded` was replaced by a later one. */
const Status = Type.Union([
  Type.Literal('unknown'),
  Type.Literal('final'),
  Type.Literal('partial'),
  Type.Literal('superseded'),
])

export const Usage = shape('SessionStructuredUsage', {
  cache_creation_tokens: count,
  cache_read_tokens: count,
  context_percent: count,
  context_used_tokens: count,
  context_window_tokens: count,
  input_tokens: count,
  output_tokens: count,
  reasoning_tokens: count,
})

export const IDESelection = shape('SessionStructuredIDESelection', { text })

export const UploadedFile = shape('SessionStructuredUploadedFile', {
  file_path: text,
  mime_type: text,
  original_name: text,
  preview_url: text,
  size: text,
})

export const UserPrompt = shape('SessionStructuredUserPrompt', {
  opened_files: strings,
  selections: optional(Type.Array(IDESelection)),
  text,
  uploaded_files: optional(Type.Array(UploadedFile)),
})

export const SystemEvent = shape('SessionStructuredSystemEvent', {
  kind: text,
  category: text,
  code: text,
  message: text,
})

export const MessageUser = shape('SessionStructuredMessageUser', {
  role: Type.Literal('user'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  provider: text,
  timestamp: text,
  user_prompt: optional(UserPrompt),
})

export const MessageAssistant = shape('SessionStructuredMessageAssistant', {
  role: Type.Literal('assistant'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  model: text,
  provider: text,
  stop_reason: text,
  timestamp: text,
  usage: optional(Usage),
})

export const MessageSystem = shape('SessionStructuredMessageSystem', {
  role: Type.Literal('system'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  provider: text,
  system_event: optional(SystemEvent),
  timestamp: text,
})

export const MessageTool = shape('SessionStructuredMessageTool', {
  role: Type.Literal('tool'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  provider: text,
  timestamp: text,
})

export const MessageUnknown = shape('SessionStructuredMessageUnknown', {
  role: Type.Literal('unknown'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  model: text,
  provider: text,
  stop_reason: text,
  system_event: optional(SystemEvent),
  timestamp: text,
  usage: optional(Usage),
  user_prompt: optional(UserPrompt),
})

export const Message = Type.Union([MessageUnknown, MessageUser, MessageAssistant, MessageSystem, MessageTool], {
  $id: 'SessionStructuredMessage',
})
export type Message = Static<typeof Message>
