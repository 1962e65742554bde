import { describe, expect, test } from 'bun:test'
import { AcpEntryBuilder } from '../../../../src/agents/conversations/acp/entry-builder.ts'
import type { AgentRecord } from '../../../../src/host/protocol/record.ts'

const at = new Date(Date.UTC(2026, 3, 4)).toISOString()

/** The usage of a turn that ends with these counts. */
function usageOf(counts: object) {
  const records: AgentRecord[] = [
    { seq: 1, at, type: 'turn', turn: 't1', text: 'Work' },
    {
      seq: 2,
      at,
      type: 'update',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done' } },
    },
    { seq: 3, at, type: 'done', turn: 't1', reason: 'end_turn', usage: counts },
  ]
  const builder = new AcpEntryBuilder()
  for (const [index, record] of records.entries()) builder.add(index + 1, record)
  return builder.entries.flatMap(({ usage }) => usage ?? [])
}

const none = { cacheRead: 0, cacheWrite: 0, reasoning: 0 }

describe('the usage of an ACP turn', () => {
  test('is counted as the protocol reports it, also when no model is named', () => {
    expect(usageOf({ inputTokens: 7, outputTokens: 3, cachedReadTokens: 2, totalTokens: 12 })).toMatchObject([
      { model: 'unknown', tokens: { ...none, input: 7, output: 3, cacheRead: 2 } },
    ])
    expect(usageOf({ totalTokens: 10 })).toEqual([])
  })

  test('is counted as Gemini reports it', () => {
    const token_count = { input_tokens: 300, output_tokens: 30 }
    expect(usageOf({ token_count, model_usage: [{ model: 'gemini-2.5-pro', token_count }] })).toMatchObject([
      { model: 'gemini-2.5-pro', tokens: { ...none, input: 300, output: 30 } },
    ])
  })
})
