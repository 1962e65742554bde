import { describe, expect, test } from 'bun:test'
import { ViewerFilter } from '../../../src/agents/sessions/service/viewer-filter.ts'

const seen = (text: string, size = text.length): string => {
  const filter = new ViewerFilter()
  const bytes = Buffer.from(text)
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(filter.push(bytes.subarray(at, at + size)))
  return Buffer.concat(chunks).toString()
}

describe('the output that somebody sees who only watches', () => {
  test('draws what the program draws', () => {
    const drawing =
      'plain \u001b[31mred\u001b[0m \u001b[2J\u001b[10;5H\u001b(B é 🎉 \u001b]8;;http://a\u0007link\u001b]8;;\u001b\\ \u001b7'
    for (const size of [1, 2, 3, 7, 1000]) expect(seen(drawing, size)).toBe(drawing)
  })

  test('does not set a title, clipboard, printer or notification', () => {
    const acting = [
      '\u001b]0;title\u0007',
      '\u001b]2;title\u001b\\',
      '\u001b]52;c;aGk=\u0007',
      '\u001b]9;hello\u0007',
      '\u001b]777;notify;a;b\u0007',
      '\u001b[5i',
      '\u001b[?4i',
      '\u001b[8;10;10t',
      '\u001bPq#0~\u001b\\',
      '\u001b_Ga=T;AAAA\u001b\\',
      '\u009b5i'.slice(0, 1),
    ]
    for (const size of [1, 2, 5, 1000])
      expect(seen(`a${acting.join('b')}c`, size)).toBe(`a${'b'.repeat(acting.length - 1)}c`)
  })

  test('does not wait for the end of a string sequence that has none', () => {
    expect(seen(`a\u001b]0;${'x'.repeat(5000)}\nb`)).toEndWith('\nb')
  })
})
