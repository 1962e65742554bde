import { expect, test } from 'bun:test'
import { parsePublicKey, verifySignature } from '../../cli/upgrade/minisign.ts'
import { readSigningKey, signatureOf } from '../../scripts/release/signing-key.ts'

// Made with minisign 0.11: a key without a password, a signature of "hello\n", and one of the older kind.
const PUBLIC = `untrusted comment: minisign public key 3A728BEA3384B4DF
RWTftIQz6otyOlNxBzAeSr5RHCg0WYx38XLJCaPdn4Dwf5suSm4JKCfQ
`
const SECRET = `untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA37SEM+qLcjobuIWOo18T1Ug662YTDCuD6HLcKS92BCp3XcsdXOU5VlNxBzAeSr5RHCg0WYx38XLJCaPdn4Dwf5suSm4JKCfQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
`
const SIGNATURE = `untrusted comment: signature from minisign secret key
RUTftIQz6otyOlgcjaFXW4Wfi24R4pld372N45jOmhp/8wDOr8xwXLG2XG7DV3f6mcURTzazJd9+aJoHNiRXiQKa5+SMHyUPrww=
trusted comment: a comment
bkgoW+AkNR33UpNH+Fiky3UNczxezE2RcvW4IDlqH8Q6AwdqVAGJE4Rx8bwmxhgk4mCiv7ZdybRNB0JoxySVCA==
`
const OLDER = `untrusted comment: signature from minisign secret key
RWTftIQz6otyOmwg0ASMZbjXQw/IZeVVTwuvA/Fm7Hm/GEU4lXqdtyduS+tnfUiuawZuSnNSYRnYzWpJSFhitdpci0sXted9xAI=
trusted comment: a comment
CdWc2RBn/Sg/m7LEHC6bDeb0hftxbTdGyvgYAJouSQ9hDDTnYCg7TQvkwbzLcpefFXRaDl4UEFJr54nk4L3dDw==
`
const HELLO = Buffer.from('hello\n')

const publicKey = parsePublicKey(PUBLIC)
const verify = (content: Uint8Array, signature: string, key = publicKey) =>
  key ? verifySignature(content, signature, key) : 'no key'

test('a signature of minisign is verified with its comment, and one that was changed is not', () => {
  expect(verify(HELLO, SIGNATURE)).toBe('a comment')
  expect(verify(HELLO, SIGNATURE.replaceAll('\n', '\r\n'))).toBe('a comment')
  expect(verify(Buffer.from('hellO\n'), SIGNATURE)).toBeUndefined()
  expect(verify(HELLO, SIGNATURE.replace('a comment', 'a Comment'))).toBeUndefined()
  for (const line of [1, 3])
    for (const column of [0, 5, 20, 60]) {
      const lines = SIGNATURE.split('\n')
      const text = lines[line] ?? ''
      lines[line] = text.slice(0, column) + (text[column] === 'A' ? 'B' : 'A') + text.slice(column + 1)
      expect(verify(HELLO, lines.join('\n'))).toBeUndefined()
    }
})

test('a signature of the older kind, of another key or of no form is not accepted', () => {
  expect(verify(HELLO, OLDER)).toBeUndefined()
  const other = parsePublicKey('RWT1siDPCvfISstCUHdgLrsVhv/bKgM8PsBz9MIy5/8OUJHph5Rw2HQy')
  expect(verify(HELLO, SIGNATURE, other)).toBeUndefined()
  for (const text of ['', '\n\n\n', 'x', SIGNATURE.slice(0, 100), SIGNATURE.split('\n').slice(0, 2).join('\n')])
    expect(verify(HELLO, text)).toBeUndefined()
  for (const text of ['', 'RWQ', SECRET, PUBLIC.replace('RWT', 'AAA')]) expect(parsePublicKey(text)).toBeUndefined()
})

test('a signature made with a secret key of minisign is the same each time and fits its public key', () => {
  const key = readSigningKey(SECRET, undefined)
  expect(PUBLIC).toContain(key.publicKey)
  const signature = signatureOf(HELLO, 'gc 0.1.0', key)
  expect(verify(HELLO, signature)).toBe('gc 0.1.0')
  expect(signatureOf(HELLO, 'gc 0.1.0', key)).toBe(signature)
  expect(() => readSigningKey(PUBLIC, undefined)).toThrow('the key is not a secret key of minisign')
})
