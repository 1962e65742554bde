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

/** Credentials of sessions: one per incarnation, issued at its start, revoked at its end. Only hashes are stored. */
export class SessionTokens {
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
    for (const { hash } of tx.all(REVOKE, this.clock.now(), session)) this.mirror.ended(tx, hash)
  }

  /** The session that a token hash belongs to; `ended` when its incarnation is over. */
  find(hash: string): { session: string; generation: number } | 'ended' | undefined {
    const row = this.store.get(FIND, hash)
    if (!row) return undefined
    return row.ended_at === null ? { session: row.session_id, generation: row.generation } : 'ended'
  }

  listLive(): LiveToken[] {
    return this.store.all(LIVE)
  }
}
