import type { Clock } from '../../core/clock.ts'
import { command, query, type Store, type Tx } from '../../core/store/index.ts'

/** Maximum expired entries removed with each addition, so that none blocks the loop. */
const REMOVED_AT_ONCE = 64

const FIND = query<{ found: number }, [string, string, number]>(
  'SELECT 1 AS found FROM webhook_deliveries WHERE webhook = ? AND digest = ? AND expires_at > ?',
)

const ADD = command<
  [string, string, number, number]
>(`INSERT INTO webhook_deliveries (webhook, digest, expires_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (webhook, digest) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?4`)

const EXPIRE = command<[number, number]>(`DELETE FROM webhook_deliveries WHERE (webhook, digest) IN
       (SELECT webhook, digest FROM webhook_deliveries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`)

/** Deliveries that already had an effect: as many as the rate limit allows until they expire. */
export class Deliveries {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  has(webhook: string, digest: string): boolean {
    return this.store.get(FIND, webhook, digest, this.clock.now()) !== null
  }

  /** Adds one with the write of what follows from it; false when it is there already. */
  add(tx: Tx, webhook: string, digest: string, expiresAt: number): boolean {
    const now = this.clock.now()
    tx.run(EXPIRE, now, REMOVED_AT_ONCE)
    return tx.run(ADD, webhook, digest, expiresAt, now).changes > 0
  }
}
