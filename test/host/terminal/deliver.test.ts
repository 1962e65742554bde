import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { type DeliverOptions, type Delivery, deliver } from '../../../src/host/terminal/deliver.ts'
import { interrupt } from '../../../src/host/terminal/interrupt.ts'
import { DEFAULT_TERMINAL_PROFILE, type TerminalProfile } from '../../../src/host/terminal/profile.ts'
import { ScreenWatcher } from '../../../src/host/terminal/screen-watcher.ts'
import { waitUntilSettled } from '../../../src/host/terminal/wait-for-state.ts'
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

/** Runs a program on a terminal; `told` lists what it was told so far. */
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
    told: (): string[] => (existsSync(log) ? (Bun.JSONL.parse(readFileSync(log, 'utf8')) as string[]) : []),
    say: (text: string, more: Partial<DeliverOptions> = {}) =>
      deliver(terminals, 's', { profile }, text, { ...options, ...more }),
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

describe.concurrent('delivering a text', () => {
  test('it is typed, submitted and seen to be taken', async () => {
    await using program = prompt('')
    expect(await program.say('do the work')).toEqual(delivered)
    expect(program.told()).toEqual(['do the work'])
    expect(program.terminals.listeners).toBe(0)
  })

  test('a program that starts slowly is waited for', async () => {
    await using program = prompt('--delay 900 --paste')
    expect(await program.say('first')).toEqual(delivered)
    expect(program.told()).toEqual(['first'])
  })

  test('an Enter that was taken for a new line is seen, and the text is submitted all the same', async () => {
    await using program = prompt('--paste --guard 2000', { ...polite, pasteGuard: 1 })
    expect(await program.say('made in one go', { within: 30_000 })).toEqual(delivered)
    expect(program.told().map((text) => text.trim())).toEqual(['made in one go'])
  })

  test('a text that was only out of sight while the screen was drawn anew is not taken for submitted', async () => {
    await using program = prompt('--deaf 1 --blink 200', { ...polite, redraws: 1000 })
    expect(await program.say('do the work', { within: 30_000 })).toEqual(delivered)
    expect(program.told()).toEqual(['do the work'])
  })

  test('a program that guards its pastes is given the time', async () => {
    await using program = prompt('--paste --guard 1', { ...polite, pasteGuard: 50 })
    expect(await program.say('made in one go')).toEqual(delivered)
    expect(program.told()).toEqual(['made in one go'])
  })

  test('a program that marks pastes is not typed to before it does', async () => {
    await using program = prompt('--late 300', { ...polite, marksPastes: true })
    expect(await program.say('one\ntwo')).toEqual(delivered)
    expect(program.told()).toEqual(['one\ntwo'])
  })

  test('lines are kept where pastes are marked and become one where they are not', async () => {
    await using marks = prompt('--paste')
    await using plain = prompt('')
    const text = 'one\ntwo\r\nthree'
    expect(await Promise.all([marks.say(text), plain.say(text)])).toEqual([delivered, delivered])
    expect(marks.told()).toEqual(['one\ntwo\nthree'])
    expect(plain.told()).toEqual(['one two three'])
  })

  test('a paste that is shown as a token counts as seen', async () => {
    await using program = prompt('--paste --collapse')
    const text = Array.from({ length: 9 }, (_, line) => `line ${line}`).join('\n')
    expect(await program.say(text)).toEqual(delivered)
    expect(program.told()).toEqual([text])
  })

  test('a text longer than the screen is wide is recognised by its end', async () => {
    await using program = prompt('')
    const text = 'words and more words '.repeat(30).trim()
    expect(await program.say(text)).toEqual(delivered)
    expect(program.told()).toEqual([text])
  })

  test.each(['well done 👩‍👩‍👧 ✅', '漢字かな交じり文', 'naïve cafe\u0301', '🙂', 'हिन्दी में'])(
    'it shows %s as it can',
    async (text) => {
      await using program = prompt('--paste')
      expect(await program.say(text)).toEqual(delivered)
      expect(program.told()).toEqual([text])
    },
  )

  test('a program that draws its own cursor is read by its prefix', async () => {
    await using program = prompt('--hidden')
    expect(await program.say('work')).toEqual(delivered)
    expect(program.told()).toEqual(['work'])
  })

  test('an Enter that was not taken is pressed again', async () => {
    await using program = prompt('--deaf 1')
    expect(await program.say('work')).toEqual(delivered)
    expect(program.told()).toEqual(['work'])
  })

  test('a program that never takes Enter fails, and its input line is left empty', async () => {
    await using program = prompt('--deaf 99')
    expect(await program.say('work')).toEqual({
      state: 'failed',
      reason: 'it does not take what was typed: the text still stands in its input line',
    })
    expect(await program.settle()).toEqual({ is: 'ready' })
  })

  test('a program that never shows what is typed fails without Enter', async () => {
    await using program = prompt('--mute')
    expect(await program.say('work')).toEqual({ state: 'failed', reason: 'it does not show what is typed' })
    expect(program.told()).toEqual([])
  })

  test('a program without an input line fails when time is up', async () => {
    await using program = running(['/bin/sleep', '60'])
    expect(await program.say('work', { within: 600 })).toEqual({
      state: 'failed',
      reason: 'its input line was not seen in time',
    })
  })

  test('a program that ends fails with that', async () => {
    await using program = running(['/bin/sh', '-c', 'sleep 0.3'])
    expect(await program.say('work')).toEqual({ state: 'failed', reason: 'its program ended' })
  })

  test('giving up fails with the reason', async () => {
    await using program = prompt('--delay 5000')
    const signal = AbortSignal.abort(new Error('the session was stopped'))
    expect(await program.say('work', { signal })).toEqual({ state: 'failed', reason: 'the session was stopped' })
    expect(program.terminals.listeners).toBe(0)
  })

  test('a text without words fails at once', async () => {
    await using program = prompt('')
    expect(await program.say(' \x1b\n\x03')).toMatchObject({ state: 'failed' })
  })
})

describe.concurrent('a program that cannot be typed to', () => {
  test('a busy one is waited for, and the text is queued when it stays busy', async () => {
    await using program = prompt('--busy 1500')
    expect(await program.say('first')).toEqual(delivered)
    expect(await program.say('second', { within: 600 })).toEqual({ state: 'queued', reason: 'it is busy' })
    expect(await program.say('second')).toEqual(delivered)
    expect(program.told()).toEqual(['first', 'second'])
  })

  test('a busy one that takes texts gets them', async () => {
    await using program = prompt('--busy 60000', { ...polite, takesWhileBusy: true })
    expect(await program.say('first')).toEqual(delivered)
    expect(await program.say('second')).toEqual(delivered)
    expect(program.told()).toEqual(['first', 'second'])
  })

  test('a dialog is reported and no key is pressed', async () => {
    await using program = prompt('--ask --paste')
    expect(await program.say('y')).toEqual({
      state: 'queued',
      reason: 'it waits for a person: whether to trust its folder',
      dialog: trust,
    })
    expect(program.told()).toEqual([])
    await program.press('y')
    await program.sees((rows) => !rows.some((row) => trust.seen.test(row)))
    expect(await program.say('work')).toEqual(delivered)
    expect(program.told()).toEqual(['key y', 'work'])
  })

  test('what someone began to type is not added to', async () => {
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
    expect(program.told()).toEqual(['draft', 'work'])
  })
})

describe.concurrent('interrupting', () => {
  test('a turn ends with the keys of the program, pressed one by one, and the program lives', async () => {
    const profile = { ...polite, interrupt: ['\x1b', '\x1b'] }
    await using program = prompt('--busy 60000', profile)
    await program.say('work')
    await program.sees((rows) => rows.some((row) => row.includes('esc to interrupt')))
    expect(await interrupt(program.terminals, 's', { profile }, options)).toBe(true)
    expect(await program.say('more work')).toEqual(delivered)
  })

  test('a program that ends at it is interrupted, and is no fault', async () => {
    const profile = { ...polite, interrupt: ['\x03'] }
    await using program = running(['sleep', '600'], profile)
    expect(await interrupt(program.terminals, 's', { profile }, options)).toBe(false)
  })

  test('a turn that goes on is told', async () => {
    const profile = { ...polite, interrupt: ['\x00'] }
    await using program = prompt('--busy 60000', profile)
    await program.say('work')
    expect(await interrupt(program.terminals, 's', { profile }, { ...options, within: 500 })).toBe(false)
  })
})

describe.concurrent('texts from strangers', () => {
  test('they press no keys', async () => {
    await using program = prompt('--paste')
    expect(await program.say('a\x1b[201~\x03\r\x15b\x9bc\u202ed')).toEqual(delivered)
    expect(program.told()).toEqual(['a[201~\nbcd'])
  })

  test('they give no commands to the program unless asked to', async () => {
    await using program = prompt('')
    await program.say('!rm -rf /')
    await program.say('/compact', { commands: true })
    expect(program.told()).toEqual(['» !rm -rf /', '/compact'])
  })

  test('two at once do not mix', async () => {
    await using program = prompt('')
    const texts = ['first of them', 'second of them', 'third of them']
    expect(await Promise.all(texts.map((text) => program.say(text)))).toEqual([delivered, delivered, delivered])
    expect(program.told()).toEqual(texts)
  })
})

describe.concurrent('a program that we know nothing about', () => {
  test('it is ready after its delay and takes a text through the line discipline', async () => {
    const script = 'while read line; do echo "\\"$line\\"" >> LOG; echo taken; done'
    await using program = running(['/bin/sh', '-c', script], { ...DEFAULT_TERMINAL_PROFILE, readyDelay: 400 })
    expect(await program.say('hello there')).toEqual(delivered)
    expect(await program.say('again and again', { settled: true })).toEqual(delivered)
    await program.sees((rows) => rows.filter((row) => row === 'taken').length === 2)
    expect(program.told()).toEqual(['hello there', 'again and again'])
  })

  test('it is not ready before its delay', async () => {
    await using program = running(['/bin/cat'], { ...DEFAULT_TERMINAL_PROFILE, readyDelay: 5000 })
    expect(await program.settle({ within: 500 })).toEqual({ is: 'starting' })
  })
})
