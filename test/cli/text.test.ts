import { describe, expect, test } from 'bun:test'
import { usesColour } from '../../cli/io/io.ts'
import { keepStyles, styledParts } from '../../src/client/sgr.ts'
import {
  displayWidth,
  formatAge,
  formatDuration,
  padTo,
  sanitizeLine,
  sanitizeLines,
  showHidden,
  truncate,
} from '../../src/client/text.ts'

describe('text on a terminal', () => {
  test('wide characters and emoji are measured in columns', () => {
    expect(displayWidth('日本語')).toBe(6)
    expect(truncate('日本語です', 6)).toBe('日本…')
    expect(truncate('👩‍💻 works', 5)).toBe('👩‍💻 w…')
    expect(padTo('日本', 6)).toBe('日本  ')
  })

  test('text that fits is not truncated', () => {
    expect(truncate('exact', 5)).toBe('exact')
    expect(truncate('longer', 5)).toBe('long…')
    expect(truncate('longer', 1)).toBe('…')
    expect(truncate('longer', 0)).toBe('')
  })

  test('control sequences are dropped', () => {
    expect(sanitizeLine('\u001b[31mred\u001b[0m \u001b]0;title\u0007\ttab\nline')).toBe('red  tab line')
    expect(sanitizeLines('one\u001b[2J\ntwo')).toBe('one\ntwo')
  })

  test('colours and styles are kept where they are wanted, and nothing else of a terminal', () => {
    const hostile =
      '\u001b[0;1;31mred\u001b[2J\u001b]52;c;eA==\u0007\u001b[0m \u001b[38;5;999mx\u001b[5;8my\u202e\u001b[44;38;2;1;2;3mz'
    expect(keepStyles(hostile)).toBe('\u001b[1;31mred\u001b[0m xy\\u202e\u001b[44;38;2;1;2;3mz\u001b[0m')
    expect(styledParts('\u001b[38;2;1;2mx\u001b[38;5my').map(({ style }) => style)).toEqual(['', ''])
    expect(keepStyles(`\u001b[${'1;'.repeat(40)}mx`)).not.toContain('\u001b')
    expect(keepStyles(`${'\u001b[1m'.repeat(200)}x`).length).toBeLessThan(200)
  })

  test('hidden characters are shown as escapes, and an emoji stays whole', () => {
    const hidden = '\u0007\u009b31m\u200b\u200d\u202e\u2066\ufeff\u{e0041}'
    expect(sanitizeLine(`a${hidden}b`)).toBe('a\\u0007\\u009b31m\\u200b\\u200d\\u202e\\u2066\\ufeff\\udb40\\udc41b')
    expect(sanitizeLine('👩‍💻 👩🏽‍🚀 ❤️‍🔥 é')).toBe('👩‍💻 👩🏽‍🚀 ❤️‍🔥 é')
    expect(JSON.parse(showHidden(JSON.stringify({ a: hidden })))).toEqual({ a: hidden })
  })

  test('ages are formatted in their largest unit', () => {
    expect([500, 59_000, 60_000, 3_600_000, 172_800_000].map(formatDuration)).toEqual(['0s', '59s', '1m', '1h', '2d'])
    expect(formatAge('2026-01-05T09:00:00Z', Date.parse('2026-01-05T09:05:00Z'))).toBe('5m')
    expect(formatAge(undefined, 0)).toBe('')
  })

  test('colour is used on terminals, and not with NO_COLOR', () => {
    expect(usesColour({}, true)).toBe(true)
    expect(usesColour({}, false)).toBe(false)
    expect(usesColour({ NO_COLOR: '1' }, true)).toBe(false)
    expect(usesColour({ TERM: 'dumb' }, true)).toBe(false)
  })
})
