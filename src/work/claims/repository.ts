import { toTimestamp } from '../../core/clock.ts'
import { command, query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
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

const SAVE = command<ClaimValues, Pick<ClaimRow, 'epoch'>>(
  `INSERT INTO claims (bead_id, epoch, session, session_name, incarnation, identity, assigned, taken_at, expires_at)
   VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT DO UPDATE SET epoch = epoch + 1, session = excluded.session, session_name = excluded.session_name,
     incarnation = excluded.incarnation, identity = excluded.identity,
     assigned = excluded.assigned, taken_at = excluded.taken_at, expires_at = excluded.expires_at
   RETURNING epoch`,
)

const END = command<[string]>('UPDATE claims SET session = NULL, expires_at = NULL WHERE bead_id = ?')

const FIND = query<ClaimRow, [string]>('SELECT * FROM claims WHERE bead_id = ? AND session IS NOT NULL')

const ALL = query<ClaimRow>('SELECT * FROM claims WHERE session IS NOT NULL ORDER BY session, taken_at, bead_id')

const BY_SESSION = query<ClaimRow, [string]>(
  stablePlan('SELECT * FROM claims WHERE session = ? ORDER BY taken_at, bead_id'),
)

const EXPIRES = 'session IS NOT NULL AND expires_at IS NOT NULL'

const EXPIRED = query<ClaimRow, [number]>(`SELECT * FROM claims WHERE ${EXPIRES} AND expires_at <= ?`)

const NEXT_EXPIRY = query<{ at: number | null }>(`SELECT min(expires_at) AS at FROM claims WHERE ${EXPIRES}`)

const RENEW = command<[number, string]>('UPDATE claims SET expires_at = ? WHERE bead_id = ?')

const RENEW_ALL = command<[number]>(`UPDATE claims SET expires_at = ? WHERE ${EXPIRES}`)

const ADD_REVOCATION = command<[string, string]>('INSERT OR IGNORE INTO claim_losses VALUES (?, ?)')

const DELETE_REVOCATION = command<[string, string]>('DELETE FROM claim_losses WHERE session = ? AND bead_id = ?')

const DELETE_REVOCATIONS = command<[string]>('DELETE FROM claim_losses WHERE session = ?')

const REVOCATION = query<{ bead_id: string }, [string, string]>(
  'SELECT bead_id FROM claim_losses WHERE session = ? AND bead_id = ?',
)

/** Stores claims, and the sessions that had one revoked. */
export class ClaimRepository {
  constructor(private readonly store: Store) {}

  /** Stores that a worker holds a bead, under the next epoch of that bead. */
  save(
    tx: Tx,
    bead: string,
    worker: Worker,
    claimed: Pick<ClaimRow, 'assigned' | 'taken_at' | 'expires_at'>,
  ): ClaimRow | undefined {
    tx.run(DELETE_REVOCATION, worker.session, bead)
    const { session, sessionName: session_name, incarnation, identity } = worker
    const { assigned, taken_at, expires_at } = claimed
    const saved = tx.get(SAVE, bead, session, session_name, incarnation, identity, assigned, taken_at, expires_at)
    if (!saved) return undefined
    const { epoch } = saved
    return { bead_id: bead, epoch, session, session_name, incarnation, identity, assigned, taken_at, expires_at }
  }

  end(tx: Tx, bead: string): void {
    tx.run(END, bead)
  }

  find(bead: string): ClaimRow | undefined {
    return this.store.get(FIND, bead) ?? undefined
  }

  list(): ClaimRow[] {
    return this.store.all(ALL)
  }

  listBySession(session: string): ClaimRow[] {
    return this.store.all(BY_SESSION, session)
  }

  listExpired(now: number): ClaimRow[] {
    return this.store.all(EXPIRED, now)
  }

  /** Expiry of the next claim. */
  nextExpiry(): number | undefined {
    return this.store.get(NEXT_EXPIRY)?.at ?? undefined
  }

  renew(tx: Tx, bead: string, expires: number): void {
    tx.run(RENEW, expires, bead)
  }

  /** Renews every claim that can expire. */
  renewAll(tx: Tx, expires: number): void {
    tx.run(RENEW_ALL, expires)
  }

  /** Records that a session may not write to a bead any more. */
  addRevocation(tx: Tx, session: string, bead: string): void {
    tx.run(ADD_REVOCATION, session, bead)
  }

  isRevoked(session: string, bead: string): boolean {
    return this.store.get(REVOCATION, session, bead) !== null
  }

  /** Forgets the revocations of a session that is closed for good and therefore writes no more. */
  deleteRevocations(tx: Tx, session: string): void {
    tx.run(DELETE_REVOCATIONS, session)
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
