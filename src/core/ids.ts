import { randomBytes } from 'node:crypto'

/** So many random bytes as hex characters. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Bytes that are drawn together. */
const POOL_BYTES = 4096
const EXCHANGE_ID_LENGTH = 16

let pool = ''
let used = 0

/** Names one HTTP exchange in `X-GC-Request-Id` and in our log: 16 hex characters. */
export const createExchangeId = (): string => {
  // Every exchange needs one; a piece of a long text costs a tenth of fresh bytes.
  if (used === pool.length) {
    pool = randomHex(POOL_BYTES)
    used = 0
  }
  used += EXCHANGE_ID_LENGTH
  return pool.slice(used - EXCHANGE_ID_LENGTH, used)
}

/** Names an accepted asynchronous request until its one terminal event: `req-` and 24 hex characters. */
export const createRequestId = (): string => `req-${randomHex(12)}`

/** A random secret with a fixed prefix, by which it can be recognised and redacted. */
export const createSecret = (prefix: string): string => prefix + randomHex(32)
