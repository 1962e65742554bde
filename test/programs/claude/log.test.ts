import { describe, expect, test } from 'bun:test'
import { isMessage, toMessage } from '../../../src/agents/conversations/formats/messages.ts'
import { isTurn, toTurn } from '../../../src/agents/conversations/formats/turns.ts'
import { ClaudeParser } from '../../../src/programs/claude/log.ts'
import { runSync } from '../../../src/programs/entries/steps.ts'
import { statusOf } from '../../../src/programs/log-status.ts'
import { at, claude } from '../samples.ts'

const read = (...values: readonly object[]) =>
  runSync(new ClaudeParser().parse(values.map((value, offset) => ({ offset, size: 1, value: { ...value } }))))
const ids = (...values: readonly object[]) => read(...values).entries.map(({ id }) => id)
const turns = (...values: readonly object[]) =>
  read(...values)
    .entries.filter(isTurn)
    .map(toTurn)

describe('a conversation with Claude', () => {
  test('is shown in turns: text, tool names, and the beginning of tool results', () => {
    const long = 'é'.repeat(300)
    const parsed = turns(
      claude.user('u1', null, 'Count the files.', 1),
      claude.says(
        'a1',
        'u1',
        [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'Yes.' },
        ],
        2,
      ),
      claude.calls('a2', 'a1', 't1', 'Bash', { command: 'ls' }, 3),
      claude.answers('r1', 'a2', 't1', long, 4),
      { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
      claude.says('a3', 'r1', '', 5),
    )
    expect(parsed).toEqual([
      { role: 'user', text: 'Count the files.', timestamp: at(1) },
      { role: 'assistant', text: '[thinking]\nYes.', timestamp: at(2) },
      { role: 'assistant', text: '[Bash]', timestamp: at(3) },
      { role: 'user', text: `[result] ${'é'.repeat(250)}…`, timestamp: at(4) },
    ])
  })

  test('follows the newest tip after a rewind, and reports that there are branches', () => {
    const view = read(
      claude.user('u1', null, 'One', 1),
      claude.says('a1', 'u1', 'First try', 2),
      claude.user('u2', 'a1', 'No', 3),
      claude.user('u3', 'a1', 'Better', 4),
      claude.says('a3', 'u3', 'Second', 5),
    )
    expect(view.entries.map(({ id }) => id)).toEqual(['u1', 'a1', 'u3', 'a3'])
    expect(view).toMatchObject({ hasBranches: true, key: 'c0ffee' })
  })

  test('keeps the results of parallel tool calls', () => {
    const view = read(
      claude.user('u1', null, 'Both', 1),
      claude.calls('a1', 'u1', 't1', 'Read', { file_path: '/a' }, 2),
      claude.calls('a2', 'a1', 't2', 'Read', { file_path: '/b' }, 2),
      claude.answers('r1', 'a1', 't1', 'a', 3),
      claude.answers('r2', 'a2', 't2', 'b', 3),
      claude.says('a3', 'r2', 'Done', 4),
    )
    expect(view.entries.map(({ id }) => id)).toEqual(['u1', 'a1', 'a2', 'r1', 'r2', 'a3'])
    expect(view.hasBranches).toBe(false)
  })

  test('continues across a compaction, and leaves out sub-agents', () => {
    const view = read(
      claude.user('u1', null, 'One', 1),
      claude.says('a1', 'u1', 'Yes', 2),
      { ...claude.says('s1', 'a1', 'aside', 9), isSidechain: true },
      claude.compacts('b1', 'a1', 3),
      claude.user('u2', 'b1', 'Go on', 4),
    )
    expect(view.entries.map(({ id, boundary }) => [id, boundary])).toEqual([
      ['u1', false],
      ['a1', false],
      ['b1', true],
      ['u2', false],
    ])
  })

  test('survives invalid dates and deeply nested text', () => {
    const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000))
    const view = read(
      { ...claude.user('u1', null, 'a', 1), timestamp: 8_640_000_000_000_001 },
      { ...claude.calls('a1', 'u1', 't1', 'Bash', { command: deep }, 2), timestamp: '9999-99-99' },
      claude.answers('r1', 'a1', 't1', 'done', 3, deep),
    )
    expect(view.entries.filter(isTurn).map(toTurn)).toMatchObject([{ text: 'a' }, { text: '[Bash]' }, { role: 'user' }])
    expect(view.entries.filter(isMessage).map((entry) => toMessage(entry, 'claude', true))).toHaveLength(3)
    expect(view.entries.map(({ timestamp }) => timestamp)).toEqual([undefined, undefined, Date.parse(at(3))])
  })

  test('survives entries that are their own parent', () => {
    expect(ids(claude.user('u1', 'u2', 'a', 1), claude.user('u2', 'u1', 'b', 2))).toEqual(['u1', 'u2'])
  })
})

test('a growing log shows at every step what it shows when it is read in one go', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % below
  }
  const log = new ClaudeParser()
  const natives: { offset: number; size: number; value: Record<string, unknown> }[] = []
  for (let n = 1; n <= 400; n++) {
    const parent = random(8) === 0 ? Math.max(0, n - 1 - random(6)) : n - 1
    const side = random(12) === 0 ? { isSidechain: true } : {}
    const value = claude.user(`u${n}`, parent === 0 ? null : `u${parent}`, 'x', random(20) === 0 ? n - 3 : n, side)
    natives.push({ offset: n, size: 1, value: random(15) === 0 ? { type: 'summary', summary: 's' } : value })
    if (random(3) > 0) continue
    const shown = runSync(log.parse(natives)).entries.map(({ id }) => id)
    expect(shown).toEqual(runSync(new ClaudeParser().parse(natives)).entries.map(({ id }) => id))
  }
})

describe('the status of a Claude session', () => {
  const u1 = claude.user('u1', null, 'Go', 1)
  const standing = (...values: readonly object[]) => statusOf(read(u1, ...values))

  test('is in a turn until the response that ends it', () => {
    expect(standing().activity).toBe('in-turn')
    expect(standing(claude.calls('a1', 'u1', 't', 'Bash', {}, 2)).activity).toBe('in-turn')
    expect(standing(claude.says('a1', 'u1', 'Done', 2)).activity).toBe('idle')
    expect(standing(claude.user('u2', 'u1', '[Request interrupted by user]', 2)).activity).toBe('idle')
    const duration = { type: 'system', subtype: 'turn_duration', uuid: 's', parentUuid: 'u1', timestamp: at(3) }
    expect(standing(duration).activity).toBe('idle')
  })

  test('does not start a turn for the program’s own commands', () => {
    const local = claude.user('u2', 'a1', '<local-command-stdout>ok</local-command-stdout>', 3)
    expect(standing(claude.says('a1', 'u1', 'Done', 2), local).activity).toBe('idle')
  })

  test('has the model and the used part of its context', () => {
    expect(standing(claude.says('a1', 'u1', 'Done', 2))).toEqual({
      ...{ activity: 'idle', model: 'claude-opus-4-8', contextWindow: 1_000_000, contextPct: 10 },
    })
    const small = claude.says('a1', 'u1', 'Done', 2, { model: 'claude-haiku-4-5' })
    expect(standing(small)).toMatchObject({ contextWindow: 200_000, contextPct: 50 })
    expect(standing(claude.says('a1', 'u1', 'Done', 2, { model: '<synthetic>' }))).toEqual({ activity: 'idle' })
  })
})

describe('structured messages of Claude', () => {
  const view = read(
    claude.user(
      'u1',
      null,
      'Fix it.<ide_opened_file>The user opened the file /w/a.ts in the IDE.</ide_opened_file>',
      1,
    ),
    claude.says('a0', 'u1', [{ type: 'thinking', thinking: 'secret plan', signature: 's' }], 2),
    claude.calls('a1', 'a0', 't1', 'Edit', { file_path: '/w/a.ts', old_string: 'one', new_string: 'two' }, 2),
    claude.answers('r1', 'a1', 't1', 'The file has been updated.', 3, {
      ...{ filePath: '/w/a.ts', oldString: 'one', newString: 'two', originalFile: 'one\n', userModified: false },
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-one', '+two'] }],
    }),
    claude.calls('a2', 'r1', 't2', 'Bash', { command: 'npm test', description: 'Test' }, 4),
    claude.answers('r2', 'a2', 't2', 'boom', 5, { stdout: '', stderr: 'boom', interrupted: false, exit_code: 2 }),
    claude.compacts('b1', 'r2', 6),
  )
  const messages = (thinking: boolean) =>
    view.entries.filter(isMessage).map((entry) => toMessage(entry, 'claude', thinking))

  test('separate what a person wrote from what their editor added', () => {
    expect(messages(false)[0]).toMatchObject({
      role: 'user',
      user_prompt: { text: 'Fix it.', opened_files: ['/w/a.ts'] },
    })
  })

  test('contain thinking only when it is requested', () => {
    expect(messages(false)[1]?.blocks).toEqual([{ type: 'thinking' }])
    expect(messages(true)[1]?.blocks).toEqual([{ type: 'thinking', thinking: 'secret plan', signature: 's' }])
  })

  test('contain the inputs and results of tools', () => {
    const [, , call, result, , failed, compaction] = messages(false)
    expect(call?.blocks).toMatchObject([
      { type: 'tool_use', id: 't1', name: 'Edit', input: { kind: 'patch', patch: '-one\n+two', file_path: '/w/a.ts' } },
    ])
    expect(result).toMatchObject({ role: 'tool', blocks: [{ tool_call_id: 't1', structured: { kind: 'edit' } }] })
    expect(failed?.blocks).toMatchObject([
      { structured: { kind: 'bash', command: 'npm test', exit_code: 2, error: { category: 'command_failure' } } },
    ])
    expect(compaction).toMatchObject({ role: 'system', system_event: { kind: 'compact_boundary' } })
  })
})
