import type { Statement } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { createSecret } from '../../core/ids.ts'
import type { Store, Tx } from '../../core/store.ts'
import { TOKEN_PREFIX } from '../../http/credentials.ts'

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

interface TokenRow {
  session_id: string
  generation: number
  ended_at: number | null
}

/** Credentials of sessions: one per incarnation, issued at its start, revoked at its end. Only hashes are stored. */
export class SessionTokens {
  readonly #insert: Statement<unknown, [string, string, number]>
  readonly #revoke: Statement<unknown, [number, string]>
  readonly #find: Statement<TokenRow, [string]>

  constructor(
    store: Store,
    private readonly clock: Clock,
  ) {
    this.#insert = store.prepare('INSERT INTO session_tokens (hash, session_id, generation) VALUES (?, ?, ?)')
    this.#revoke = store.prepare('UPDATE session_tokens SET ended_at = ? WHERE session_id = ? AND ended_at IS NULL')
    this.#find = store.prepare('SELECT session_id, generation, ended_at FROM session_tokens WHERE hash = ?')
  }

  /** Issues the token of a new incarnation; earlier ones are revoked. */
  issue(tx: Tx, session: string, generation: number): string {
    this.revoke(tx, session)
    const token = createSecret(TOKEN_PREFIX.session)
    this.#insert.run(hashOf(token), session, generation)
    return token
  }

  revoke(tx: Tx, session: string): void {
    tx.run(this.#revoke, this.clock.now(), session)
  }

  /** The session that a token hash belongs to; `ended` when its incarnation is over. */
  find(hash: string): { session: string; generation: number } | 'ended' | undefined {
    const row = this.#find.get(hash)
    if (!row) return undefined
    return row.ended_at === null ? { session: row.session_id, generation: row.generation } : 'ended'
  }
}
