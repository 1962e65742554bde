import type { Statement } from 'bun:sqlite'
import { toTimestamp } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import type { Claim } from './schema.ts'
import type { Worker } from './worker.ts'

/** A claim as it stands. */
export interface Held {
  bead_id: string
  epoch: number
  session: string
  session_name: string
  incarnation: string
  identity: string
  hosted: number
  assigned: number
  taken_at: number
  expires_at: number | null
}

type Put = [string, string, string, string, string, number, number, number, number | null]

/** The rows of claims: who has what, and who lost what. */
export class ClaimBook {
  readonly #put: Statement<Held, Put>
  readonly #end: Statement<unknown, [string]>
  readonly #find: Statement<Held, [string]>
  readonly #all: Statement<Held, []>
  readonly #of: Statement<Held, [string]>
  readonly #due: Statement<Held, [number]>
  readonly #nearest: Statement<{ at: number | null }, []>
  readonly #renew: Statement<unknown, [number, string]>
  readonly #renewAll: Statement<unknown, [number]>
  readonly #lose: Statement<unknown, [string, string]>
  readonly #forgive: Statement<unknown, [string, string]>
  readonly #forget: Statement<unknown, [string]>
  readonly #lost: Statement<{ bead_id: string }, [string, string]>

  constructor(store: Store) {
    this.#put = store.prepare(
      `INSERT INTO claims (bead_id, epoch, session, session_name, incarnation, identity, hosted, assigned, taken_at, expires_at)
       VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET epoch = epoch + 1, session = excluded.session, session_name = excluded.session_name,
         incarnation = excluded.incarnation, identity = excluded.identity, hosted = excluded.hosted,
         assigned = excluded.assigned, taken_at = excluded.taken_at, expires_at = excluded.expires_at
       RETURNING *`,
    )
    this.#end = store.prepare('UPDATE claims SET session = NULL, expires_at = NULL WHERE bead_id = ?')
    this.#find = store.prepare('SELECT * FROM claims WHERE bead_id = ? AND session IS NOT NULL')
    this.#all = store.prepare('SELECT * FROM claims WHERE session IS NOT NULL ORDER BY session, taken_at, bead_id')
    this.#of = store.prepare(stablePlan('SELECT * FROM claims WHERE session = ? ORDER BY taken_at, bead_id'))
    const terms = 'session IS NOT NULL AND expires_at IS NOT NULL'
    this.#due = store.prepare(`SELECT * FROM claims WHERE ${terms} AND expires_at <= ?`)
    this.#nearest = store.prepare(`SELECT min(expires_at) AS at FROM claims WHERE ${terms}`)
    this.#renew = store.prepare('UPDATE claims SET expires_at = ? WHERE bead_id = ?')
    this.#renewAll = store.prepare(`UPDATE claims SET expires_at = ? WHERE ${terms}`)
    this.#lose = store.prepare('INSERT OR IGNORE INTO claim_losses VALUES (?, ?)')
    this.#forgive = store.prepare('DELETE FROM claim_losses WHERE session = ? AND bead_id = ?')
    this.#forget = store.prepare('DELETE FROM claim_losses WHERE session = ?')
    this.#lost = store.prepare('SELECT bead_id FROM claim_losses WHERE session = ? AND bead_id = ?')
  }

  /** Writes down that a worker has a bead, under the next epoch of that bead. */
  put(bead: string, worker: Worker, assigned: boolean, now: number, expires: number | null): Held | null {
    this.#forgive.run(worker.session, bead)
    const { session, sessionName, incarnation, identity, hosted } = worker
    return this.#put.get(
      bead,
      session,
      sessionName,
      incarnation,
      identity,
      hosted ? 1 : 0,
      assigned ? 1 : 0,
      now,
      expires,
    )
  }

  end(bead: string): void {
    this.#end.run(bead)
  }

  find(bead: string): Held | undefined {
    return this.#find.get(bead) ?? undefined
  }

  all(): Held[] {
    return this.#all.all()
  }

  of(session: string): Held[] {
    return this.#of.all(session)
  }

  /** Claims whose time is over. */
  due(now: number): Held[] {
    return this.#due.all(now)
  }

  nearest(): number | undefined {
    return this.#nearest.get()?.at ?? undefined
  }

  renew(bead: string, expires: number): void {
    this.#renew.run(expires, bead)
  }

  renewAll(expires: number): void {
    this.#renewAll.run(expires)
  }

  /** Remembers that a session may not write to a bead any more. */
  lose(session: string, bead: string): void {
    this.#lose.run(session, bead)
  }

  hasLost(session: string, bead: string): boolean {
    return this.#lost.get(session, bead) !== null
  }

  /** A session that is closed for good writes no more: what it lost need not be remembered. */
  forget(session: string): void {
    this.#forget.run(session)
  }
}

export function toClaim(held: Held): Claim {
  return {
    bead_id: held.bead_id,
    epoch: held.epoch,
    session_id: held.session,
    session_name: held.session_name,
    assignee: held.identity,
    taken_at: toTimestamp(held.taken_at),
    ...(held.expires_at !== null && { expires_at: toTimestamp(held.expires_at) }),
  }
}
