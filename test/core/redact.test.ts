import { describe, expect, test } from 'bun:test'
import { createSecret } from '../../src/core/ids.ts'
import { Redactor } from '../../src/core/text/redact.ts'

const secrets = new Redactor(['gcs_', 'gco_', 'moltbook_'])

const streamed = (chunks: string[], flushed = false): string => {
  const stream = secrets.createStream()
  const out = chunks.flatMap((chunk) => {
    const now = [stream.push(Buffer.from(chunk))]
    return flushed ? [...now, stream.flush()] : now
  })
  return Buffer.concat([...out, stream.flush()]).toString()
}

describe('redaction', () => {
  test('masks every kind of secret and keeps its prefix', () => {
    const text = `a ${createSecret('gcs_')}, ${createSecret('gco_')} and "${createSecret('moltbook_')}"`
    expect(secrets.redact(text)).toBe('a gcs_***, gco_*** and "moltbook_***"')
    expect(streamed([text])).toBe(secrets.redact(text))
  })

  test('finds a secret that colour codes or hyperlinks split, wherever the stream is cut', () => {
    const secret = createSecret('gcs_')
    const styled = [...secret].map((character, at) => (at % 3 === 0 ? `\u001b[3${at % 8}m` : '') + character).join('')
    const linked = `\u001b]8;;http://a\u0007${secret.slice(0, 2)}\u001b]8;;\u001b\\${secret.slice(2)}`
    const plain = (text: string) => Bun.stripANSI(text)
    for (const text of [`a ${styled}\u001b[0m b`, `a ${linked} b`]) {
      expect(plain(secrets.redact(text))).toBe('a gcs_*** b')
      expect(secrets.redact(JSON.stringify(text))).not.toContain(secret.slice(-3))
      for (let size = 1; size < text.length; size += 7) {
        expect(plain(streamed(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []))).toBe('a gcs_*** b')
      }
    }
    const apart = 'gcs_ab\u001b[2Jcdefghijklmnopqrst'
    expect(streamed([apart])).toBe(apart)
  })

  test('finds a secret in a title and in the address of a hyperlink, wherever the stream is cut', () => {
    const secret = createSecret('gcs_')
    const text = `\u001b]0;at ${secret}\u0007 a \u001b]8;;http://x/${secret}\u001b\\b\u001b]8;;\u001b\\ ${secret} c`
    const struck = text.replaceAll(secret, 'gcs_***')
    expect(secrets.redact(text)).toBe(struck)
    for (let size = 1; size < text.length; size++) {
      expect(streamed(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])).toBe(struck)
    }
    const short = '\u001b]0;gcs_bucket\u0007gcs_bucket \u001b]2;a gcs_'
    for (let size = 1; size < short.length; size++) {
      expect(streamed(short.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])).toBe(short)
    }
  })

  test('recognizes the beginning of a secret at the end of a text', () => {
    for (const text of ['a g', 'a gcs_', 'gcs_0123456789', 'molt', 'x\u001b[1mgc\u001b[0ms']) {
      expect([text, secrets.endsInBeginning(text)]).toEqual([text, true])
    }
    for (const text of ['', 'a gcs_ ', `${createSecret('gcs_')}.`, 'gcx']) {
      expect([text, secrets.endsInBeginning(text)]).toEqual([text, false])
    }
  })

  test('ignores words that only begin like a secret', () => {
    const text = 'gcs_bucket, gco_ and moltbook_x, gcs_'
    expect(secrets.redact(text)).toBe(text)
    expect(streamed([text])).toBe(text)
  })

  test('finds a secret wherever the stream is split', () => {
    const text = `log ${createSecret('gcs_')}\nnext moltbook_x ${createSecret('moltbook_')}${createSecret('gco_')} end g`
    for (let size = 1; size < text.length; size++) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(streamed(chunks)).toBe(secrets.redact(text))
    }
  })

  test('passes single characters through immediately and holds back only what follows the prefix of a secret', () => {
    const stream = secrets.createStream()
    expect([...'echo gcs_'].map((one) => Buffer.from(stream.push(Buffer.from(one))).toString()).join('')).toBe(
      'echo gcs_',
    )
    expect(stream.held).toBe(0)
    stream.push(Buffer.from('a'))
    expect(stream.held).toBe(1)
    expect(Buffer.from(stream.flush()).toString()).toBe('a')
  })

  test('masks the rest of a secret whose beginning was already flushed', () => {
    const token = createSecret('gcs_')
    expect(streamed([`${token.slice(0, 9)}`, `${token.slice(9)} done`], true)).toBe(`${token.slice(0, 9)}*** done`)
  })

  test('leaves colour codes in and behind a secret in their order', () => {
    const text = `gcs_${'a'.repeat(16)}\u001b[1mb\u001b[0m c`
    expect(streamed([text])).toBe('gcs_***\u001b[1m\u001b[0m c')
  })

  test('does not join what a control character or the end of a title parts, wherever the stream is cut', () => {
    const body = 'a'.repeat(12)
    const parted = [`${'x'.repeat(9)}gc\n`, `s_${body}${body}`]
    expect(streamed(parted)).toBe(parted.join(''))
    const titled = [`${'y'.repeat(3_000)}\u001b]0;${'x'.repeat(2_000)}`, `gcs_${body}\u001b[1m${body}\u001b[0m`]
    expect(streamed(titled)).toBe(titled.join(''))
  })

  test('finds a secret that a long hyperlink splits, wherever the stream is cut', () => {
    const linked = ['gc', `\u001b]8;;http://a/${'x'.repeat(1_000)}`, `\u001b\\s_${'a'.repeat(20)}`]
    expect(Bun.stripANSI(streamed(linked))).toBe('gcs_***')
  })

  test('passes a chunk without secrets through unchanged', () => {
    const chunk = new Uint8Array(1000).fill(0x78)
    expect(secrets.createStream().push(chunk)).toEqual(chunk)
  })
})
