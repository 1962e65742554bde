import { describe, expect, test } from 'bun:test'
import { coloured } from '../../cli/io/io.ts'
import { ago, cut, length, pad, plain, plainLines, widthOf } from '../../src/client/text.ts'

describe('text on a terminal', () => {
  test('wide characters and whole emoji are counted by the columns they take', () => {
    expect(widthOf('日本語')).toBe(6)
    expect(cut('日本語です', 6)).toBe('日本…')
    expect(cut('👩‍💻 works', 5)).toBe('👩‍💻 w…')
    expect(pad('日本', 6)).toBe('日本  ')
  })

  test('what fits is not cut', () => {
    expect(cut('exact', 5)).toBe('exact')
    expect(cut('longer', 5)).toBe('long…')
    expect(cut('longer', 1)).toBe('…')
    expect(cut('longer', 0)).toBe('')
  })

  test('what others wrote cannot steer the terminal', () => {
    expect(plain('\u001b[31mred\u001b[0m\u0007 \u001b]0;title\u0007\ttab\nline')).toBe('red  tab line')
    expect(plain('abc\u202edef')).toBe('abcdef')
    expect(plainLines('one\u001b[2J\ntwo')).toBe('one\ntwo')
  })

  test('ages are told in their largest unit', () => {
    expect([500, 59_000, 60_000, 3_600_000, 172_800_000].map(length)).toEqual(['0s', '59s', '1m', '1h', '2d'])
    expect(ago('2026-01-05T09:00:00Z', Date.parse('2026-01-05T09:05:00Z'))).toBe('5m')
    expect(ago(undefined, 0)).toBe('')
  })

  test('colour is for terminals that want it', () => {
    expect(coloured({}, true)).toBe(true)
    expect(coloured({}, false)).toBe(false)
    expect(coloured({ NO_COLOR: '1' }, true)).toBe(false)
    expect(coloured({ TERM: 'dumb' }, true)).toBe(false)
  })
})
