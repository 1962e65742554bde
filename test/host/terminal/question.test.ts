import { describe, expect, test } from 'bun:test'
import { findQuestion, isSameQuestion } from '../../../src/host/terminal/question.ts'
import { profileOf } from '../../../src/programs/screens.ts'

/** The question on a screen with these rows. */
function found(program: string, rows: readonly string[]) {
  const screen = { lines: [...rows], cols: 120, cursor: { x: 0, y: rows.length }, bracketedPaste: true }
  const question = findQuestion(screen, profileOf({ name: program }))
  if (!question) throw new Error('it asks nothing')
  return question
}

/** Question of a program on a screen with these rows. */
function asked(program: string, rows: readonly string[]) {
  const question = found(program, rows)
  return { kind: question.kind, text: question.text.split('\n'), options: question.options.length }
}

const RULE = '─'.repeat(120)
const CLAUDE = [' Do you want to proceed?', ' ❯ 1. Yes', '   2. No', '', ' Esc to cancel · Tab to amend']

describe('a question about a command', () => {
  test('of Claude Code that overwrites a file is one for permission', () => {
    const rows = [RULE, ' Overwrite file', ' b.ts', ' +Be kind', ' Do you want to overwrite b.ts?', ...CLAUDE.slice(1)]
    expect(asked('claude', rows)).toMatchObject({ kind: 'approval', options: 2 })
  })

  test('is the same one where its lines are broken elsewhere, and no other that differs in a blank', () => {
    const rows = (...command: string[]) =>
      found('claude', [RULE, ' Bash command', '', ...command.map((row) => `   ${row}`), '', ...CLAUDE])
    const whole = rows('rm -rf /tmp/build and more')
    expect(isSameQuestion(whole, rows('rm -rf /tmp/build', 'and more'))).toBe(true)
    expect(isSameQuestion(whole, rows('rm -rf / tmp/build and more'))).toBe(false)
    expect(isSameQuestion(whole, rows('rm -rf /tmp/build'))).toBe(false)
  })

  test('of Claude Code is no other question for what its agent wrote before', () => {
    const rows = ['● Not logged in · Please run /login', '', RULE, ' Bash command', '', ' make', '', ...CLAUDE]
    expect(asked('claude', rows)).toEqual({ kind: 'approval', text: ['Bash command', '', 'make'], options: 2 })
  })

  test('of Claude Code is whole though the command draws a rule', () => {
    const rows = [RULE, ' Bash command', '', ' git push --force #', ` ${'─'.repeat(118)}`, ' echo hi', '', ...CLAUDE]
    expect(asked('claude', rows).text).toContain('git push --force #')
  })

  test('of Codex is whole though the command has the words of another dialog', () => {
    const rows = [
      '  Would you like to run the following command?',
      '  $ git push --force',
      '    echo Trust this folder?',
      '› 1. Yes, proceed (y)',
      '  2. No (esc)',
      '  Press enter to confirm or esc to cancel',
    ]
    expect(asked('codex', rows)).toMatchObject({ kind: 'approval', options: 2 })
    expect(asked('codex', rows).text[0]).toBe('$ git push --force')
  })
})
