import { eq, sql } from 'drizzle-orm'
import { command, query, type Store, stablePlan, type Tx } from '../../../core/store/index.ts'
import { type OrderOutput, type OrderRunRow, orderOutputs, orderRuns } from './table.ts'

export type { OrderOutput, OrderRunRow } from './table.ts'

/** A run that begins. */
export type OrderRunDraft = Pick<
  OrderRunRow,
  'trackingId' | 'scopedName' | 'rig' | 'kind' | 'cause' | 'vars' | 'seq' | 'createdAt' | 'timeoutMs'
> &
  Partial<Pick<OrderRunRow, 'tokenHash'>>

/** Outcome of a run. */
export type OrderRunEnd = Pick<OrderRunRow, 'endedAt' | 'outcome'> &
  Partial<Pick<OrderRunRow, 'startedAt' | 'exitCode' | 'signal' | 'error' | 'rootId' | 'rootOpen'>>

/** Queries for every run, built once. */
function prepareQueries({ orm }: Store) {
  return {
    find: orm
      .select()
      .from(orderRuns)
      .where(eq(orderRuns.trackingId, sql.placeholder('trackingId')))
      .prepare(),
    starting: orm
      .select({ id: orderRuns.trackingId })
      .from(orderRuns)
      .where(sql`(cause = 'webhook') = ${sql.placeholder('ofWebhooks')} AND state = 'starting' AND kind = 'exec'`)
      .orderBy(sql`created_at, tracking_id`)
      .limit(sql.placeholder('limit'))
      .prepare(),
  }
}

const IS_LIVE = query<{ id: string }, [string]>(
  "SELECT tracking_id AS id FROM order_runs WHERE scoped_name = ? AND state != 'done' LIMIT 1",
)

const HAS_OPEN_ROOT = query<{ id: string }, [string]>(
  'SELECT tracking_id AS id FROM order_runs WHERE scoped_name = ? AND root_open = 1 LIMIT 1',
)

const OF_ROOT = query<{ id: string; name: string; open: number }, [string]>(
  'SELECT tracking_id AS id, scoped_name AS name, root_open AS open FROM order_runs WHERE root_id = ? AND root_id IS NOT NULL',
)

const LATEST = query<{ id: string }, [string]>(
  stablePlan(
    'SELECT tracking_id AS id FROM order_runs WHERE scoped_name = ? ORDER BY created_at DESC, tracking_id DESC LIMIT 1',
  ),
)

const NEWEST_BEFORE = query<{ at: number }, [string, number]>(
  stablePlan(
    'SELECT created_at AS at FROM order_runs WHERE scoped_name = ? AND created_at < ? ORDER BY created_at DESC LIMIT 1',
  ),
)

const ADD = command<(string | number | null)[]>(`INSERT INTO order_runs
         (state, tracking_id, scoped_name, rig, kind, cause, vars, seq, created_at, timeout_ms, token_hash)
       VALUES ('starting', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

const SET_RUNNING = command<
  (string | number | null)[]
>(`UPDATE order_runs SET state = 'running', pid = ?, process_started = ?, started_at = ?
       WHERE tracking_id = ? AND state = 'starting'`)

const END = command<
  (string | number | null)[]
>(`UPDATE order_runs SET state = 'done', vars = '{}', token_hash = NULL, ended_at = ?, outcome = ?,
         started_at = coalesce(?, started_at), exit_code = ?, signal = ?, error = ?, root_id = ?, root_open = ?, has_output = ?
       WHERE tracking_id = ?`)

/** Stores the runs of orders. */
export class OrderRuns {
  readonly #queries: ReturnType<typeof prepareQueries>

  constructor(private readonly store: Store) {
    this.#queries = prepareQueries(store)
  }

  find(trackingId: string): OrderRunRow | undefined {
    return this.#queries.find.get({ trackingId })
  }

  /** Last output of a run's command; undefined while it runs, and for formulas. */
  output(trackingId: string): OrderOutput | undefined {
    return this.store.read((orm) =>
      orm.select().from(orderOutputs).where(eq(orderOutputs.trackingId, trackingId)).get(),
    )
  }

  /** The run of an order that began last. */
  latest(scopedName: string): OrderRunRow | undefined {
    const row = this.store.get(LATEST, scopedName)
    return row ? this.find(row.id) : undefined
  }

  /** Start of the newest run of an order before a time. */
  newestBefore(scopedName: string, moment: number): number | undefined {
    return this.store.get(NEWEST_BEFORE, scopedName, moment)?.at
  }

  /** Runs that are not over, oldest first. */
  live(): OrderRunRow[] {
    return this.store.read((orm) =>
      orm.select().from(orderRuns).where(sql`state != 'done'`).orderBy(sql`created_at, tracking_id`).all(),
    )
  }

  /** Commands that should be started, oldest first: those that webhooks began, or the others. */
  starting(ofWebhooks: boolean, limit: number): string[] {
    return this.#queries.starting.all({ ofWebhooks: ofWebhooks ? 1 : 0, limit }).map(({ id }) => id)
  }

  /** The run that keeps an order from being started: one that is not over, or whose formula's beads are still open. */
  blocking(scopedName: string): string | undefined {
    return (this.store.get(IS_LIVE, scopedName) ?? this.store.get(HAS_OPEN_ROOT, scopedName))?.id
  }

  /** The order whose run made a root, and whether that is still open; undefined for any other bead. */
  orderOfRoot(root: string): { scopedName: string; trackingId: string; isOpen: boolean } | undefined {
    const row = this.store.get(OF_ROOT, root)
    return row ? { scopedName: row.name, trackingId: row.id, isOpen: row.open === 1 } : undefined
  }

  add(tx: Tx, draft: OrderRunDraft): void {
    const { trackingId, scopedName, rig, kind, cause, vars, seq, createdAt, timeoutMs, tokenHash = null } = draft
    const texts = [trackingId, scopedName, rig, kind, cause, JSON.stringify(vars)]
    tx.run(ADD, ...texts, seq, createdAt, timeoutMs, tokenHash)
  }

  /** The token of the process that is about to be started. */
  setToken(tx: Tx, trackingId: string, tokenHash: string): void {
    tx.orm.update(orderRuns).set({ tokenHash }).where(eq(orderRuns.trackingId, trackingId)).run()
  }

  setRunning(
    tx: Tx,
    trackingId: string,
    { pid, processStarted, startedAt }: Pick<OrderRunRow, 'pid' | 'processStarted' | 'startedAt'>,
  ): void {
    tx.run(SET_RUNNING, pid, processStarted, startedAt, trackingId)
  }

  end(tx: Tx, trackingId: string, end: OrderRunEnd, output?: Omit<OrderOutput, 'trackingId'>): void {
    const hasOutput = output !== undefined && (output.stdout !== '' || output.stderr !== '')
    const { endedAt, outcome, startedAt = null, exitCode = null, signal = null, error = null } = end
    const { rootId = null, rootOpen = false } = end
    const status = [endedAt, outcome, startedAt, exitCode, signal, error]
    tx.run(END, ...status, rootId, rootOpen ? 1 : 0, hasOutput ? 1 : 0, trackingId)
    if (hasOutput)
      tx.orm
        .insert(orderOutputs)
        .values({ ...output, trackingId })
        .onConflictDoNothing()
        .run()
  }

  /** Records that the formula root of a run is closed or gone. */
  closeRoot(tx: Tx, trackingId: string): void {
    tx.orm.update(orderRuns).set({ rootOpen: false }).where(eq(orderRuns.trackingId, trackingId)).run()
  }

  /** Runs that began before a moment and are over, oldest first. */
  over(before: number, limit: number): string[] {
    return this.store
      .read((orm) =>
        orm
          .select({ id: orderRuns.trackingId })
          .from(orderRuns)
          .where(sql`created_at < ${before} AND state = 'done' AND root_open = 0`)
          .orderBy(sql`created_at, tracking_id`)
          .limit(limit)
          .all(),
      )
      .map(({ id }) => id)
  }

  remove(tx: Tx, trackingId: string): void {
    tx.orm.delete(orderRuns).where(eq(orderRuns.trackingId, trackingId)).run()
    tx.orm.delete(orderOutputs).where(eq(orderOutputs.trackingId, trackingId)).run()
  }
}
