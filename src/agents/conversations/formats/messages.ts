import { toTimestamp } from '../../../core/clock.ts'
import { type Block, type Entry, omitUndefined } from '../../../programs/entries/index.ts'
import { contextWindowOf, percentUsed } from '../../../programs/log-status.ts'
import type { Message } from '../structured/messages.ts'

/** True if an entry is a message of the structured format. */
export const isMessage = (entry: Entry): boolean => entry.role !== undefined

/** An entry as a message of the structured format; thinking is left out unless it is requested. */
export function toMessage(entry: Entry, provider: string, thinking: boolean): Message {
  const blocks = entry.blocks()
  const common = {
    id: entry.id,
    status: entry.partial ? ('partial' as const) : ('final' as const),
    blocks: thinking ? [...blocks] : blocks.map(redactThinking),
    provider,
    ...(entry.timestamp !== undefined && { timestamp: toTimestamp(entry.timestamp) }),
  }
  switch (entry.role) {
    case 'assistant':
      return { ...common, role: 'assistant', ...assistantFields(entry) }
    case 'user':
      return { ...common, role: 'user', ...userPromptFields(blocks) }
    case 'tool':
      return { ...common, role: 'tool' }
    case 'system':
      return { ...common, role: 'system', ...(entry.event && { system_event: entry.event }) }
    default:
      return { ...common, role: 'unknown' }
  }
}

const redactThinking = (block: Block): Block => (block.type === 'thinking' ? { type: 'thinking' } : block)

function assistantFields({ model, stopReason, usage, contextUsed, contextWindow }: Entry) {
  const window = contextWindow ?? (model === undefined ? undefined : contextWindowOf(model))
  const counts = usage && {
    input_tokens: usage.tokens.input,
    output_tokens: usage.tokens.output,
    cache_read_tokens: usage.tokens.cacheRead,
    cache_creation_tokens: usage.tokens.cacheWrite,
    ...(usage.tokens.reasoning > 0 && { reasoning_tokens: usage.tokens.reasoning }),
    ...(contextUsed !== undefined && { context_used_tokens: contextUsed }),
    ...(window !== undefined && { context_window_tokens: window }),
    ...(window !== undefined && contextUsed !== undefined && { context_percent: percentUsed(contextUsed, window) }),
  }
  return omitUndefined({ model, stop_reason: stopReason, usage: counts })
}

const OPENED = /<ide_opened_file>([\s\S]*?)<\/ide_opened_file>/g
const SELECTED = /<ide_selection>([\s\S]*?)<\/ide_selection>/g

/** The prompt of a user, separated from what their editor added. */
function userPromptFields(blocks: readonly Block[]) {
  const text = blocks.flatMap((block) => (block.type === 'text' ? (block.text ?? []) : [])).join('\n')
  if (text === '') return {}
  const openedFiles = [...text.matchAll(OPENED)].map(([, file = '']) => /\bfile (\S+)/.exec(file)?.[1] ?? file.trim())
  const selections = [...text.matchAll(SELECTED)].map(([, selection = '']) => ({ text: selection.trim() }))
  const prompt = text.replace(OPENED, '').replace(SELECTED, '').trim()
  return {
    user_prompt: omitUndefined({
      text: prompt || undefined,
      opened_files: openedFiles.length > 0 ? openedFiles : undefined,
      selections: selections.length > 0 ? selections : undefined,
    }),
  }
}
