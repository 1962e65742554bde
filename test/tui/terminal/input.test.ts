import { describe, expect, test } from 'bun:test'
import { type Input, InputParser } from '../../../tui/terminal/input.ts'
import { SEED } from '../../support/seed.ts'
import { SeededRandom } from '../../work/model/random.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What a text of a terminal means, all of it at once. */
function parse(text: string): Input[] {
  const parser = new InputParser()
  return [...parser.feed(bytes(text)), ...parser.flush()]
}

const keys = (text: string): string[] =>
  parse(text).map((input) => (input.type === 'key' ? input.key : JSON.stringify(input)))

describe('what a terminal sends', () => {
  test('is named by key, with its modifiers', () => {
    expect(keys('aé宽\r\t\x7f\x03')).toEqual(['a', 'é', '宽', 'enter', 'tab', 'backspace', 'ctrl+c'])
    expect(keys('\x1b[A\x1bOB\x1b[5~\x1b[3~\x1b[Z\x1b[H')).toEqual([
      ...['up', 'down', 'pageup', 'delete', 'shift+tab', 'home'],
    ])
    expect(keys('\x1b[1;5C\x1b[1;2A\x1bb\x1b[99~')).toEqual(['ctrl+right', 'shift+up', 'alt+b'])
  })

  test('tells escape from what begins with it', () => {
    const parser = new InputParser()
    expect(parser.feed(bytes('\x1b'))).toEqual([])
    expect(parser.isWaiting).toBe(true)
    expect(parser.flush()).toEqual([{ type: 'key', key: 'esc' }])
    expect(parser.feed(bytes('\x1b'))).toEqual([])
    expect(parser.feed(bytes('[A'))).toEqual([{ type: 'key', key: 'up' }])
    expect(keys('\x1b\x1b[B')).toEqual(['esc', 'down'])
  })

  test('has clicks, the wheel and the background', () => {
    expect(parse('\x1b[<0;12;3M\x1b[<0;12;3m\x1b[<65;1;1M\x1b[<2;1;1M')).toEqual([
      { type: 'mouse', action: 'press', x: 11, y: 2 },
      { type: 'mouse', action: 'wheel-down', x: 0, y: 0 },
    ])
    expect(parse('\x1b]11;rgb:ffff/fafa/f0f0\x07\x1b]11;rgb:00/00/00\x1b\\')).toEqual([
      { type: 'background', isLight: true },
      { type: 'background', isLight: false },
    ])
  })

  test('never takes pasted text for keys', () => {
    expect(parse('\x1b[200~q\rq\x1b[A\x1b[201~x')).toEqual([
      { type: 'paste', text: 'q\rq\x1b[A' },
      { type: 'key', key: 'x' },
    ])
  })

  test('means the same however it is cut into pieces', () => {
    const text = 'j宽\x1b[A\x1b[1;5C\x1b[<64;10;20M\x1b[200~a\r👩‍💻\x1b[201~\x1b]11;rgb:ffff/ffff/ffff\x07\x1bOHé'
    const whole = parse(text)
    const random = new SeededRandom(SEED)
    for (let n = 0; n < 200; n++) {
      const parser = new InputParser()
      const all = bytes(text)
      const found: Input[] = []
      for (let at = 0; at < all.length; ) {
        const size = 1 + Math.floor(random.next() * 6)
        found.push(...parser.feed(all.subarray(at, at + size)))
        at += size
      }
      expect([...found, ...parser.flush()]).toEqual(whole)
    }
  })

  test('of any bytes ends, and keeps nothing back', () => {
    const random = new SeededRandom(SEED)
    const alphabet = [...'\x1b\x1b[]O<;01;5MmAq~\x07\\ \r\x00']
    const parser = new InputParser()
    for (let n = 0; n < 20_000; n++) parser.feed(bytes(random.pick(alphabet)))
    parser.flush()
    expect(parser.isWaiting).toBe(false)
  })
})
