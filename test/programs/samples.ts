import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export const at = (second: number): string => new Date(Date.UTC(2026, 3, 4, 9, 0, second)).toISOString()

type Json = Record<string, unknown>

export const jsonl = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

export function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

export const append = (path: string, ...values: readonly unknown[]): void => appendFileSync(path, jsonl(...values))

/** Lines as Claude Code writes them. */
export const claude = {
  user: (uuid: string, parentUuid: string | null, content: unknown, second: number, more: Json = {}) => ({
    ...{ parentUuid, isSidechain: false, type: 'user', message: { role: 'user', content } },
    ...{ uuid, timestamp: at(second), sessionId: 'c0ffee', ...more },
  }),
  says: (uuid: string, parentUuid: string, content: unknown, second: number, more: Json = {}) => ({
    parentUuid,
    isSidechain: false,
    type: 'assistant',
    message: {
      ...{ id: `msg_${uuid}`, role: 'assistant', model: 'claude-opus-4-8', stop_reason: 'end_turn' },
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      usage: { input_tokens: 4, cache_creation_input_tokens: 1000, cache_read_input_tokens: 98_996, output_tokens: 50 },
      ...more,
    },
    ...{ uuid, timestamp: at(second), sessionId: 'c0ffee' },
  }),
  calls: (uuid: string, parentUuid: string, id: string, name: string, input: Json, second: number, more: Json = {}) =>
    claude.says(uuid, parentUuid, [{ type: 'tool_use', id, name, input }], second, {
      stop_reason: 'tool_use',
      ...more,
    }),
  answers: (uuid: string, parentUuid: string, id: string, content: string, second: number, toolUseResult?: unknown) =>
    claude.user(uuid, parentUuid, [{ type: 'tool_result', tool_use_id: id, content }], second, { toolUseResult }),
  compacts: (uuid: string, logicalParentUuid: string, second: number) => ({
    ...{ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', parentUuid: null },
    ...{ logicalParentUuid, uuid, timestamp: at(second), sessionId: 'c0ffee' },
  }),
}

/** Lines as Codex writes them. */
export const codex = {
  meta: (cwd: string) => ({ timestamp: at(0), type: 'session_meta', payload: { id: 'c0de', cwd } }),
  item: (second: number, payload: Json) => ({ timestamp: at(second), type: 'response_item', payload }),
  message: (second: number, role: string, text: string) =>
    codex.item(second, { type: 'message', role, content: [{ type: 'text', text }] }),
  turn: (second: number, model: string) => ({ timestamp: at(second), type: 'turn_context', payload: { model } }),
  event: (second: number, type: string, more: Json = {}) => ({
    ...{ timestamp: at(second), type: 'event_msg', payload: { type, ...more } },
  }),
  counts: (second: number, total: number, input: number, cached: number, output: number) => {
    const last_token_usage = { input_tokens: input, cached_input_tokens: cached, output_tokens: output }
    const info = { total_token_usage: { total_tokens: total }, last_token_usage, model_context_window: 200_000 }
    return codex.event(second, 'token_count', { info })
  },
}
