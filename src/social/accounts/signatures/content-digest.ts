import { type Dictionary, parseDictionary } from 'structured-headers'
import { invalidSignature } from './errors.ts'

const ALGORITHMS = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const

/** Throws unless the header `Content-Digest` (RFC 9530) is that of a body. */
export function checkContentDigest(header: string | null, body: Uint8Array): void {
  const digests = parse(header ?? '')
  let checked = 0
  for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
    const digest = digests.get(name)?.[0]
    if (digest === undefined) continue
    if (!(digest instanceof ArrayBuffer)) throw invalidSignature(`${name} of content-digest is not bytes`)
    const actual = new Bun.CryptoHasher(algorithm).update(body).digest()
    if (!actual.equals(new Uint8Array(digest))) throw invalidSignature('content-digest is not that of the body')
    checked++
  }
  if (checked === 0) throw invalidSignature('content-digest has neither sha-256 nor sha-512')
}

function parse(header: string): Dictionary {
  try {
    return parseDictionary(header)
  } catch {
    throw invalidSignature('the header content-digest is not a structured field')
  }
}
