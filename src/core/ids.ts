import { randomBytes } from 'node:crypto'

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

let store = Buffer.alloc(0)
let used = 0

/** Names one HTTP exchange in `X-GC-Request-Id` and in our log: 16 hex characters. */
export const exchangeId = (): string => {
  // Every exchange needs one: its bytes come from a store of random ones, a tenth of the price of fresh ones.
  if (used === store.length) {
    store = randomBytes(4096)
    used = 0
  }
  used += 8
  return store.toString('hex', used - 8, used)
}

/** Names an accepted asynchronous request until its one terminal event: `req-` and 24 hex characters. */
export const requestId = (): string => `req-${hex(12)}`

/** Names a mail thread: `thread-` and 12 hex characters. */
export const threadId = (): string => `thread-${hex(6)}`

/** Names a comment on a bead, wherever the bead goes: `comment-` and 12 hex characters. */
export const commentId = (): string => `comment-${hex(6)}`

/** A secret with a fixed prefix that can be recognised and struck out: `gcs_` session, `gco_` operator, `moltbook_` network. */
export const createSecret = (prefix: 'gcs_' | 'gco_' | 'moltbook_' | 'moltbook_claim_'): string => prefix + hex(32)
