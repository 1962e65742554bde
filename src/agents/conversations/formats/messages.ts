import { toTimestamp } from '../../../core/clock.ts'
import { contextWindowOf, percentUsed } from '../entries/context-windows.ts'
import type { Entry } from '../entries/entry.ts'
import { omitUndefined } from '../entries/json.ts'
import type { Block } from '../structured/blocks.ts'
import type { Message } from '../structured/messages.ts'

/** Whether an entry is a message of the structured format. */
export const isMessage = (entry: Entry): boolean => entry.role !== undefined

/** An entry as a message; what was thought is taken out unless it is asked for. */
export function toMessage(entry: Entry, provider: string, thinking: boolean): Message {
  const all = entry.blocks()
  const common = {
    id: entry.id,
    status: entry.partial ? ('partial' as const) : ('final' as const),
    blocks: thinking ? [...all] : all.map(redactThinking),
    provider,
    ...(entry.timestamp !== undefined && { timestamp: toTimestamp(entry.timestamp) }),
  }
  switch (entry.role) {
    case 'assistant':
      return { ...common, role: 'assistant', ...assistantFields(entry) }
    case 'user':
      return { ...common, role: 'user', ...userPromptFields(all) }
    case 'tool':
      return { ...common, role: 'tool' }
    case 'system':
      return { ...common, role: 'system', ...(entry.event && { system_event: entry.event }) }
    default:
      return { ...common, role: 'unknown' }
  }
}

const redactThinking = (block: Block): Block => (block.type === 'thinking' ? { type: 'thinking' } : block)

function assistantFields({ model, stopReason, usage: use, contextUsed, contextWindow }: Entry) {
  const window = contextWindow ?? (model === undefined ? undefined : contextWindowOf(model))
  const usage = use && {
    input_tokens: use.tokens.input,
    output_tokens: use.tokens.output,
    cache_read_tokens: use.tokens.cacheRead,
    cache_creation_tokens: use.tokens.cacheWrite,
    ...(use.tokens.reasoning > 0 && { reasoning_tokens: use.tokens.reasoning }),
    ...(contextUsed !== undefined && { context_used_tokens: contextUsed }),
    ...(window !== undefined && { context_window_tokens: window }),
    ...(window !== undefined && contextUsed !== undefined && { context_percent: percentUsed(contextUsed, window) }),
  }
  return omitUndefined({ model, stop_reason: stopReason, usage })
}

const OPENED = /<ide_opened_file>([\s\S]*?)<\/ide_opened_file>/g
const SELECTED = /<ide_selection>([\s\S]*?)<\/ide_selection>/g

/** What a person wrote, apart from what their editor added. */
function userPromptFields(blocks: readonly Block[]) {
  const said = blocks.flatMap((block) => (block.type === 'text' ? (block.text ?? []) : [])).join('\n')
  if (said === '') return {}
  const opened = [...said.matchAll(OPENED)].map(([, file = '']) => /\bfile (\S+)/.exec(file)?.[1] ?? file.trim())
  const selections = [...said.matchAll(SELECTED)].map(([, text = '']) => ({ text: text.trim() }))
  const words = said.replace(OPENED, '').replace(SELECTED, '').trim()
  return {
    user_prompt: omitUndefined({
      text: words || undefined,
      opened_files: opened.length > 0 ? opened : undefined,
      selections: selections.length > 0 ? selections : undefined,
    }),
  }
}
