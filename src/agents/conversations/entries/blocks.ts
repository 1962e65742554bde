import type { Block } from '../structured/blocks.ts'
import { asArray, asObject, asString, isObject, type JsonRecord, omitUndefined, stringify } from './json.ts'
import { fileOf, toolInput } from './tool-inputs.ts'
import type { ToolCall } from './tool-kinds.ts'
import { type ToolOutcome, toolResult } from './tool-results.ts'

/** Remembers what was made first. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export const textBlock = (said: string): Block => ({ type: 'text', text: said })

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

/** An image by where it is; its bytes stay in the log. */
export function imageBlock(image: JsonRecord): Block {
  const source = asObject(image.source)
  return omitUndefined({
    type: 'image' as const,
    mime_type: asString(source.media_type) ?? asString(image.mime) ?? asString(image.mimeType),
    image_url: withoutDataUrl(asString(source.url) ?? asString(image.image_url) ?? asString(image.url)),
  })
}

const withoutDataUrl = (url: string | undefined): string | undefined => (url?.startsWith('data:') ? undefined : url)

/** The words of a content that is a text, or a list of blocks with texts. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (isObject(content)) return asString(content.text) ?? stringify(content)
  return asArray(content)
    .flatMap((item) => (typeof item === 'string' ? item : (asString(asObject(item).text) ?? [])))
    .join('\n')
}

/** So much of a tool's result is told in a conversation, in bytes. */
const MAX_RESULT_BYTES = 500

/** An entry as one turn of a conversation; empty when it has nothing to tell. */
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

/** At most so many bytes, cut between characters. */
function truncate(said: string): string {
  const bytes = Buffer.from(said)
  if (bytes.length <= MAX_RESULT_BYTES) return said
  const piece = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_RESULT_BYTES), {
    stream: true,
  })
  return `${piece}…`
}
