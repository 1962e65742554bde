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

  test('costs what its agent adds to the total of the conversation, in dollars', () => {
    const builder = new AcpEntryBuilder()
    let seq = 0
    const base = () => ({ seq: ++seq, at })
    const cost = (amount: number, currency = 'USD'): AgentRecord => ({
      ...base(),
      type: 'update',
      update: { sessionUpdate: 'usage_update', cost: { amount, currency } },
    })
    const turn = (name: string, ...updates: AgentRecord[]): AgentRecord[] => [
      { ...base(), type: 'turn', turn: name, text: 'Go' },
      {
        ...base(),
        type: 'update',
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: name } },
      },
      ...updates,
      { ...base(), type: 'done', turn: name, reason: 'end_turn' },
    ]
    const records: AgentRecord[] = [
      { ...base(), type: 'ready', conversation: 'c', modes: [], resumable: false, resumed: false },
      cost(1),
      ...turn('t1', cost(1.25), cost(1.5)),
      ...turn('t2', cost(9, 'EUR')),
      ...turn('t3', cost(2)),
    ]
    for (const [index, record] of records.entries()) builder.add(index, record)
    const costs = builder.entries.flatMap(({ usage }) => usage ?? []).map(({ id, cost: dollars }) => [id, dollars])
    expect(costs).toEqual([
      ['c:t1', 0.5],
      ['c:t3', 0.5],
    ])
  })
})
