import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign } from 'node:crypto'

/** The public part of a key that signs requests (RFC 8037). */
export interface PublicKey {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
}

/** A request that is about to be sent. */
export interface UnsignedRequest {
  readonly method: string
  readonly url: string
  readonly body?: string | Uint8Array | undefined
}

/** Signs requests with an Ed25519 key, as RFC 9421 describes. */
export class RequestSigner {
  readonly publicKey: PublicKey
  /** The thumbprint of the key (RFC 7638). */
  readonly keyId: string
  readonly #key: KeyObject

  /** Reads a private key in PEM (PKCS 8); throws a sentence for anything else. */
  constructor(pem: string) {
    this.#key = parseKey(pem)
    const { x = '' } = createPublicKey(this.#key).export({ format: 'jwk' })
    this.publicKey = { kty: 'OKP', crv: 'Ed25519', x }
    const { crv, kty } = this.publicKey
    this.keyId = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  }

  /** The signature of a text, in base64. */
  signText(text: string): string {
    return sign(null, Buffer.from(text), this.#key).toString('base64')
  }

  /** The headers with which a request is signed, once. */
  headersFor({ method, url, body }: UnsignedRequest, now = Date.now()): Record<string, string> {
    const hasBody = body !== undefined && body.length > 0
    const digest = hasBody ? `sha-256=:${createHash('sha256').update(body).digest('base64')}:` : undefined
    const covered = ['@method', '@target-uri', ...(digest === undefined ? [] : ['content-digest'])]
    const names = covered.map((name) => `"${name}"`).join(' ')
    const created = Math.floor(now / 1_000)
    const parameters = `(${names});created=${created};nonce="${randomUUID()}";keyid="${this.keyId}";alg="ed25519"`
    const lines = [
      `"@method": ${method}`,
      `"@target-uri": ${new URL(url).href}`,
      ...(digest === undefined ? [] : [`"content-digest": ${digest}`]),
      `"@signature-params": ${parameters}`,
    ]
    return {
      ...(digest !== undefined && { 'Content-Digest': digest }),
      'Signature-Input': `gc=${parameters}`,
      Signature: `gc=:${this.signText(lines.join('\n'))}:`,
    }
  }
}

function parseKey(pem: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = createPrivateKey(pem)
  } catch {}
  if (key?.asymmetricKeyType !== 'ed25519') throw new Error('this is not a private Ed25519 key in PEM')
  return key
}
