import { describe, expect, test } from 'bun:test'
import { quoteCommands, toKeys, toPlainText } from '../../../src/host/terminal/typed-text.ts'

const typed = (text: string, bracketedPaste: boolean) =>
  new TextDecoder().decode(toKeys(toPlainText(text), bracketedPaste))

describe('text for a terminal', () => {
  test.each([
    ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['\n\n  indented \n\n\n', '  indented'],
    ['tab\there', 'tab    here'],
    ['\x1b[31mred\x1b[0m', '[31mred[0m'],
    ['a\u200bb\ufeffc\u202ed', 'abcd'],
    ['half \ud83d', 'half \ufffd'],
    ['family 👩‍👩‍👧 stays', 'family 👩‍👩‍👧 stays'],
    ['\x00\x1b\x7f\x9b', ''],
  ])('is converted from %p to %p', (text, plain) => expect(toPlainText(text)).toBe(plain))

  test('contains no control character of either set, with or without bracketed paste', () => {
    const all = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join('')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
    const control = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/
    expect(toPlainText(all)).not.toMatch(control)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
    expect(typed(all, false)).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
    expect(typed(all, true).slice(6, -6)).not.toMatch(control)
    expect(typed(all, true)).toStartWith('\x1b[200~')
    expect(typed(all, true)).toEndWith('\x1b[201~')
  })

  test.each([
    ['/quit', '» /quit'],
    ['  !rm -rf /', '» !rm -rf /'],
    ['#remember', '» #remember'],
    ['@file', '» @file'],
    ['say /quit', 'say /quit'],
  ])('with commands quoted turns %p into %p', (text, words) => expect(quoteCommands(text)).toBe(words))

  test('is converted without delay from a megabyte of blanks', () => {
    expect(toPlainText(`${' '.repeat(500_000)}x${'\n'.repeat(500_000)}`)).toContain('x')
  })
})
