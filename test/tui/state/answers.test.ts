import { expect, test } from 'bun:test'
import type { AttentionItem } from '../../../src/agents/attention/schema.ts'
import { formatAnswers } from '../../../tui/state/commands.ts'

const item = (more: Partial<AttentionItem>): AttentionItem => ({
  id: 'question:1',
  to_do: '',
  kind: 'dialog',
  agent: 'worker',
  since: '2026-01-02T03:04:05Z',
  asks: 'It asks a person whether to trust its folder.',
  answers: [],
  ...more,
})

test('the answers of a question are shown with the options of a dialog, and nothing when it cannot be answered', () => {
  expect(formatAnswers(item({}))).toBe('')
  expect(formatAnswers(item({ answers: ['approve', 'deny'] }))).toBe('(:answer approve|deny)')
  const dialog = item({ answers: ['1', '2'], options: ['Yes, I trust it', '\x1b[31mNo'] })
  expect(formatAnswers(dialog)).toMatch(/^\(:answer 1 Yes, I trust it \| 2 .*No\)$/)
  expect(formatAnswers(dialog)).not.toContain('\x1b')
})
