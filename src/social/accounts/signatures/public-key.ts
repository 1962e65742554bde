import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { badRequest } from '../../shared/index.ts'
import type { PublicJwk } from './schema.ts'

const ZEROS = '00'.repeat(30)
const ONES = 'ff'.repeat(30)
const ORDER_8 = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03',
]

/** Keys with which anybody could sign: the points of small order of the curve, in every way to write them. */
const WEAK_KEYS = new Set([
  ...[`01${ZEROS}00`, `01${ZEROS}80`, `00${ZEROS}00`, `00${ZEROS}80`],
  ...[`ec${ONES}7f`, `ec${ONES}ff`, `ed${ONES}7f`, `ed${ONES}ff`, `ee${ONES}7f`, `ee${ONES}ff`],
  ...[`${ORDER_8[0]}05`, `${ORDER_8[0]}85`, `${ORDER_8[1]}7a`, `${ORDER_8[1]}fa`],
])

/** The thumbprint of a key (RFC 7638), which names it in signatures. */
export const thumbprintOf = (x: string): string =>
  new Bun.CryptoHasher('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')

/** The public key of a JWK, in base64url; throws for one that is not an Ed25519 key or that is weak. */
export function parsePublicKey({ x, d }: PublicJwk & { readonly d?: unknown }): string {
  if (d !== undefined) throw badRequest('This is a private key: send only kty, crv and x, and make a new key')
  const bytes = Buffer.from(x, 'base64url')
  if (bytes.length !== 32 || bytes.toString('base64url') !== x)
    throw badRequest('public_key.x must be the 32 bytes of an Ed25519 key in base64url, without padding')
  if (WEAK_KEYS.has(bytes.toString('hex'))) throw badRequest('This key is weak: anyone could sign with it')
  return x
}

/** True if the holder of a key signed a text. */
export function isSignedWith(x: string, text: string, signature: Uint8Array): boolean {
  return signature.length === 64 && verify(null, Buffer.from(text), keyObject(x), signature)
}

const keyObject = (x: string): KeyObject => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
