import { randomBytes } from 'node:crypto'

/** So many random bytes as hex characters. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

let pool = Buffer.alloc(0)
let used = 0

/** Names one HTTP exchange in `X-GC-Request-Id` and in our log: 16 hex characters. */
export const createExchangeId = (): string => {
  // Every exchange needs one; bytes from a pool cost a tenth of fresh ones.
  if (used === pool.length) {
    pool = randomBytes(4096)
    used = 0
  }
  used += 8
  return pool.toString('hex', used - 8, used)
}

/** Names an accepted asynchronous request until its one terminal event: `req-` and 24 hex characters. */
export const createRequestId = (): string => `req-${randomHex(12)}`

/** A random secret with a fixed prefix, by which it can be recognised and redacted. */
export const createSecret = (prefix: string): string => prefix + randomHex(32)
