import type { Block } from '../structured/blocks.ts'
import { asArray, asObject, asString, isObject, type JsonRecord, omitUndefined, stringify } from './json.ts'
import { fileOf, toolInput } from './tool-inputs.ts'
import type { ToolCall } from './tool-kinds.ts'
import { type ToolOutcome, toolResult } from './tool-results.ts'

/** Computes a value when it is first needed, and returns the same one afterwards. */
export function lazy<T>(compute: () => T): () => T {
  let cached: { value: T } | undefined
  return () => {
    cached ??= { value: compute() }
    return cached.value
  }
}

export const textBlock = (text: string): Block => ({ type: 'text', text })

export const thinkingBlock = (thinking: string | undefined, signature?: string): Block =>
  omitUndefined({ type: 'thinking' as const, thinking, signature })

export const toolUseBlock = (id: string | undefined, call: ToolCall): Block =>
  omitUndefined({
    type: 'tool_use' as const,
    id,
    name: call.name,
    input: toolInput(call),
    file_path: fileOf(call.input),
  })

export const toolResultBlock = (id: string | undefined, call: ToolCall | undefined, outcome: ToolOutcome): Block =>
  omitUndefined({
    type: 'tool_result' as const,
    tool_call_id: id,
    name: call?.name,
    content: outcome.content,
    is_error: outcome.isError || undefined,
    structured: toolResult(call, outcome),
    file_path: fileOf(call?.input),
  })

/** An image by its URL; its bytes stay in the log. */
export function imageBlock(image: JsonRecord): Block {
  const source = asObject(image.source)
  return omitUndefined({
    type: 'image' as const,
    mime_type: asString(source.media_type) ?? asString(image.mime) ?? asString(image.mimeType),
    image_url: withoutDataUrl(asString(source.url) ?? asString(image.image_url) ?? asString(image.url)),
  })
}

const withoutDataUrl = (url: string | undefined): string | undefined => (url?.startsWith('data:') ? undefined : url)

/** The text of a content that is a string, or a list of blocks with text. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (isObject(content)) return asString(content.text) ?? stringify(content)
  return asArray(content)
    .flatMap((item) => (typeof item === 'string' ? item : (asString(asObject(item).text) ?? [])))
    .join('\n')
}

/** The conversation format shows the beginning of a tool's result. */
const MAX_RESULT_BYTES = 500

/** The text of a turn in the conversation format; empty when there is nothing to show. */
export const turnText = (blocks: readonly Block[]): string =>
  blocks
    .map(blockText)
    .filter((part) => part !== '')
    .join('\n')

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text ?? ''
    case 'thinking':
      return '[thinking]'
    case 'tool_use':
      return `[${block.name ?? 'tool'}]`
    case 'tool_result':
      return `[result] ${truncate(block.content ?? '')}`
    default:
      return ''
  }
}

/** Truncates text between characters. */
function truncate(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_RESULT_BYTES) return text
  const piece = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_RESULT_BYTES), {
    stream: true,
  })
  return `${piece}…`
}
