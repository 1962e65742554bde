import { describe, expect, test } from 'bun:test'
import { optionFor, subjectOfTool, toQuestion } from '../../../../src/agents/conversations/acp/questions.ts'

const CHOICES = [
  { id: 'once', name: 'Allow once', kind: 'allow_once' },
  { id: 'always', name: 'Always allow', kind: 'allow_always' },
  { id: 'no', name: 'Reject', kind: 'reject_once' },
]

const asked = (tool: Record<string, unknown>) =>
  toQuestion({ request: 'permission-1', askedAt: 0, choices: CHOICES, tool: { toolCallId: 'a', ...tool } })

const LONG = `touch ${'word '.repeat(600)}end`

describe('a question by protocol has what it asks about, whole', () => {
  test.each<[what: string, tool: Record<string, unknown>, text: string]>([
    ['a command', { title: 'make', rawInput: { command: 'make', description: 'Make it' } }, 'make'],
    ['a command of 3,000 characters', { title: 'touch…', rawInput: { command: LONG } }, LONG],
    ['a command in words, with its folder', { rawInput: { command: ['ls', '-l'], cwd: '/src' } }, 'ls -l\n\nin /src'],
    ['several lines', { rawInput: { cmd: 'cat <<E\na\nE\nrm -rf build' } }, 'cat <<E\na\nE\nrm -rf build'],
    [
      'a diff',
      { content: [{ type: 'diff', path: '/src/a.ts', oldText: 'one\ntwo\n', newText: 'one\n2\n' }] },
      '/src/a.ts\n- one\n- two\n+ one\n+ 2',
    ],
    [
      'an address',
      { rawInput: { url: 'https://example.com', format: 'text' } },
      'url: https://example.com\nformat: text',
    ],
    ['the input of a tool', { rawInput: { to: 'production', tags: ['a'] } }, 'to: production\ntags: [\n  "a"\n]'],
    [
      'a plan',
      { content: [{ type: 'content', content: { type: 'text', text: '# Plan\n1. Do it' } }] },
      '# Plan\n1. Do it',
    ],
    ['a place', { locations: [{ path: '/etc/hosts' }] }, '/etc/hosts'],
    ['nothing but its title', { title: 'Do it' }, ''],
  ])('%s', (_what, tool, text) => {
    expect(asked(tool)).toMatchObject({ text, cut: false, since: '1970-01-01T00:00:00.000Z' })
  })

  test('a text over one megabyte is cut, and reports it', () => {
    const question = asked({ rawInput: { command: 'x'.repeat((1 << 20) + 1) } })
    expect([question.text.length, question.cut]).toEqual([1 << 20, true])
  })
})

test('an edit is about every file that it shows and every place that it names, and about none where one is unknown', () => {
  const edit = (more: object) =>
    subjectOfTool({ kind: 'edit', content: [{ type: 'diff', path: '/w/src/b.ts', newText: '' }], ...more })
  expect(edit({})).toEqual({ kind: 'write', paths: ['/w/src/b.ts'] })
  const locations = [{ path: '/w/a.ts' }, { path: '/w/src/b.ts' }]
  expect(edit({ locations })).toEqual({ kind: 'write', paths: ['/w/src/b.ts', '/w/a.ts'] })
  expect(edit({ locations: [{ path: null }] })).toBeUndefined()
  expect(edit({ content: [] })).toBeUndefined()
})

test('an option is named by its id, its words or what it does', () => {
  const { options } = asked({})
  const ids = ['once', 'Reject', 'approve', 'approve_always', 'deny'].map((action) => optionFor(action, options).id)
  expect(ids).toEqual(['once', 'no', 'once', 'always', 'no'])
  expect(() => optionFor('perhaps', options)).toThrow('it can be answered with approve, approve_always, deny')
})
