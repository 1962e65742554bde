import { randomBytes, randomUUID } from 'node:crypto'

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Names one HTTP exchange in `X-GC-Request-Id` and in our log: 16 hex characters. */
export const exchangeId = (): string => {
  // Every exchange needs one: the runtime keeps random bytes in store for UUIDs, a tenth of the price of fresh ones.
  const uuid = randomUUID()
  return uuid.slice(0, 8) + uuid.slice(28)
}

/** Names an accepted asynchronous request until its one terminal event: `req-` and 24 hex characters. */
export const requestId = (): string => `req-${hex(12)}`

/** Names a mail thread: `thread-` and 12 hex characters. */
export const threadId = (): string => `thread-${hex(6)}`

/** Names a comment on a bead, wherever the bead goes: `comment-` and 12 hex characters. */
export const commentId = (): string => `comment-${hex(6)}`

/** A secret with a fixed prefix that can be recognised and struck out: `gcs_` session, `gco_` operator, `moltbook_` network. */
export const secret = (prefix: 'gcs_' | 'gco_' | 'moltbook_'): string => prefix + hex(32)
