import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { type DeliverOptions, type Delivery, deliver, submitTyped } from '../../../src/host/terminal/deliver.ts'
import { interrupt } from '../../../src/host/terminal/interrupt.ts'
import { ScreenWatcher } from '../../../src/host/terminal/screen-watcher.ts'
import { waitUntilSettled } from '../../../src/host/terminal/wait-for-state.ts'
import { DEFAULT_TERMINAL_PROFILE } from '../../../src/programs/screens.ts'
import type { TerminalProfile } from '../../../src/programs/terminal-profile.ts'
import { TestClock } from '../../support/clock.ts'
import { tempFolder } from '../../support/folder.ts'
import { Terminals } from './terminals.ts'

const PROGRAM = join(import.meta.dir, 'programs/prompt.ts')
const trust = { kind: 'trust', seen: /Do you trust this folder\?/, asks: 'whether to trust its folder' } as const
const polite: TerminalProfile = {
  ...DEFAULT_TERMINAL_PROFILE,
  readyPrefixes: ['> '],
  busy: /esc to interrupt/,
  dialogs: [trust],
  clear: '\x15\x7f',
}
const options: DeliverOptions = { deadlines: new Deadlines(), within: 6000 }

/** A program on a terminal; `submitted` lists the input it has received. */
function running(argv: string[], profile = polite) {
  const folder = tempFolder()
  const terminals = new Terminals()
  const log = folder.at('log')
  terminals.start(
    's',
    argv.map((word) => word.replace('LOG', log)),
  )
  return {
    terminals,
    submitted: (): string[] => (existsSync(log) ? (Bun.JSONL.parse(readFileSync(log, 'utf8')) as string[]) : []),
    say: (text: string, more: Partial<DeliverOptions> = {}) =>
      deliver(terminals, 's', { profile }, text, { ...options, ...more }),
    finish: (text: string) => submitTyped(terminals, 's', { profile }, text, options),
    settle: (more: Partial<DeliverOptions> = {}) =>
      waitUntilSettled(terminals, 's', { profile }, { ...options, ...more }),
    async sees(wanted: (rows: string[]) => boolean) {
      const watch = new ScreenWatcher(terminals, 's', options.deadlines)
      const seen = await watch.until(15_000, ({ screen }) => wanted(screen.lines) || undefined)
      watch.close()
      if (!seen) throw new Error('the screen never showed it')
    },
    press: (keys: string) => terminals.write('s', new TextEncoder().encode(keys)),
    async [Symbol.asyncDispose]() {
      await terminals[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

const prompt = (args: string, profile = polite) =>
  running([process.execPath, PROGRAM, '--log', 'LOG', ...args.split(' ').filter(Boolean)], profile)

const delivered: Delivery = { state: 'delivered' }

describe.concurrent('delivering input', () => {
  test('types it, submits it and confirms that it was accepted', async () => {
    await using program = prompt('')
    expect(await program.say('do the work')).toEqual(delivered)
    expect(program.submitted()).toEqual(['do the work'])
    expect(program.terminals.listeners).toBe(0)
  })

  test('submits what was typed before, if nothing else is in the input line', async () => {
    await using program = prompt('')
    const text = 'one long sentence that an earlier supervisor typed'
    const absent: Delivery = { state: 'failed', reason: 'it is not in the input line' }
    await program.settle()
    expect(await program.finish(text)).toEqual(absent)
    await program.press(text)
    await program.sees((rows) => rows.some((row) => row.includes(text)))
    expect(await program.finish('another sentence that nobody typed before')).toEqual(absent)
    expect(await program.finish(text)).toEqual(delivered)
    await program.press(`${text} and more`)
    await program.sees((rows) => rows.some((row) => row.includes('and more')))
    expect(await program.finish(text)).toEqual(absent)
    expect(program.submitted()).toEqual([text])
  })

  test('types immediately to a program that is known to be quiet, and watches any other first', async () => {
    await using program = prompt('')
    await program.settle()
    const clock = new TestClock()
    const deadlines = new Deadlines(clock, clock)
    await using _ = { [Symbol.asyncDispose]: async () => deadlines.close() }
    expect(await program.say('one', { deadlines, isQuiet: true })).toEqual(delivered)
    const waiting = program.say('two', { deadlines })
    expect(await Promise.race([waiting, Bun.sleep(100).then(() => 'waiting')])).toBe('waiting')
    await clock.advance(250)
    expect(await waiting).toEqual(delivered)
    expect(program.submitted()).toEqual(['one', 'two'])
  })

  test('waits for a program that starts slowly', async () => {
    await using program = prompt('--delay 900 --paste')
    expect(await program.say('first')).toEqual(delivered)
    expect(program.submitted()).toEqual(['first'])
  })

  test('detects an Enter that was taken for a new line, and still submits the input', async () => {
    await using program = prompt('--paste --guard 2000', { ...polite, pasteGuard: 1 })
    expect(await program.say('made in one go', { within: 30_000 })).toEqual(delivered)
    expect(program.submitted().map((text) => text.trim())).toEqual(['made in one go'])
  })

  test('does not mistake input that is hidden during a redraw for submitted input', async () => {
    await using program = prompt('--deaf 1 --blink 200', { ...polite, redraws: 1000 })
    expect(await program.say('do the work', { within: 30_000 })).toEqual(delivered)
    expect(program.submitted()).toEqual(['do the work'])
  }, 20_000)

  test('waits until the paste guard of a program has passed', async () => {
    await using program = prompt('--paste --guard 1', { ...polite, pasteGuard: 50 })
    expect(await program.say('made in one go')).toEqual(delivered)
    expect(program.submitted()).toEqual(['made in one go'])
  })

  test('waits until a program has enabled bracketed paste', async () => {
    await using program = prompt('--late 300', { ...polite, marksPastes: true })
    expect(await program.say('one\ntwo')).toEqual(delivered)
    expect(program.submitted()).toEqual(['one\ntwo'])
  })

  test('keeps line breaks with bracketed paste and joins the lines without it', async () => {
    await using marks = prompt('--paste')
    await using plain = prompt('')
    const text = 'one\ntwo\r\nthree'
    expect(await Promise.all([marks.say(text), plain.say(text)])).toEqual([delivered, delivered])
    expect(marks.submitted()).toEqual(['one\ntwo\nthree'])
    expect(plain.submitted()).toEqual(['one two three'])
  })

  test('accepts a paste that is displayed as a placeholder', async () => {
    await using program = prompt('--paste --collapse')
    const text = Array.from({ length: 9 }, (_, line) => `line ${line}`).join('\n')
    expect(await program.say(text)).toEqual(delivered)
    expect(program.submitted()).toEqual([text])
  })

  test('recognises input that is wider than the screen by its end', async () => {
    await using program = prompt('')
    const text = 'words and more words '.repeat(30).trim()
    expect(await program.say(text)).toEqual(delivered)
    expect(program.submitted()).toEqual([text])
  })

  test.each(['well done 👩‍👩‍👧 ✅', '漢字かな交じり文', 'naïve cafe\u0301', '🙂', 'हिन्दी में'])(
    'submits %s unchanged',
    async (text) => {
      await using program = prompt('--paste')
      expect(await program.say(text)).toEqual(delivered)
      expect(program.submitted()).toEqual([text])
    },
  )

  test('detects the input line by its prefix when a program draws its own cursor', async () => {
    await using program = prompt('--hidden')
    expect(await program.say('work')).toEqual(delivered)
    expect(program.submitted()).toEqual(['work'])
  })

  test('presses Enter again when it was ignored', async () => {
    await using program = prompt('--deaf 1')
    expect(await program.say('work')).toEqual(delivered)
    expect(program.submitted()).toEqual(['work'])
  })

  test('fails when Enter is always ignored, and clears the input line', async () => {
    await using program = prompt('--deaf 99')
    expect(await program.say('work')).toEqual({
      state: 'failed',
      reason: 'it does not accept input: the text is still in its input line',
    })
    expect(await program.settle()).toEqual({ is: 'ready' })
  })

  test('fails without pressing Enter when the typed input never appears', async () => {
    await using program = prompt('--mute')
    expect(await program.say('work')).toEqual({ state: 'failed', reason: 'it does not show what is typed' })
    expect(program.submitted()).toEqual([])
  })

  test('fails after the timeout when a program has no input line', async () => {
    await using program = running(['/bin/sleep', '60'])
    expect(await program.say('work', { within: 600 })).toEqual({
      state: 'failed',
      reason: 'its input line was not seen in time',
    })
  })

  test('fails when the program exits', async () => {
    await using program = running(['/bin/sh', '-c', 'sleep 0.3'])
    expect(await program.say('work')).toEqual({ state: 'failed', reason: 'its program ended' })
  })

  test('fails with the abort reason when it is aborted', async () => {
    await using program = prompt('--delay 5000')
    const signal = AbortSignal.abort(new Error('the session was stopped'))
    expect(await program.say('work', { signal })).toEqual({ state: 'failed', reason: 'the session was stopped' })
    expect(program.terminals.listeners).toBe(0)
  })

  test('fails immediately for blank input', async () => {
    await using program = prompt('')
    expect(await program.say(' \x1b\n\x03')).toMatchObject({ state: 'failed' })
  })
})

describe.concurrent('a program that is not ready for input', () => {
  test('is waited for while it is busy, and the input is queued when it stays busy', async () => {
    await using program = prompt('--busy 1500')
    expect(await program.say('first')).toEqual(delivered)
    expect(await program.say('second', { within: 600 })).toEqual({ state: 'queued', reason: 'it is busy' })
    expect(await program.say('second')).toEqual(delivered)
    expect(program.submitted()).toEqual(['first', 'second'])
  })

  test('receives input while it is busy if it accepts that', async () => {
    await using program = prompt('--busy 60000', { ...polite, takesWhileBusy: true })
    expect(await program.say('first')).toEqual(delivered)
    expect(await program.say('second')).toEqual(delivered)
    expect(program.submitted()).toEqual(['first', 'second'])
  })

  test('reports its dialog, and no key is pressed', async () => {
    await using program = prompt('--ask --paste')
    expect(await program.say('y')).toEqual({
      state: 'queued',
      reason: 'it waits for a person: whether to trust its folder',
      dialog: trust,
    })
    expect(program.submitted()).toEqual([])
    await program.press('y')
    await program.sees((rows) => !rows.some((row) => trust.seen.test(row)))
    expect(await program.say('work')).toEqual(delivered)
    expect(program.submitted()).toEqual(['key y', 'work'])
  })

  test('keeps a draft that a person has typed, and nothing is appended to it', async () => {
    await using program = prompt('')
    await program.settle()
    await program.press('draft')
    await program.sees((rows) => rows.some((row) => row.includes('draft')))
    expect(await program.say('work', { within: 900 })).toEqual({
      state: 'queued',
      reason: 'someone has begun to type there',
    })
    await program.press('\r')
    await program.sees((rows) => !rows.some((row) => row.includes('│ > draft')))
    expect(await program.say('work')).toEqual(delivered)
    expect(program.submitted()).toEqual(['draft', 'work'])
  })
})

describe.concurrent('interrupting', () => {
  test('ends the turn with the keys of the program, one by one, and keeps the program running', async () => {
    const profile = { ...polite, interrupt: ['\x1b', '\x1b'] }
    await using program = prompt('--busy 60000', profile)
    await program.say('work')
    await program.sees((rows) => rows.some((row) => row.includes('esc to interrupt')))
    expect(await interrupt(program.terminals, 's', { profile }, options)).toBe(true)
    expect(await program.say('more work')).toEqual(delivered)
  })

  test('succeeds when the program exits on it', async () => {
    const profile = { ...polite, interrupt: ['\x03'] }
    await using program = running(['sleep', '600'], profile)
    expect(await interrupt(program.terminals, 's', { profile }, options)).toBe(false)
  })

  test('reports a turn that does not end', async () => {
    const profile = { ...polite, interrupt: ['\x00'] }
    await using program = prompt('--busy 60000', profile)
    await program.say('work')
    expect(await interrupt(program.terminals, 's', { profile }, { ...options, within: 500 })).toBe(false)
  })
})

describe.concurrent('untrusted text', () => {
  test('sends no control keys', async () => {
    await using program = prompt('--paste')
    expect(await program.say('a\x1b[201~\x03\r\x15b\x9bc\u202ed')).toEqual(delivered)
    expect(program.submitted()).toEqual(['a[201~\nbcd'])
  })

  test('triggers no command of the program unless commands are allowed', async () => {
    await using program = prompt('')
    await program.say('!rm -rf /')
    await program.say('/compact', { commands: true })
    expect(program.submitted()).toEqual(['» !rm -rf /', '/compact'])
  })

  test('is delivered whole when several deliveries run at the same time', async () => {
    await using program = prompt('')
    const texts = ['first of them', 'second of them', 'third of them']
    expect(await Promise.all(texts.map((text) => program.say(text)))).toEqual([delivered, delivered, delivered])
    expect(program.submitted()).toEqual(texts)
  })
})

describe.concurrent('an unknown program', () => {
  test('is ready after its start-up delay and receives input through the line discipline', async () => {
    const script = 'while read line; do echo "\\"$line\\"" >> LOG; echo taken; done'
    await using program = running(['/bin/sh', '-c', script], { ...DEFAULT_TERMINAL_PROFILE, readyDelay: 400 })
    expect(await program.say('hello there')).toEqual(delivered)
    expect(await program.say('again and again', { settled: true })).toEqual(delivered)
    await program.sees((rows) => rows.filter((row) => row === 'taken').length === 2)
    expect(program.submitted()).toEqual(['hello there', 'again and again'])
  })

  test('is not ready before its start-up delay', async () => {
    await using program = running(['/bin/cat'], { ...DEFAULT_TERMINAL_PROFILE, readyDelay: 5000 })
    expect(await program.settle({ within: 500 })).toEqual({ is: 'starting' })
  })
})
