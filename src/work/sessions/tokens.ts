import type { Clock } from '../../core/clock.ts'
import { createSecret } from '../../core/ids.ts'
import { command, query, type Store, type Tx } from '../../core/store/index.ts'
import { hashToken, TOKEN_PREFIX } from '../../core/text/index.ts'
import type { LiveToken, TokenMirror } from '../../http/tokens.ts'

interface TokenRow {
  session_id: string
  generation: number
  ended_at: number | null
}

const INSERT = command<[string, string, number]>(
  'INSERT INTO session_tokens (hash, session_id, generation) VALUES (?, ?, ?)',
)

const REVOKE = command<[number, string], { hash: string }>(
  'UPDATE session_tokens SET ended_at = ? WHERE session_id = ? AND ended_at IS NULL RETURNING hash',
)

const FIND = query<TokenRow, [string]>('SELECT session_id, generation, ended_at FROM session_tokens WHERE hash = ?')

const LIVE = query<LiveToken>('SELECT hash FROM session_tokens WHERE ended_at IS NULL')

/** An incarnation of a session. */
interface TokenOwner {
  readonly session: string
  readonly generation: number
}

/** Credentials of sessions: one per incarnation, issued at its start, revoked at its end. Only hashes are stored. */
export class SessionTokens {
  /** Owners of live tokens that were found, by hash: only `revoke` ends one. */
  readonly #found = new Map<string, TokenOwner>()

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly mirror: TokenMirror,
  ) {}

  /** Issues the token of a new incarnation; earlier ones are revoked. */
  issue(tx: Tx, session: string, generation: number): string {
    this.revoke(tx, session)
    const token = createSecret(TOKEN_PREFIX.session)
    const hash = hashToken(token)
    tx.run(INSERT, hash, session, generation)
    this.mirror.issued(tx, { hash })
    return token
  }

  revoke(tx: Tx, session: string): void {
    for (const { hash } of tx.all(REVOKE, this.clock.now(), session)) {
      this.#found.delete(hash)
      this.mirror.ended(tx, hash)
    }
  }

  /** The session that a token hash belongs to; `ended` when its incarnation is over. */
  find(hash: string): TokenOwner | 'ended' | undefined {
    const found = this.#found.get(hash)
    if (found) return found
    const row = this.store.get(FIND, hash)
    if (!row) return undefined
    if (row.ended_at !== null) return 'ended'
    const owner = { session: row.session_id, generation: row.generation }
    // A write that is under way may still be undone.
    if (!this.store.isWriting) this.#found.set(hash, owner)
    return owner
  }

  listLive(): LiveToken[] {
    return this.store.all(LIVE)
  }
}
