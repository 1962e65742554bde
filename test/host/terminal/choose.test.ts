import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { chooseOption } from '../../../src/host/terminal/choose.ts'
import { findQuestion, isSameQuestion, type ScreenQuestion } from '../../../src/host/terminal/question.ts'
import { ScreenWatcher } from '../../../src/host/terminal/screen-watcher.ts'
import { tempFolder } from '../../support/folder.ts'
import { Terminals } from './terminals.ts'

const PROGRAM = join(import.meta.dir, 'programs/dialog.ts')
const program = { profile: terminalProfileOf(resolveProvider('claude', new Map())) }
const deadlines = new Deadlines()

/** A program that shows a dialog, once the dialog is visible. */
async function asking(...args: string[]) {
  const folder = tempFolder()
  const terminals = new Terminals()
  const log = folder.at('log')
  terminals.start('s', [process.execPath, PROGRAM, '--log', log, ...args], { cwd: folder.path })
  const watch = new ScreenWatcher(terminals, 's', deadlines)
  const question: ScreenQuestion | undefined = await watch.until(20_000, ({ screen }) =>
    findQuestion(screen, program.profile),
  )
  watch.close()
  if (!question) throw new Error('it never asked')
  return {
    question,
    terminals,
    /** The options that were confirmed. */
    confirmed: (): string => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    choose(option: number, questionId = question.id, within = 20_000) {
      const { options } = question
      const choice = { isAsked: ({ id }: ScreenQuestion) => id === questionId, options, taken: [String(option + 1)] }
      return chooseOption(terminals, 's', program, choice, { deadlines, within })
    },
    tick: (...taken: string[]) =>
      chooseOption(
        ...[terminals, 's', program],
        { isAsked: (seen) => isSameQuestion(seen, question), options: question.options, taken },
        { deadlines, within: 20_000 },
      ),
    async sees(text: string) {
      const watcher = new ScreenWatcher(terminals, 's', deadlines)
      await watcher.until(20_000, ({ screen }) => screen.lines.some((line) => line.includes(text)) || undefined)
      watcher.close()
    },
    press: (keys: string) => terminals.write('s', new TextEncoder().encode(keys)),
    async [Symbol.asyncDispose]() {
      await terminals[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe.concurrent('choosing an option in a terminal dialog', () => {
  test('reads the options and which one is marked', async () => {
    await using program = await asking()
    expect(program.question).toMatchObject({
      id: expect.stringMatching(/^screen-[0-9a-f]{16}$/),
      kind: 'trust',
      text: expect.stringContaining('Accessing workspace:'),
      cut: false,
      options: [
        { id: '1', label: 'Yes, I trust this folder', role: 'allow-once' },
        { id: '2', label: 'Yes, and the folder above', role: 'allow-once' },
        { id: '3', label: 'No, exit', role: 'deny' },
      ],
      at: 0,
    })
  })

  test.each([
    [0, 'Yes, I trust this folder\n'],
    [1, 'Yes, and the folder above\n'],
    [2, 'No, exit\n'],
  ])('confirms option %d once the marker has moved there', async (option, confirmed) => {
    await using program = await asking()
    expect(await program.choose(option)).toBe('taken')
    expect(program.confirmed()).toBe(confirmed)
    expect(program.terminals.listeners).toBe(0)
  })

  test('ticks exactly the boxes of an answer, whatever was ticked before, and submits them', async () => {
    await using program = await asking('--boxes')
    expect(program.question.options).toMatchObject([
      { id: '1', label: 'Red', ticks: true },
      { id: '2', label: 'Blue', ticks: true },
      { id: '3', label: 'Green', ticks: true },
      { id: 'Submit', label: 'Submit' },
    ])
    await program.press(' ')
    await program.sees('[✔] Red')
    expect(await program.tick('2', '3')).toBe('taken')
    expect(program.confirmed()).toBe('Blue and Green\n')
  })

  test('succeeds when the option ends the program', async () => {
    await using program = await asking('--ends')
    expect(await program.choose(2)).toBe('taken')
    expect(program.confirmed()).toBe('No, exit\n')
  })

  test('confirms nothing when the dialog changes in between', async () => {
    await using program = await asking('--changes')
    expect(await program.choose(1)).toBe('gone')
    expect(program.confirmed()).toBe('')
  })

  test('presses no key when a different dialog is shown', async () => {
    await using program = await asking()
    expect(await program.choose(0, 'screen-0123456789abcdef')).toBe('gone')
    expect(program.confirmed()).toBe('')
  })

  test('confirms nothing when the marker does not move', async () => {
    await using program = await asking('--stiff')
    expect(await program.choose(1, undefined, 800)).toBe('stuck')
    expect(program.confirmed()).toBe('')
  })

  test('reports a program that does not accept the option as stuck', async () => {
    await using program = await asking('--deaf')
    expect(await program.choose(0, undefined, 800)).toBe('stuck')
  })

  test('succeeds only for the first of two concurrent choices', async () => {
    await using program = await asking()
    const chosen = await Promise.all([program.choose(1), program.choose(2)])
    expect(chosen).toEqual(['taken', 'gone'])
    expect(program.confirmed()).toBe('Yes, and the folder above\n')
  })
})
