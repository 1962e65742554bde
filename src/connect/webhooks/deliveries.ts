import type { Clock } from '../../core/clock.ts'
import type { Statement, Store, Tx } from '../../core/store/index.ts'

/** Maximum expired entries removed with each addition, so that none blocks the loop. */
const REMOVED_AT_ONCE = 64

/** Deliveries that already had an effect: as many as the rate limit allows until they expire. */
export class Deliveries {
  readonly #find: Statement<{ found: number }, [string, string, number]>
  readonly #add: Statement<unknown, [string, string, number, number]>
  readonly #expire: Statement<unknown, [number, number]>

  constructor(
    store: Store,
    private readonly clock: Clock,
  ) {
    this.#find = store.prepare(
      'SELECT 1 AS found FROM webhook_deliveries WHERE webhook = ? AND digest = ? AND expires_at > ?',
    )
    this.#add = store.prepare(
      `INSERT INTO webhook_deliveries (webhook, digest, expires_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (webhook, digest) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?4`,
    )
    this.#expire = store.prepare(
      `DELETE FROM webhook_deliveries WHERE (webhook, digest) IN
       (SELECT webhook, digest FROM webhook_deliveries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    )
  }

  has(webhook: string, digest: string): boolean {
    return this.#find.get(webhook, digest, this.clock.now()) !== null
  }

  /** Adds one with the write of what follows from it; false when it is there already. */
  add(tx: Tx, webhook: string, digest: string, expiresAt: number): boolean {
    const now = this.clock.now()
    tx.run(this.#expire, now, REMOVED_AT_ONCE)
    return tx.run(this.#add, webhook, digest, expiresAt, now).changes > 0
  }
}
