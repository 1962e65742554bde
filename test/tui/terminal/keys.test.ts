import { describe, expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'
import { render, useInput, usePaste } from 'ink'
import { createElement } from 'react'
import { keysOf } from '../../../tui/terminal/keys.ts'
import { type Signal, TerminalInput, takeSignals } from '../../../tui/terminal/terminal-input.ts'
import { SEED } from '../../support/seed.ts'
import { eventually } from '../../support/until.ts'
import { SeededRandom } from '../../work/model/random.ts'

/** A keyboard whose keys are heard by Ink, as the dashboard hears them. */
function keyboard() {
  const source = Object.assign(new PassThrough(), { setRawMode: () => {} })
  const heard: string[] = []
  const signals: Signal[] = []
  const Ear = () => {
    useInput((input, key) => void heard.push(...keysOf(input, key)))
    usePaste((text) => void heard.push(`paste ${JSON.stringify(text)}`))
    return null
  }
  const stdin = new TerminalInput(source, (signal) => signals.push(signal))
  const ink = render(createElement(Ear), { stdin, stdout: new PassThrough(), interactive: false, exitOnCtrlC: false })
  stdin.awaitAnswer()
  return { source, heard, signals, [Symbol.dispose]: () => ink.unmount() }
}

/** The keys of a text that arrives in these pieces. */
async function keys(...pieces: readonly (string | Uint8Array)[]): Promise<string[]> {
  using board = keyboard()
  for (const piece of [...pieces, '§']) {
    board.source.write(piece)
    await Bun.sleep(0)
  }
  await eventually(
    'the last key is heard',
    5_000,
    async () => board.heard,
    (heard) => heard.at(-1) === '§',
  )
  return board.heard.slice(0, -1)
}

describe('input from a terminal', () => {
  test('is named by key, with its modifiers', async () => {
    expect(await keys('aé宽\r\t\x7f\x03')).toEqual(['a', 'é', '宽', 'enter', 'tab', 'backspace', 'ctrl+c'])
    expect(await keys('\x1b[A\x1bOB\x1b[5~\x1b[3~\x1b[Z\x1b[H')).toEqual([
      ...['up', 'down', 'pageup', 'delete', 'shift+tab', 'home'],
    ])
    expect(await keys('\x1b[1;5C\x1b[1;2A\x1bb\x1b[99~\n\x00')).toEqual([
      ...['ctrl+right', 'shift+up', 'alt+b', 'ctrl+j', 'ctrl+space'],
    ])
  })

  test('distinguishes escape from what begins with it', async () => {
    using board = keyboard()
    board.source.write('\x1b')
    await eventually(
      'escape is heard',
      5_000,
      async () => board.heard.join(),
      (heard) => heard === 'esc',
    )
    expect(await keys('\x1b', '[A')).toEqual(['up'])
    expect(await keys('\x1b\x1b\x03')).toEqual(['esc', 'esc', 'ctrl+c'])
  })

  test('never takes pasted text for keys', async () => {
    expect(await keys('\x1b[200~q\rq\x1b[A\x1b[201~x')).toEqual(['paste "q\\rq\\u001b[A"', 'x'])
  })

  test('has clicks, the wheel and the background, and none of them are keys', async () => {
    const { signals } = takeSignals('\x1b[<0;12;3M\x1b[<0;12;3m\x1b[<65;1;1M\x1b[<2;1;1M')
    expect(signals).toEqual([
      { type: 'mouse', action: 'press', x: 11, y: 2 },
      { type: 'mouse', action: 'wheel-down', x: 0, y: 0 },
    ])
    expect(takeSignals('\x1b]11;rgb:ffff/fafa/f0f0\x07\x1b]11;rgb:00/00/00\x1b\\').signals).toEqual([
      { type: 'background', isLight: true },
      { type: 'background', isLight: false },
    ])
    expect(await keys('j\x1b[<0;12;3M\x1b]11;rgb:ffff/', 'fafa/f0f0\x07k')).toEqual(['j', 'k'])
  })

  test('means the same however it is cut into pieces', async () => {
    const text = 'j宽\x1b[A\x1b[1;5C\x1b[<64;10;20M\x1b[200~a\r👩‍💻\x1b[201~\x1b]11;rgb:ffff/ffff/ffff\x07\x1bOHé'
    const whole = await keys(text)
    const random = new SeededRandom(SEED)
    const all = new TextEncoder().encode(text)
    for (let n = 0; n < 8; n++) {
      const pieces: Uint8Array[] = []
      for (let at = 0; at < all.length; ) {
        const size = 2 + Math.floor(random.next() * 6)
        pieces.push(all.subarray(at, at + size))
        at += size
      }
      expect(await keys(...pieces)).toEqual(whole)
    }
  }, 30_000)

  test('of any bytes keeps only a bounded rest back', () => {
    const random = new SeededRandom(SEED)
    const alphabet = [...'\x1b\x1b[]O<;01;5MmAq~\x07\\ \r\x00']
    let rest = ''
    for (let n = 0; n < 20_000; n++) {
      rest = takeSignals(rest + random.pick(alphabet)).rest
      expect(rest.length).toBeLessThan(300)
    }
  })
})
