import { describe, expect, test } from 'bun:test'
import { formatControlKey, parseControlKey, splitAtDetach } from '../../../cli/io/control-keys.ts'

const typed = (text: string) => new TextEncoder().encode(text)
const before = (text: string, key = parseControlKey('ctrl-]')) => {
  const { rest, pressed } = splitAtDetach(typed(text), key)
  return { rest: new TextDecoder().decode(rest), pressed }
}

describe('the detach key', () => {
  test('is parsed in every common notation', () => {
    expect(['ctrl-]', 'Ctrl+x', '^b', 'c-@', 'ctrl-\\'].map(parseControlKey)).toEqual([0x1d, 0x18, 0x02, 0x00, 0x1c])
    expect(formatControlKey(0x1d)).toBe('ctrl-]')
    expect(formatControlKey(0x18)).toBe('ctrl-x')
    for (const wrong of ['x', 'ctrl-', 'ctrl-ab', 'alt-x']) expect(() => parseControlKey(wrong)).toThrow('control key')
  })

  test('passes on what was typed before it and nothing after', () => {
    expect(before('hello\r')).toEqual({ rest: 'hello\r', pressed: false })
    expect(before('ab\u001dcd')).toEqual({ rest: 'ab', pressed: true })
  })

  test('is recognized in the encoding of extended keyboard protocols', () => {
    expect(before('ab\u001b[93;5u')).toEqual({ rest: 'ab', pressed: true })
    expect(before('\u001b[120;5u', parseControlKey('ctrl-x'))).toEqual({ rest: '', pressed: true })
    expect(before('\u001b[93;1u').pressed).toBe(false)
  })
})
