import { describe, expect, test } from 'bun:test'
import { isMessage, toMessage } from '../../../src/agents/conversations/formats/messages.ts'
import { isTurn, toTurn } from '../../../src/agents/conversations/formats/turns.ts'
import { CodexParser } from '../../../src/programs/codex/log.ts'
import { runSync } from '../../../src/programs/entries/steps.ts'
import { statusOf } from '../../../src/programs/log-status.ts'
import { codex } from '../samples.ts'

const read = (...values: readonly object[]) =>
  runSync(
    new CodexParser('c0de').parse(
      values.map((value, offset) => ({ offset: offset * 100, size: 1, value: { ...value } })),
    ),
  )

const whole = [
  codex.meta('/w'),
  codex.turn(1, 'gpt-5.5-codex'),
  codex.message(1, 'user', '<environment_context>\n<cwd>/w</cwd>\n</environment_context>'),
  codex.message(2, 'user', 'Count them.'),
  codex.item(3, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I count' }], encrypted_content: 'x' }),
  codex.item(4, {
    type: 'function_call',
    name: 'shell',
    call_id: 'f1',
    arguments: '{"command":["bash","-lc","ls | wc -l"]}',
  }),
  codex.item(5, {
    ...{ type: 'function_call_output', call_id: 'f1' },
    output: JSON.stringify({ output: '3\n', metadata: { exit_code: 0, duration_seconds: 0.1 } }),
  }),
  codex.item(6, { type: 'custom_tool_call', name: 'apply_patch', call_id: 'p1', input: '*** Begin Patch' }),
  codex.message(7, 'assistant', 'Three.'),
  codex.counts(8, 1200, 20_000, 15_000, 300),
  { timestamp: 'x', type: 'something_new', payload: { a: 1 } },
]

describe('a conversation with Codex', () => {
  test('is shown in turns, without what the program adds in a person’s name', () => {
    expect(
      read(...whole)
        .entries.filter(isTurn)
        .map(toTurn)
        .map(({ role, text }) => [role, text]),
    ).toEqual([
      ['user', 'Count them.'],
      ['assistant', '[thinking]'],
      ['assistant', '[shell]'],
      ['result', '[result] 3\n'],
      ['assistant', '[apply_patch]'],
      ['assistant', 'Three.'],
    ])
  })

  test('keeps every line for the raw format, under stable ids', () => {
    const { entries } = read(...whole)
    expect(entries.map(({ raw }) => raw)).toEqual(whole)
    expect(entries.map(({ id }) => id).slice(0, 2)).toEqual(['at-0', 'at-100'])
  })

  test('has its model, its reported context size, and the usage of a response', () => {
    const view = read(...whole)
    expect(statusOf(view)).toEqual({
      ...{ activity: 'idle', model: 'gpt-5.5-codex', contextWindow: 200_000, contextPct: 10 },
    })
    expect(view.entries.flatMap(({ usage: use }) => use ?? [])).toMatchObject([
      { id: 'total:c0de:1200', tokens: { input: 5000, cacheRead: 15_000, output: 300 } },
    ])
  })

  test('is in a turn between the markers of the log', () => {
    const begun = [...whole, codex.event(9, 'task_started'), codex.message(10, 'assistant', 'I look.')]
    expect(statusOf(read(...begun)).activity).toBe('in-turn')
    expect(statusOf(read(...begun, codex.event(11, 'task_complete'))).activity).toBe('idle')
    expect(statusOf(read(...begun, codex.event(11, 'turn_aborted'))).activity).toBe('idle')
  })

  test('is structured: commands as one line, patches, results with their exit code', () => {
    const messages = read(...whole)
      .entries.filter(isMessage)
      .map((entry) => toMessage(entry, 'codex', false))
    expect(messages[2]?.blocks).toMatchObject([{ name: 'shell', input: { kind: 'command', command: 'ls | wc -l' } }])
    expect(messages[3]).toMatchObject({
      role: 'tool',
      blocks: [{ content: '3\n', structured: { kind: 'bash', exit_code: 0, stdout: '3\n' } }],
    })
    expect(messages[4]?.blocks).toMatchObject([{ input: { kind: 'patch', patch: '*** Begin Patch' } }])
  })

  test('starts a new segment at a compaction', () => {
    const compacted = { timestamp: '2026-04-04T09:01:00Z', type: 'compacted', payload: { message: 'So far.' } }
    const { entries } = read(...whole, compacted)
    expect(entries.at(-1)).toMatchObject({ boundary: true, speaker: 'system' })
  })
})

test('a fork of an older version copies the records so far, whose answers count for the first conversation', () => {
  const meta = (id: string, more: object = {}) => ({ ...codex.meta('/w'), payload: { id, cwd: '/w', ...more } })
  const copied = [meta('first'), codex.turn(0, 'gpt-5.5'), codex.counts(0, 110, 100, 0, 10)]
  const own = codex.counts(9, 220, 100, 0, 10)
  const counted = (...records: object[]) => read(...records).recorded.flatMap(({ usage }) => usage?.id ?? [])
  expect(counted(meta('fork', { forked_from_id: 'first' }), ...copied, own)).toEqual(['total:c0de:220'])
  expect(counted(...copied, own)).toEqual(['total:c0de:110', 'total:c0de:220'])
})
