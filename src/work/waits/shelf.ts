import type { Statement } from 'bun:sqlite'
import { desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { toTimestamp } from '../../core/clock.ts'
import type { Orm } from '../../core/orm.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Bead } from '../beads/schema.ts'
import type { WaitKey } from '../metadata.ts'
import type { WaitView } from './schema.ts'
import { type WaitRow, waitBeads, waits } from './table.ts'

/** How far what is waited for has come. */
export interface Progress {
  total: number
  closed: number
  /** The first bead that does not exist any more. */
  lost: string | null
  missing: number
}

/** What is asked at every bead that is closed and every message that is sent, prepared once. */
function queriesOf(orm: Orm) {
  const where = (which: SQL) => orm.select().from(waits).where(which).prepare()
  return {
    one: where(eq(waits.id, sql.placeholder('id'))),
    nudged: where(sql`${waits.nudge} = ${sql.placeholder('nudge')} AND state = 'ready'`),
  }
}

/** The rows of waits. */
export class WaitShelf {
  readonly #queries: ReturnType<typeof queriesOf>
  readonly #progress: Statement<Progress, [string]>
  readonly #on: Statement<{ wait: string }, [string]>
  readonly #nearest: Statement<{ due: number | null }, []>
  readonly #due: Statement<{ id: string }, [number]>

  constructor(private readonly store: Store) {
    this.#queries = queriesOf(store.orm)
    this.#progress = store.prepare(
      stablePlan(`SELECT count(*) AS total, coalesce(sum(b.closed), 0) AS closed, sum(b.id IS NULL) AS missing,
         max(CASE WHEN b.id IS NULL THEN w.bead END) AS lost
       FROM wait_beads w LEFT JOIN beads b ON b.id = w.bead WHERE w.wait = ?`),
    )
    this.#on = store.prepare(stablePlan('SELECT wait FROM wait_beads WHERE bead = ? ORDER BY wait'))
    const due = "waits WHERE state = 'pending' AND expires_at IS NOT NULL"
    this.#nearest = store.prepare(`SELECT min(expires_at) AS due FROM ${due}`)
    this.#due = store.prepare(`SELECT id FROM ${due} AND expires_at <= ? ORDER BY expires_at LIMIT 100`)
  }

  find(id: string): WaitRow | undefined {
    return this.#queries.one.get({ id })
  }

  /** The wait whose session this reminder is on its way to. */
  nudged(nudge: string): WaitRow | undefined {
    return this.#queries.nudged.get({ nudge })
  }

  /** Waits that are not over, newest first; of one session or of all. */
  live(session: string | undefined, most: number): WaitRow[] {
    const live = sql`state IN ('pending', 'ready')`
    const wanted = session === undefined ? live : sql`${live} AND session = ${session}`
    return this.store.read((orm) =>
      orm.select().from(waits).where(wanted).orderBy(desc(waits.createdAt), desc(waits.id)).limit(most).all(),
    )
  }

  progress(id: string): Progress {
    return this.#progress.get(id) ?? { total: 0, closed: 0, lost: null, missing: 0 }
  }

  /** Waits for a bead, whether or not they are over. */
  on(bead: string): string[] {
    return this.#on.all(bead).map(({ wait }) => wait)
  }

  nearest(): number | undefined {
    return this.#nearest.get()?.due ?? undefined
  }

  due(now: number): string[] {
    return this.#due.all(now).map(({ id }) => id)
  }

  add(tx: Tx, row: WaitRow, beads: readonly string[]): void {
    tx.orm.insert(waits).values(row).run()
    const of = beads.map((bead, place) => ({ wait: row.id, place, bead }))
    tx.orm.insert(waitBeads).values(of).run()
  }

  set(tx: Tx, id: string, change: Partial<Omit<WaitRow, 'id'>>): void {
    tx.orm.update(waits).set(change).where(eq(waits.id, id)).run()
  }

  /** The beads that each of these waits for. */
  beads(ids: readonly string[]): Map<string, string[]> {
    const rows = this.store.read((orm) =>
      orm
        .select()
        .from(waitBeads)
        .where(inArray(waitBeads.wait, [...ids]))
        .orderBy(waitBeads.wait, waitBeads.place)
        .all(),
    )
    const grouped = Map.groupBy(rows, ({ wait }) => wait)
    return new Map([...grouped].map(([wait, of]) => [wait, of.map(({ bead }) => bead)]))
  }

  /** What beads of waits show as metadata, under the keys that existing clients read. */
  metadata(ids: string[]): Map<string, Record<string, string>> {
    const rows = this.store.read((orm) => orm.select().from(waits).where(inArray(waits.id, ids)).all())
    const beads = this.beads(ids)
    return new Map(rows.map((row) => [row.id, metadataOf(row, beads.get(row.id) ?? [])]))
  }
}

const KIND = 'deps'
/** A wait sends one reminder. */
const ATTEMPT = '1'

function metadataOf(row: WaitRow, beads: readonly string[]): Partial<Record<WaitKey, string>> {
  const ended = row.endedAt === null ? {} : { [`${row.state}_at`]: toTimestamp(row.endedAt) }
  return {
    session_id: row.session,
    session_name: row.sessionName,
    kind: KIND,
    state: row.state,
    dep_ids: beads.join(','),
    dep_mode: row.mode,
    registered_epoch: String(row.epoch),
    delivery_attempt: ATTEMPT,
    created_at: toTimestamp(row.createdAt),
    ...(row.nudge !== null && { nudge_id: row.nudge }),
    ...(row.expiresAt !== null && { expires_at: toTimestamp(row.expiresAt) }),
    ...(row.createdBy !== null && { created_by_session: row.createdBy }),
    ...(row.readyAt !== null && { ready_at: toTimestamp(row.readyAt) }),
    ...(row.error !== '' && { last_error: row.error }),
    ...ended,
  }
}

/** The wire's wait. */
export function toView(row: WaitRow, bead: Bead, beads: readonly string[]): WaitView {
  return {
    id: row.id,
    session_id: row.session,
    kind: KIND,
    state: row.state,
    status: bead.status,
    session_name: row.sessionName,
    dep_ids: [...beads],
    dep_mode: row.mode,
    registered_epoch: String(row.epoch),
    delivery_attempt: ATTEMPT,
    ...(row.nudge !== null && { nudge_id: row.nudge }),
    ...(row.expiresAt !== null && { expires_at: toTimestamp(row.expiresAt) }),
    ...(bead.description !== undefined && { note: bead.description }),
    created_at: toTimestamp(row.createdAt),
    ...(bead.labels && { labels: bead.labels }),
  }
}
