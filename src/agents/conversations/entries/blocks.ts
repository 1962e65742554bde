import type { Block } from '../structured/blocks.ts'
import { isObject, items, type Json, object, present, shown, text } from './json.ts'
import { fileOf, toolInput } from './tool-inputs.ts'
import type { ToolCall } from './tool-kinds.ts'
import { type Outcome, toolResult } from './tool-results.ts'

/** Remembers what was made first. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export const textBlock = (said: string): Block => ({ type: 'text', text: said })

export const thinkingBlock = (thinking: string | undefined, signature?: string): Block =>
  present({ type: 'thinking' as const, thinking, signature })

export const callBlock = (id: string | undefined, call: ToolCall): Block =>
  present({
    type: 'tool_use' as const,
    id,
    name: call.name,
    input: toolInput(call),
    file_path: fileOf(call.input),
  })

export const resultBlock = (id: string | undefined, call: ToolCall | undefined, outcome: Outcome): Block =>
  present({
    type: 'tool_result' as const,
    tool_call_id: id,
    name: call?.name,
    content: outcome.content,
    is_error: outcome.isError || undefined,
    structured: toolResult(call, outcome),
    file_path: fileOf(call?.input),
  })

/** An image by where it is; its bytes stay in the log. */
export function imageBlock(image: Json): Block {
  const source = object(image.source)
  return present({
    type: 'image' as const,
    mime_type: text(source.media_type) ?? text(image.mime) ?? text(image.mimeType),
    image_url: link(text(source.url) ?? text(image.image_url) ?? text(image.url)),
  })
}

const link = (url: string | undefined): string | undefined => (url?.startsWith('data:') ? undefined : url)

/** The words of a content that is a text, or a list of blocks with texts. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (isObject(content)) return text(content.text) ?? shown(content)
  return items(content)
    .flatMap((item) => (typeof item === 'string' ? item : (text(object(item).text) ?? [])))
    .join('\n')
}

/** So much of a tool's result is told in a conversation, in bytes. */
const RESULT_MOST = 500

/** An entry as one turn of a conversation; empty when it has nothing to tell. */
export const turnText = (blocks: readonly Block[]): string =>
  blocks
    .map(turnOf)
    .filter((part) => part !== '')
    .join('\n')

function turnOf(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text ?? ''
    case 'thinking':
      return '[thinking]'
    case 'tool_use':
      return `[${block.name ?? 'tool'}]`
    case 'tool_result':
      return `[result] ${cut(block.content ?? '')}`
    default:
      return ''
  }
}

/** At most so many bytes, cut between characters. */
function cut(said: string): string {
  const bytes = Buffer.from(said)
  if (bytes.length <= RESULT_MOST) return said
  const piece = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, RESULT_MOST), { stream: true })
  return `${piece}…`
}
