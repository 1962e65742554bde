import { describe, expect, test } from 'bun:test'
import type { ViewerEffect } from '../../../src/agents/sessions/drawing.ts'
import { ViewerFilter } from '../../../src/agents/sessions/viewer-filter.ts'

const ESC = '\u001b'
const SIZES = [1, 2, 3, 7, 100_000]

/** Bytes that a viewer sees of output in chunks of a size. */
const seenBytes = (bytes: Uint8Array, size: number, effects: ViewerEffect[] = []): string => {
  const filter = new ViewerFilter(new Set(effects))
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(filter.push(bytes.subarray(at, at + size)))
  return Buffer.concat(chunks).toString()
}
const seen = (text: string, size: number, effects: ViewerEffect[] = []): string =>
  seenBytes(Buffer.from(text), size, effects)

describe('the output that a viewer of a terminal gets', () => {
  test.each(SIZES)('draws what the program draws, in chunks of %d', (size) => {
    const drawing = [
      `plain ${ESC}[31mred${ESC}[38:2::1:2:3m${ESC}[0m ${ESC}[2J${ESC}[10;5H${ESC}(0lqk${ESC}(B é 🎉 \u00a0 \t\b\r\n\u0007`,
      `${ESC}[?1049h${ESC}[?25l${ESC}[?1000;1006h${ESC}[?2004h${ESC}[?2026h${ESC}7${ESC}8${ESC}M${ESC}[3;9r${ESC}[2 q`,
      `${ESC}]8;id=a;https://example.com/x${ESC}\\link${ESC}]8;;${ESC}\\${ESC}[>4;2m${ESC}[4h${ESC}[5b${ESC}=`,
    ].join('')
    expect(seen(drawing, size)).toBe(drawing)
  })

  const STRINGS = ['0;title', '1;i', '2;t', '4;1;?', '7;file:///', '9;hello', '10;?', '11;#fff', '52;c;aGk=', '52;c;?']
  const MORE = ['99;i=1;x', '104', '133;A', '777;notify;a;b', '1337;File=:AA', '8;;file:///etc/passwd', 'Lx', '']
  const ACTING: [string, string[]][] = [
    [
      'commands of the system',
      [...STRINGS, ...MORE].flatMap((text) => [`${ESC}]${text}\u0007`, `${ESC}]${text}${ESC}\\`]),
    ],
    [
      'device strings',
      ['P$q"p', 'P+q544e', 'Pq#0~', '_Ga=T;AAAA', '^pm', 'Xsos', 'Ptmux;x'].map((s) => `${ESC}${s}${ESC}\\`),
    ],
    ['printing', ['[5i', '[4i', '[i', '[?5i', '[?4i'].map((s) => ESC + s)],
    [
      'questions',
      ['[c', '[0c', '[>c', '[=c', '[5n', '[6n', '[?6n', '[?996n', '[x', '[?u', '[>q', '[$p', 'Z'].map((s) => ESC + s),
    ],
    ['more questions', ['[?25$p', '[1*y', '[?1;1S', '[?4m', '[18t', '[21t', '[14t', '[>0p', '[#p'].map((s) => ESC + s)],
    ['windows', ['[8;10;10t', '[22;0t', '[23t', '[3;1;1t', '[>1t'].map((s) => ESC + s)],
    [
      'other character sets',
      ['(A', ')0', '*0', '+0', '-A', '%@', '%G', 'n', 'o', '|', '}', '~', 'N', 'O', ' G', '#8'].map((s) => ESC + s),
    ],
    [
      'modes of keys',
      ['[2h', '[20h', '[12h', '[?3h', '[?40h', '[?2048h', '[?2031h', '[?9h', '[?1001h', '[62;1"p'].map((s) => ESC + s),
    ],
    ['what lasts', ['[3J', '[3g', 'H', '[2q', '[?5W', '[1;2;3;4;5T', 'l', 'm'].map((s) => ESC + s)],
    ['control characters', ['\u0000', '\u0005', '\u000e', '\u000f', '\u0011', '\u0013', '\u007f', '\u0018']],
    ['their one-byte forms', ['\u009d52;c;aGk=\u0007', '\u009b5i', '\u0090$q"p\u001b\\', '\u009f_x\u001b\\', '\u009a']],
    [
      'sequences with a control character in them',
      [`${ESC}[\u00005i`, `${ESC}[5\u0001i`, `${ESC}\u0000]0;x\u0007`, `${ESC}[6\u0000n`],
    ],
    [
      'sequences in sequences',
      [`${ESC}[${ESC}[5i`, `${ESC}]0;a${ESC}]52;c;aGk=\u0007`, `${ESC}P${ESC}[6n`, `${ESC}[3\u0018${ESC}[5i`],
    ],
  ]
  test.each(ACTING)('has none of %s', (_, acting) => {
    for (const size of SIZES) {
      for (const each of acting) expect({ each, seen: seen(`a${each}b`, size) }).toEqual({ each, seen: 'ab' })
    }
  })

  test('has no control character of one byte that is not a character of UTF-8', () => {
    for (const size of SIZES) {
      expect(seenBytes(Buffer.from([0x61, 0x9b, 0x35, 0x69, 0x62]), size)).toBe('a\ufffd5ib')
      expect(seenBytes(Buffer.from([0xc0, 0x9b, 0xe0, 0x82, 0x9b, 0x62]), size)).not.toContain('\u009b')
      expect(seenBytes(Buffer.from([0xc2, 0x1b, 0x5b, 0x35, 0x69, 0x62]), size)).toBe('\ufffdb')
    }
  })

  test('shows what a full reset shows, and keeps to its own entry of the stack of keyboards', () => {
    for (const size of SIZES) {
      expect(seen(`${ESC}c`, size)).toEndWith(`${ESC}[H${ESC}[2J`)
      expect(seen(`${ESC}[>5u${ESC}[<9u${ESC}[=3;1u`, size)).toBe(`${ESC}[=5;1u${ESC}[=0;1u${ESC}[=3;1u`)
      expect(seen(`${ESC}[?1000;2048;25h`, size)).toBe(`${ESC}[?1000;25h`)
    }
  })

  test('continues behind a string without an end: at a line, or after 256 KB', () => {
    for (const size of [1, 1000]) expect(seen(`a${ESC}]0;${'x'.repeat(5000)}\nb`, size)).toBe('a\nb')
    expect(seen(`a${ESC}P${'x'.repeat(300_000)}b`, 9000)).toEndWith('xb')
  })

  test('has a title, a clipboard and notices where the viewer asked for them, and still no question', () => {
    const acts = `${ESC}]0;a\u009cb\u202e\u0007${ESC}]52;c;aGk=${ESC}\\${ESC}]9;done\u0007${ESC}]52;c;?\u0007`
    for (const size of SIZES) {
      expect(seen(acts, size, ['title'])).toBe(`${ESC}]2;a b\u0007`)
      expect(seen(acts, size, ['clipboard'])).toBe(`${ESC}]52;c;aGk=\u0007`)
      expect(seen(acts, size, ['notifications'])).toBe(`${ESC}]9;done\u0007`)
    }
  })
})
