import { createPrivateKey, type KeyObject, scryptSync, sign } from 'node:crypto'
import { prehash } from '../../cli/upgrade/minisign.ts'

/** A secret key of minisign. */
export interface SigningKey {
  /** The public key, as the second line of `minisign.pub`. */
  readonly publicKey: string
  readonly id: Buffer
  readonly key: KeyObject
}

/** Layout of the file: algorithms, salt, costs, and then, encrypted if it has a password: id, key and checksum. */
const FILE_BYTES = 158
const KDF = 2
const SALT = { start: 6, end: 38 }
const OPS = 38
const MEMORY = 46
const SECRET = { start: 54, end: 158 }
/** The DER prefix of the 32 bytes of an Ed25519 seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Reads a secret key as `minisign -G` writes it. */
export function readSigningKey(text: string, password: string | undefined): SigningKey {
  const file = Buffer.from(text.trim().split(/\r?\n/).at(-1) ?? '', 'base64')
  if (file.length !== FILE_BYTES || file.toString('latin1', 0, 2) !== 'Ed')
    throw new Error('the key is not a secret key of minisign; `minisign -G` makes one')
  const isEncrypted = file.toString('latin1', KDF, KDF + 2) === 'Sc'
  if (isEncrypted && !password)
    throw new Error('the key has a password; set GC_RELEASE_PASSWORD to it for this command')
  const secret = Buffer.from(file.subarray(SECRET.start, SECRET.end))
  if (isEncrypted) {
    const stream = derive(file, password ?? '')
    for (const [index, byte] of stream.entries()) secret[index] = (secret[index] ?? 0) ^ byte
  }
  const [id, seed, publicBytes] = [secret.subarray(0, 8), secret.subarray(8, 40), secret.subarray(40, 72)]
  const checksum = new Bun.CryptoHasher('blake2b256').update(Buffer.concat([Buffer.from('Ed'), secret.subarray(0, 72)]))
  if (isEncrypted && !checksum.digest().equals(secret.subarray(72))) throw new Error('wrong password for the key')
  return {
    publicKey: Buffer.concat([Buffer.from('Ed'), id, publicBytes]).toString('base64'),
    id,
    key: createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }),
  }
}

/** The bytes that hide a key: scrypt with costs from the two limits, as libsodium picks them. */
function derive(file: Buffer, password: string): Buffer {
  const ops = Math.max(32768, Number(file.readBigUInt64LE(OPS)))
  const memory = Number(file.readBigUInt64LE(MEMORY))
  const r = 8
  const isFast = ops < memory / 32
  const cost = isFast ? ops / (r * 4) : memory / (r * 128)
  const N = 2 ** Math.floor(Math.log2(cost))
  const p = isFast ? 1 : Math.max(1, Math.floor(Math.min(0x3fffffff, ops / 4 / N) / r))
  const length = SECRET.end - SECRET.start
  return scryptSync(password, file.subarray(SALT.start, SALT.end), length, { N, r, p, maxmem: 256 * N * r })
}

/** A signature file of minisign. Equal content and comment give equal bytes. */
export function signatureOf(content: Uint8Array, comment: string, { id, key }: SigningKey): string {
  const signature = sign(null, prehash(content), key)
  const overall = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key)
  const first = Buffer.concat([Buffer.from('ED'), id, signature]).toString('base64')
  return `untrusted comment: signature of a release of gc\n${first}\ntrusted comment: ${comment}\n${overall.toString('base64')}\n`
}
