import { type Static, Type } from '@sinclair/typebox'
import {
  Block,
  closedObject,
  optional,
  optionalInteger,
  optionalString,
  optionalStrings,
} from '../../../programs/entries/index.ts'

/** `final` will not change any more; `superseded` was replaced by a later one. */
const Status = Type.Union([
  Type.Literal('unknown'),
  Type.Literal('final'),
  Type.Literal('partial'),
  Type.Literal('superseded'),
])

export const Usage = closedObject('SessionStructuredUsage', {
  cache_creation_tokens: optionalInteger,
  cache_read_tokens: optionalInteger,
  context_percent: optionalInteger,
  context_used_tokens: optionalInteger,
  context_window_tokens: optionalInteger,
  input_tokens: optionalInteger,
  output_tokens: optionalInteger,
  reasoning_tokens: optionalInteger,
})

export const IDESelection = closedObject('SessionStructuredIDESelection', { text: optionalString })

export const UploadedFile = closedObject('SessionStructuredUploadedFile', {
  file_path: optionalString,
  mime_type: optionalString,
  original_name: optionalString,
  preview_url: optionalString,
  size: optionalString,
})

export const UserPrompt = closedObject('SessionStructuredUserPrompt', {
  opened_files: optionalStrings,
  selections: optional(Type.Array(IDESelection)),
  text: optionalString,
  uploaded_files: optional(Type.Array(UploadedFile)),
})

export const SystemEvent = closedObject('SessionStructuredSystemEvent', {
  kind: optionalString,
  category: optionalString,
  code: optionalString,
  message: optionalString,
})

export const MessageUser = closedObject('SessionStructuredMessageUser', {
  role: Type.Literal('user'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  provider: optionalString,
  timestamp: optionalString,
  user_prompt: optional(UserPrompt),
})

export const MessageAssistant = closedObject('SessionStructuredMessageAssistant', {
  role: Type.Literal('assistant'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  model: optionalString,
  provider: optionalString,
  stop_reason: optionalString,
  timestamp: optionalString,
  usage: optional(Usage),
})

export const MessageSystem = closedObject('SessionStructuredMessageSystem', {
  role: Type.Literal('system'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  provider: optionalString,
  system_event: optional(SystemEvent),
  timestamp: optionalString,
})

export const MessageTool = closedObject('SessionStructuredMessageTool', {
  role: Type.Literal('tool'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  provider: optionalString,
  timestamp: optionalString,
})

export const MessageUnknown = closedObject('SessionStructuredMessageUnknown', {
  role: Type.Literal('unknown'),
  blocks: Type.Array(Block),
  id: Type.String(),
  status: Status,
  model: optionalString,
  provider: optionalString,
  stop_reason: optionalString,
  system_event: optional(SystemEvent),
  timestamp: optionalString,
  usage: optional(Usage),
  user_prompt: optional(UserPrompt),
})

export const Message = Type.Union([MessageUnknown, MessageUser, MessageAssistant, MessageSystem, MessageTool], {
  $id: 'SessionStructuredMessage',
})
export type Message = Static<typeof Message>
