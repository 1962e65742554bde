import { toTimestamp } from '../../core/clock.ts'
import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import type { Claim } from './schema.ts'
import type { Worker } from './worker.ts'

/** A claim that is held. */
export interface ClaimRow {
  bead_id: string
  epoch: number
  session: string
  session_name: string
  incarnation: string
  identity: string
  assigned: number
  taken_at: number
  expires_at: number | null
}

type ClaimValues = [string, string, string, string, string, number, number, number | null]

/** Stores claims, and the sessions that had one revoked. */
export class ClaimRepository {
  readonly #save: Statement<ClaimRow, ClaimValues>
  readonly #end: Statement<unknown, [string]>
  readonly #find: Statement<ClaimRow, [string]>
  readonly #all: Statement<ClaimRow, []>
  readonly #bySession: Statement<ClaimRow, [string]>
  readonly #expired: Statement<ClaimRow, [number]>
  readonly #nextExpiry: Statement<{ at: number | null }, []>
  readonly #renew: Statement<unknown, [number, string]>
  readonly #renewAll: Statement<unknown, [number]>
  readonly #addRevocation: Statement<unknown, [string, string]>
  readonly #deleteRevocation: Statement<unknown, [string, string]>
  readonly #deleteRevocations: Statement<unknown, [string]>
  readonly #revocation: Statement<{ bead_id: string }, [string, string]>

  constructor(store: Store) {
    this.#save = store.prepare(
      `INSERT INTO claims (bead_id, epoch, session, session_name, incarnation, identity, assigned, taken_at, expires_at)
       VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET epoch = epoch + 1, session = excluded.session, session_name = excluded.session_name,
         incarnation = excluded.incarnation, identity = excluded.identity,
         assigned = excluded.assigned, taken_at = excluded.taken_at, expires_at = excluded.expires_at
       RETURNING *`,
    )
    this.#end = store.prepare('UPDATE claims SET session = NULL, expires_at = NULL WHERE bead_id = ?')
    this.#find = store.prepare('SELECT * FROM claims WHERE bead_id = ? AND session IS NOT NULL')
    this.#all = store.prepare('SELECT * FROM claims WHERE session IS NOT NULL ORDER BY session, taken_at, bead_id')
    this.#bySession = store.prepare(stablePlan('SELECT * FROM claims WHERE session = ? ORDER BY taken_at, bead_id'))
    const expires = 'session IS NOT NULL AND expires_at IS NOT NULL'
    this.#expired = store.prepare(`SELECT * FROM claims WHERE ${expires} AND expires_at <= ?`)
    this.#nextExpiry = store.prepare(`SELECT min(expires_at) AS at FROM claims WHERE ${expires}`)
    this.#renew = store.prepare('UPDATE claims SET expires_at = ? WHERE bead_id = ?')
    this.#renewAll = store.prepare(`UPDATE claims SET expires_at = ? WHERE ${expires}`)
    this.#addRevocation = store.prepare('INSERT OR IGNORE INTO claim_losses VALUES (?, ?)')
    this.#deleteRevocation = store.prepare('DELETE FROM claim_losses WHERE session = ? AND bead_id = ?')
    this.#deleteRevocations = store.prepare('DELETE FROM claim_losses WHERE session = ?')
    this.#revocation = store.prepare('SELECT bead_id FROM claim_losses WHERE session = ? AND bead_id = ?')
  }

  /** Stores that a worker holds a bead, under the next epoch of that bead. */
  save(bead: string, worker: Worker, isAssigned: boolean, now: number, expires: number | null): ClaimRow | null {
    this.#deleteRevocation.run(worker.session, bead)
    const { session, sessionName, incarnation, identity } = worker
    return this.#save.get(bead, session, sessionName, incarnation, identity, isAssigned ? 1 : 0, now, expires)
  }

  end(bead: string): void {
    this.#end.run(bead)
  }

  find(bead: string): ClaimRow | undefined {
    return this.#find.get(bead) ?? undefined
  }

  list(): ClaimRow[] {
    return this.#all.all()
  }

  listBySession(session: string): ClaimRow[] {
    return this.#bySession.all(session)
  }

  listExpired(now: number): ClaimRow[] {
    return this.#expired.all(now)
  }

  /** Expiry of the next claim. */
  nextExpiry(): number | undefined {
    return this.#nextExpiry.get()?.at ?? undefined
  }

  renew(bead: string, expires: number): void {
    this.#renew.run(expires, bead)
  }

  /** Renews every claim that can expire. */
  renewAll(expires: number): void {
    this.#renewAll.run(expires)
  }

  /** Records that a session may not write to a bead any more. */
  addRevocation(session: string, bead: string): void {
    this.#addRevocation.run(session, bead)
  }

  isRevoked(session: string, bead: string): boolean {
    return this.#revocation.get(session, bead) !== null
  }

  /** Forgets the revocations of a session that is closed for good and therefore writes no more. */
  deleteRevocations(session: string): void {
    this.#deleteRevocations.run(session)
  }
}

export function toClaim(row: ClaimRow): Claim {
  return {
    bead_id: row.bead_id,
    epoch: row.epoch,
    session_id: row.session,
    session_name: row.session_name,
    assignee: row.identity,
    taken_at: toTimestamp(row.taken_at),
    ...(row.expires_at !== null && { expires_at: toTimestamp(row.expires_at) }),
  }
}
