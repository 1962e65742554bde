import type { Tx } from '../core/store/index.ts'
import type { Caller } from './caller.ts'

/** A token that is good, by its hash. */
export interface LiveToken {
  readonly hash: string
  /** Expiry; undefined if something else ends it, such as the end of its process. */
  readonly expiresAt?: number
}

/**
 * One kind of token that a city gives out; the city's database owns it. To add a kind:
 *
 * 1. Make its tokens with `createSecret(TOKEN_PREFIX.session)`, and store only `hashToken(token)`, in a table of the city,
 *    with whom it is for. Keep ended ones for a while, so that they can be told from unknown ones.
 * 2. Call the city's `TokenMirror` in each write that issues or ends one.
 * 3. Implement this interface over that table, and list it where `CityTokens` is built.
 *
 * The guard then resolves the kind, and answers its tokens as it answers those of sessions while the city is not open.
 */
export interface TokenKind {
  /** The caller whose token has this hash; `ended` when the token is over; undefined when it is none of this kind. */
  caller(hash: string): Caller | 'ended' | undefined
  /** Every token of this kind that is good, from an index: read when the city opens. */
  listLive(): readonly LiveToken[]
}

/**
 * Learns which tokens of a city are good, so that they are known while the city is not open. It is called within the
 * write that changes that, and follows once the write is on disk; what it misses in a crash it learns when the city opens.
 */
export interface TokenMirror {
  issued(tx: Tx, token: LiveToken): void
  ended(tx: Tx, hash: string): void
}
