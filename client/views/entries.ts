import type { Output } from '../../src/client/operations.ts'
import type { Line, Place } from './page.ts'
import { textLines } from './sections.ts'

type Structured = Extract<Output<'GET ~/session/{id}/transcript'>, { format: 'structured' }>
export type Message = Structured['structured_messages'][number]
type Block = Message['blocks'][number]

/** Maximum lines shown of a tool's input or output. */
const MAX_TOOL_LINES = 12

/** Entries of a conversation as lines, and the one that stands for a place. */
export interface Conversation {
  readonly lines: readonly Line[]
  /** The line of the place; undefined when it is not there any more. */
  readonly found: number | undefined
}

/** Conversation with the input and output of tools; the entry of a place is shown whole, with its line highlighted. */
export function conversationOf(messages: readonly Message[], place?: Place): Conversation {
  const lines: Line[] = []
  let found: number | undefined
  for (const message of messages) {
    const isSought = place !== undefined && (place.entry === undefined || place.entry === message.id)
    const own = isSought ? entryLines(message, Number.POSITIVE_INFINITY) : shortLines(message)
    const at = isSought ? lineOf(own, place) : -1
    if (isSought && (at >= 0 || place.entry !== undefined)) found = lines.length + Math.max(0, at)
    lines.push(...own.map((line, index): Line => (index === at ? { ...line, tone: 'warning' } : line)))
  }
  return { lines, found }
}

/** An excerpt is a part of one line, with dots where it was cut. */
function lineOf(lines: readonly Line[], { text }: Place): number {
  const sought = text.replace(/^…|…$/g, '')
  return lines.findIndex((line, index) => index > 0 && line.text.includes(sought))
}

const shortened = new WeakMap<Message, readonly Line[]>()

/** The lines of an entry that is not sought; computed once, since a conversation is shown whole whenever it grows. */
function shortLines(message: Message): readonly Line[] {
  const lines = shortened.get(message) ?? entryLines(message, MAX_TOOL_LINES)
  shortened.set(message, lines)
  return lines
}

function entryLines({ role, blocks }: Message, max: number): Line[] {
  const lines = blocks.flatMap((block) => blockLines(block, max))
  return lines.length === 0 ? [] : [{ text: role, tone: 'strong' }, ...lines, { text: '' }]
}

function blockLines(block: Block, max: number): Line[] {
  switch (block.type) {
    case 'text':
      return textLines(block.text ?? '', '  ')
    case 'tool_use':
      return toolLines([`→ ${block.name ?? 'a tool'}`, ...strings(block.input).map((each) => `  ${each}`)], max)
    case 'tool_result':
      return toolLines([block.content ?? ''], max)
    case 'interaction':
      return toolLines([block.interaction?.prompt ?? '', ...(block.interaction?.options ?? [])], max)
    case 'image':
      return toolLines([`an image: ${block.file_path ?? block.image_url ?? block.mime_type ?? ''}`], max)
    case 'thinking':
      return []
    case 'unknown':
      return toolLines([block.text ?? block.content ?? ''], max)
  }
}

function toolLines(texts: readonly string[], max: number): Line[] {
  const lines = texts.flatMap((text) => (text === '' ? [] : textLines(text, '  ')))
  const more = lines.length - max
  const shown = more > 1 ? [...lines.slice(0, max), { text: `  … ${more} more lines` }] : lines
  return shown.map((line): Line => ({ ...line, tone: 'quiet' }))
}

/** Every string within what a tool was given; its kind is not part of it. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => (name === 'kind' ? [] : strings(each)))
}
