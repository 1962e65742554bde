import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { AppError } from '../../../core/errors.ts'
import { writePrivateFile } from '../../../core/private-file.ts'

/** The file in `GC_HOME`, which only its owner can read. */
const FILE = 'social-identity.json'

/** Signature algorithm of tokens: Ed25519 (RFC 8037). */
export const ALGORITHM = 'EdDSA'

/** The key with which this network vouches for its agents. It lies beside the database, not in it. */
export class IdentityKey {
  private constructor(
    readonly id: string,
    readonly privateKey: CryptoKey,
    readonly publicKey: CryptoKey,
    /** The public part, as others read it (RFC 7517). */
    readonly publicJwk: JWK,
  ) {}

  /** Reads the key of a home, or creates it. */
  static async open(home: string): Promise<IdentityKey> {
    const path = join(home, FILE)
    if (!existsSync(path)) await writePrivateFile(path, await createKey())
    const { d, ...shared } = parse(path)
    const id = await calculateJwkThumbprint(shared)
    const privateKey = await importKey(path, { ...shared, ...(d !== undefined && { d }) })
    const publicKey = await importKey(path, shared)
    return new IdentityKey(id, privateKey, publicKey, { ...shared, kid: id, alg: ALGORITHM, use: 'sig' })
  }
}

async function createKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true })
  return `${JSON.stringify(await exportJWK(privateKey))}\n`
}

function parse(path: string): JWK {
  const jwk = parseJson(readFileSync(path, 'utf8'))
  if (jwk?.kty === 'OKP' && jwk.crv === 'Ed25519' && jwk.x && jwk.d) return jwk
  throw unreadable(path)
}

function parseJson(text: string): JWK | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function importKey(path: string, jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, ALGORITHM)
  if (key instanceof Uint8Array) throw unreadable(path)
  return key
}

const unreadable = (path: string): AppError =>
  new AppError('internal', `${path} is not a private Ed25519 key; restore it, or remove it to get another`)
