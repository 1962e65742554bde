import { desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Orm } from '../../core/orm.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store, Tx } from '../../core/store.ts'
import { type WaitRow, waitBeads, waits } from './table.ts'

/** How many of the beads of a wait are closed. */
export interface WaitProgress {
  total: number
  closed: number
  /** How many do not exist any more, and one of them. */
  missing: number
  missingBead: string | null
}

/** Queries that run for every bead that is closed and every nudge that ends. */
function prepareQueries(orm: Orm) {
  const select = (where: SQL) => orm.select().from(waits).where(where).prepare()
  return {
    byId: select(eq(waits.id, sql.placeholder('id'))),
    byNudge: select(sql`${waits.nudge} = ${sql.placeholder('nudge')} AND state = 'ready'`),
  }
}

/** Stores waits. */
export class WaitRepository {
  readonly #queries: ReturnType<typeof prepareQueries>
  readonly #progress: Statement<WaitProgress, [string]>
  readonly #byBead: Statement<{ wait: string }, [string]>
  readonly #nextExpiry: Statement<{ expires: number | null }, []>
  readonly #expired: Statement<{ id: string }, [number]>

  constructor(private readonly store: Store) {
    this.#queries = prepareQueries(store.orm)
    this.#progress = store.prepare(
      stablePlan(`SELECT count(*) AS total, coalesce(sum(b.closed), 0) AS closed, sum(b.id IS NULL) AS missing,
         max(CASE WHEN b.id IS NULL THEN w.bead END) AS missingBead
       FROM wait_beads w LEFT JOIN beads b ON b.id = w.bead WHERE w.wait = ?`),
    )
    this.#byBead = store.prepare(stablePlan('SELECT wait FROM wait_beads WHERE bead = ? ORDER BY wait'))
    const pending = "waits WHERE state = 'pending' AND expires_at IS NOT NULL"
    this.#nextExpiry = store.prepare(`SELECT min(expires_at) AS expires FROM ${pending}`)
    this.#expired = store.prepare(`SELECT id FROM ${pending} AND expires_at <= ? ORDER BY expires_at LIMIT 100`)
  }

  find(id: string): WaitRow | undefined {
    return this.#queries.byId.get({ id })
  }

  /** The wait whose session is being sent this nudge. */
  findByNudge(nudge: string): WaitRow | undefined {
    return this.#queries.byNudge.get({ nudge })
  }

  /** Waits that are not over, newest first; of one session or of all. */
  listLive(session: string | undefined, limit: number): WaitRow[] {
    const isLive = sql`state IN ('pending', 'ready')`
    const where = session === undefined ? isLive : sql`${isLive} AND session = ${session}`
    return this.store.read((orm) =>
      orm.select().from(waits).where(where).orderBy(desc(waits.createdAt), desc(waits.id)).limit(limit).all(),
    )
  }

  progress(id: string): WaitProgress {
    return this.#progress.get(id) ?? { total: 0, closed: 0, missing: 0, missingBead: null }
  }

  /** The waits for a bead, whether or not they are over. */
  listByBead(bead: string): string[] {
    return this.#byBead.all(bead).map(({ wait }) => wait)
  }

  /** When the next pending wait expires. */
  nextExpiry(): number | undefined {
    return this.#nextExpiry.get()?.expires ?? undefined
  }

  listExpired(now: number): string[] {
    return this.#expired.all(now).map(({ id }) => id)
  }

  insert(tx: Tx, row: WaitRow, beads: readonly string[]): void {
    tx.orm.insert(waits).values(row).run()
    const rows = beads.map((bead, place) => ({ wait: row.id, place, bead }))
    tx.orm.insert(waitBeads).values(rows).run()
  }

  update(tx: Tx, id: string, change: Partial<Omit<WaitRow, 'id'>>): void {
    tx.orm.update(waits).set(change).where(eq(waits.id, id)).run()
  }

  /** These waits, whether or not they are over. */
  list(ids: string[]): WaitRow[] {
    return this.store.read((orm) => orm.select().from(waits).where(inArray(waits.id, ids)).all())
  }

  /** The beads that each of these waits is for. */
  beadsOf(ids: readonly string[]): Map<string, string[]> {
    const rows = this.store.read((orm) =>
      orm
        .select()
        .from(waitBeads)
        .where(inArray(waitBeads.wait, [...ids]))
        .orderBy(waitBeads.wait, waitBeads.place)
        .all(),
    )
    const byWait = Map.groupBy(rows, ({ wait }) => wait)
    return new Map([...byWait].map(([wait, own]) => [wait, own.map(({ bead }) => bead)]))
  }
}
