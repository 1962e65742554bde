import { describe, expect, test } from 'bun:test'
import { GrowingMessages, type Message, turnOf } from '../../cli/session/transcript.ts'
import { toolUseBlock } from '../../src/programs/entries/blocks.ts'

const message = (blocks: Message['blocks'], status: Message['status'] = 'final'): Message => ({
  ...{ role: 'assistant', id: 'm1', status, blocks },
})
const given = (name: string, input?: unknown): string =>
  turnOf(message([toolUseBlock('t', { name, input })]))
    .map(({ text }) => text)
    .join()

describe('the input of a tool is printed', () => {
  test.each<[string, string, unknown, string]>([
    ['Claude Code', 'Bash', { command: 'ls -l', description: 'List' }, '[Bash] ls -l · description=List'],
    ['Claude Code', 'Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, '[Edit] a · -x ⏎ +y'],
    [
      'Claude Code',
      'TodoWrite',
      { todos: [{ content: 'Test', status: 'completed', activeForm: 'Testing' }, { content: 'Ship' }] },
      '[TodoWrite] Test (completed) · Ship (pending)',
    ],
    [
      'Claude Code',
      'AskUserQuestion',
      { questions: [{ question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }] }] },
      '[AskUserQuestion] Which? · Red · Blue',
    ],
    ['Claude Code', 'mcp__docs__find', { topic: 'locks', depth: 2 }, '[mcp__docs__find] topic=locks · depth=2'],
    ['Codex', 'exec_command', { cmd: 'ls', workdir: '/x' }, '[exec_command] ls · workdir=/x'],
    ['Codex', 'shell', { command: ['bash', '-lc', 'ls'] }, '[shell] ls'],
    ['Codex', 'apply_patch', '*** Begin Patch\n+a', '[apply_patch] *** Begin Patch ⏎ +a'],
    ['Codex', 'update_plan', { plan: [{ step: 'Test', status: 'pending' }] }, '[update_plan] Test (pending)'],
    ['Gemini CLI', 'run_shell_command', { command: 'ls' }, '[run_shell_command] ls'],
    ['Gemini CLI', 'write_file', { file_path: 'a', content: 'b\nc' }, '[write_file] a · b ⏎ c'],
    ['OpenCode', 'bash', { command: 'ls', timeout: 5 }, '[bash] ls · timeout=5'],
    ['OpenCode', 'read', { filePath: '/a' }, '[read] /a'],
    ['any program', 'wait', {}, '[wait]'],
    ['any program', 'wait', null, '[wait]'],
  ])('by %s: %s', (_, name, input, line) => expect(given(name, input)).toBe(line))

  test('up to 500 columns', () => expect(given('Bash', { command: 'x'.repeat(10_000) })).toHaveLength(507))
})

test('a text that grows is printed once, when it is complete or the conversation has ended', () => {
  const growing = new GrowingMessages()
  const text = (value: string) => ({ type: 'text' as const, text: value })
  const tool = toolUseBlock('t', { name: 'Bash', input: { command: 'ls' } })
  const added = (...blocks: Message['blocks']) => growing.add([message(blocks, 'partial')]).map((turn) => turn.text)
  expect(added(text('One'))).toEqual([])
  expect(added(text('One two'))).toEqual([])
  expect(added(text('One two.'), tool)).toEqual(['One two.\n[Bash] ls'])
  expect(added(text('One two.'), tool, text('Th'))).toEqual([])
  expect(growing.end().map((turn) => turn.text)).toEqual(['Th'])
})
