import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** A public key of minisign: 2 bytes of algorithm, 8 of id, 32 of key. */
export interface PublicKey {
  readonly id: Buffer
  readonly key: KeyObject
}

const KEY_BYTES = 42
const SIGNATURE_BYTES = 74
const GLOBAL_BYTES = 64
const TRUSTED = 'trusted comment: '
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
/** The DER prefix of the 32 bytes of an Ed25519 key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Reads a key as `minisign -G` writes it, with or without its comment; undefined if it is none. */
export function parsePublicKey(text: string): PublicKey | undefined {
  const bytes = decode(text.trim().split(/\r?\n/).at(-1) ?? '', KEY_BYTES)
  if (bytes?.toString('latin1', 0, 2) !== 'Ed') return undefined
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes.subarray(10)]), format: 'der', type: 'spki' })
  return { id: bytes.subarray(2, 10), key }
}

/** The digest that minisign signs. */
export const prehash = (content: Uint8Array): Buffer => new Bun.CryptoHasher('blake2b512').update(content).digest()

/** The trusted comment of a valid signature of `content`; undefined if the signature is not valid or of another key. */
export function verifySignature(content: Uint8Array, signature: string, { id, key }: PublicKey): string | undefined {
  const [, first = '', comment = '', second = ''] = signature.split(/\r?\n/)
  const bytes = decode(first, SIGNATURE_BYTES)
  const overall = decode(second, GLOBAL_BYTES)
  // `ED` marks a signature of the digest. The older kind, of the content, is not accepted.
  if (!bytes || !overall || !comment.startsWith(TRUSTED) || bytes.toString('latin1', 0, 2) !== 'ED') return undefined
  const signed = bytes.subarray(10)
  const trusted = comment.slice(TRUSTED.length)
  const isValid =
    bytes.subarray(2, 10).equals(id) &&
    verify(null, prehash(content), key, signed) &&
    verify(null, Buffer.concat([signed, Buffer.from(trusted)]), key, overall)
  return isValid ? trusted : undefined
}

function decode(text: string, length: number): Buffer | undefined {
  if (!BASE64.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === length ? bytes : undefined
}
