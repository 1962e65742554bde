import { describe, expect, test } from 'bun:test'
import { Deadlines } from '../../../src/core/deadlines.ts'
import type { Question } from '../../../src/host/protocol/question.ts'
import { QuestionTracker } from '../../../src/host/terminal/question-tracker.ts'
import type { TerminalHost, TerminalScreen } from '../../../src/host/terminal/terminal-host.ts'
import type { RoomyTerminal, TerminalSize } from '../../../src/host/terminal/whole-question.ts'
import { profileOf } from '../../../src/programs/screens.ts'
import { TestClock } from '../../support/clock.ts'

const SIZE: TerminalSize = { cols: 120, rows: 40 }

/** A terminal on which the test says what its program draws in which size, and when. */
class DrawnTerminal implements TerminalHost, RoomyTerminal {
  readonly keys: string[] = []
  readonly #outputs = new Set<() => void>()
  size = SIZE
  /** Reaction of the program to a key. */
  onKey: (keys: string) => void = (keys) => {
    if (keys === '\r') this.draw(['─'.repeat(119), '❯ ', '─'.repeat(119)])
  }
  #lines: string[] = []

  constructor(private readonly onResize: (terminal: DrawnTerminal) => void) {}

  draw(lines: readonly string[]): void {
    this.#lines = [...lines]
    for (const listener of [...this.#outputs]) listener()
  }

  async screen(): Promise<TerminalScreen> {
    const lines = [...this.#lines]
    return { lines, cols: this.size.cols, cursor: { x: 0, y: lines.length }, bracketedPaste: true }
  }

  async write(_key: string, bytes: Uint8Array): Promise<void> {
    this.press(new TextDecoder().decode(bytes))
  }

  press(keys: string): void {
    this.keys.push(keys)
    this.onKey(keys)
  }

  onOutput(_key: string, listener: () => void): () => void {
    this.#outputs.add(listener)
    return () => this.#outputs.delete(listener)
  }

  onExit(): () => void {
    return () => {}
  }

  async withRoom<T>(room: TerminalSize, work: () => Promise<T>): Promise<T> {
    this.#resize(room)
    try {
      return await work()
    } finally {
      this.#resize(SIZE)
    }
  }

  #resize(size: TerminalSize): void {
    this.size = size
    this.onResize(this)
  }
}

function tracking(onResize: (terminal: DrawnTerminal) => void, name = 'claude') {
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  const terminal = new DrawnTerminal(onResize)
  const reported: (Question | undefined)[] = []
  const reports: string[] = []
  const tracker = new QuestionTracker({
    ...{ clock, deadlines, key: 's', run: 'abcdefgh', profile: profileOf({ name }) },
    ...{ host: terminal, terminal, report: (sentence) => reports.push(sentence) },
    onChange: (question) => reported.push(question),
  })
  terminal.onOutput('s', () => tracker.onOutput())
  const due = (ms: number, run: () => void) => deadlines.after(ms, run)
  return { clock, terminal, tracker, reported, reports, due }
}

const MENU = [' Do you want to proceed?', ' ❯ 1. Yes', '   2. No', '', ' Esc to cancel · Tab to amend']
const COMMANDS = Array.from({ length: 60 }, (_, index) => `   touch file-${index}`)
const RULE = '─'.repeat(119)
const WHOLE = [RULE, ' Bash command', ...COMMANDS, '', ...MENU]
const CUT = ['  scrolled away', ...COMMANDS.slice(30), '', ...MENU]

describe('a question that its program draws too late in a larger terminal', () => {
  test('is cut at first, read again as soon as it may be whole, and then another question since the same moment', async () => {
    let isBusy = true
    const { clock, terminal, tracker, reported, reports } = tracking((self) => {
      if (!isBusy) self.draw(self.size.rows > 70 ? WHOLE : CUT)
    })
    terminal.draw(CUT)
    await clock.advance(30_000)
    expect(tracker.question).toMatchObject({ cut: true })
    expect(tracker.question?.text).not.toContain('touch file-0\n')
    isBusy = false
    await clock.advance(120_000)
    const [first, whole, ...others] = reported
    expect(whole).toMatchObject({ cut: false, prompt: 'Do you want to proceed?', since: first?.since })
    expect(whole?.text.split('\n').map((row) => row.trim())).toEqual([
      'Bash command',
      ...COMMANDS.map((row) => row.trim()),
    ])
    expect(whole?.id).not.toBe(first?.id)
    expect([others, terminal.keys, reports]).toEqual([[], [], []])
    expect(terminal.size).toEqual(SIZE)
    expect(await tracker.answer(first?.id ?? '', '1')).toEqual({ result: 'gone' })
    tracker.close()
  })

  test('stays one cut question of a program that never does, and is not read indefinitely', async () => {
    let resized = 0
    const { clock, terminal, tracker, reported } = tracking(() => resized++)
    terminal.draw(CUT)
    await clock.advance(600_000)
    expect(reported).toMatchObject([{ cut: true }])
    const before = resized
    terminal.draw(CUT)
    await clock.advance(600_000)
    expect([resized, reported.length]).toEqual([before, 1])
    tracker.close()
  })
})

describe('an edit whose diff Claude Code draws a moment later', () => {
  const DASHES = '╌'.repeat(120)
  const ASKS = [' Do you want to make this edit to a.ts?', ' ❯ 1. Yes', '   2. No', '', ' Esc to cancel']
  const edit = (diff: readonly string[]) => [RULE, ' Edit file', ' a.ts', DASHES, ...diff, DASHES, ...ASKS]
  const DIFF = [' 1  const a = 1', ' 2 -const b = 2', ' 2 +const b = 3']

  test('is asked once it is drawn', async () => {
    const { clock, terminal, tracker, reported } = tracking((self) => self.draw(edit(DIFF)))
    terminal.draw(edit(['…']))
    await clock.advance(5_000)
    expect(reported).toEqual([])
    terminal.draw(edit(DIFF))
    await clock.advance(20_000)
    expect(reported).toMatchObject([{ cut: false, text: expect.stringContaining('+const b = 3') }])
    tracker.close()
  })

  test('stays the same question while it is drawn again, and its answer waits for that', async () => {
    const { clock, terminal, tracker, reported } = tracking((self) => self.draw(edit(DIFF)))
    terminal.draw(edit(DIFF))
    await clock.advance(20_000)
    terminal.draw(edit(['…']))
    await clock.advance(2_000)
    const outcome = tracker.answer(tracker.question?.id ?? '', '1')
    await clock.advance(4_000)
    expect([reported.length, terminal.keys]).toEqual([1, []])
    terminal.draw(edit(DIFF))
    await clock.advance(5_000)
    expect(await outcome).toEqual({ result: 'taken', option: '1' })
    expect(terminal.keys).toEqual(['\r'])
    expect(reported.map((question) => question?.cut)).toEqual([false, undefined])
    tracker.close()
  })
})

test('a question of OpenCode that offers no larger view is whole as it stands, and nothing is pressed for one', async () => {
  let resized = 0
  const { clock, terminal, tracker, reported } = tracking(() => resized++, 'opencode')
  const review = ['Colour   Confirm', '', 'Review', '', 'Colour: Red', 'Size: Small', 'Place: Here', '', 'Note: None']
  terminal.draw(['', ...[...review, '', '⇆ tab  enter submit  esc dismiss'].map((row) => `  ┃  ${row}`), '  ┃'])
  await clock.advance(60_000)
  expect(reported).toMatchObject([{ kind: 'choice', cut: false, options: [{ label: 'Submit' }, { label: 'Dismiss' }] }])
  expect([terminal.keys, resized]).toEqual([[], 0])
  tracker.close()
})

test('an option of Gemini is taken with one key after the other, though it takes none while it draws its mark', async () => {
  const { clock, terminal, tracker } = tracking(() => {}, 'gemini')
  const labels = ['Red', 'Blue', 'Green', 'Grey']
  const confirmed: string[] = []
  let at = 0
  let takesAt = 0
  const draw = () => {
    const options = labels.map((label, index) => `│ ${index === at ? '●' : ' '} ${index + 1}. ${label}`)
    terminal.draw([
      '╭─'.padEnd(80, '─'),
      '│ Which colour?',
      ...options,
      '│',
      '│ Enter to select · Esc to cancel',
      '╰──',
    ])
  }
  terminal.onKey = (key) => {
    if (clock.monotonic() < takesAt) return
    takesAt = clock.monotonic() + 200
    if (key !== '\r') at += key === '\x1b[B' ? 1 : -1
    else confirmed.push(labels[at] ?? '')
    if (key === '\r') terminal.draw(['> '])
    else draw()
  }
  draw()
  await clock.advance(20_000)
  const outcome = tracker.answer(tracker.question?.id ?? '', '4')
  await clock.advance(60_000)
  expect(await outcome).toEqual({ result: 'taken', option: '4' })
  expect([confirmed, terminal.keys]).toEqual([['Grey'], ['\x1b[B', '\x1b[B', '\x1b[B', '\r']])
  tracker.close()
})

describe('two dialogs that look the same', () => {
  /** A program that shows the same dialog again so many milliseconds after the first was answered. */
  function asksTwice(gapMs: number) {
    const world = tracking(() => {})
    let asked = 1
    const menu = ['> touch file', '', RULE, ' Bash command', '   touch file', '', ...MENU]
    world.terminal.onKey = (keys) => {
      if (keys !== '\r') return
      world.terminal.draw(['> touch file', '● Running…'])
      if (++asked > 2) return
      world.due(gapMs, () => world.terminal.draw(menu))
    }
    world.terminal.draw(menu)
    return { ...world, answered: () => asked - 1 }
  }

  test.each([100, 200, 1000])('%d ms apart are two questions, of which one answer answers the first', async (gapMs) => {
    const { clock, tracker, terminal, answered } = asksTwice(gapMs)
    await clock.advance(1_000)
    const first = tracker.question?.id ?? ''
    const outcome = tracker.answer(first, '1')
    await clock.advance(5_000)
    expect(await outcome).toEqual({ result: 'taken', option: '1' })
    expect(tracker.question?.id).not.toBe(first)
    expect(tracker.question?.prompt).toBe('Do you want to proceed?')
    expect(await tracker.answer(first, '1')).toEqual({ result: 'taken', option: '1' })
    expect([terminal.keys, answered()]).toEqual([['\r'], 1])
    tracker.close()
  })
})
