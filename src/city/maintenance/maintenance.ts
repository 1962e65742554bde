import { desc, sql } from 'drizzle-orm'
import { type Actor, gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { Counters } from '../counters/index.ts'
import { StoreMaintenanceDone, StoreMaintenanceFailed } from '../events.ts'
import { MAINTENANCE_IN_PROGRESS } from './errors.ts'
import type { MaintenanceRunBody, MaintenanceStatusBody, MaintenanceTriggerBody } from './schema.ts'
import { type MaintenanceRow, maintenanceRuns } from './table.ts'

const INTERVAL = 24 * 3_600_000
const MAX_RUNS = 20
const STAGE = 'compact'

/** Maintenance of a city's store: daily, and on request, it returns unused space to the disk and checks the counters. */
export class Maintenance {
  #running: { startedAt: number; run: Promise<MaintenanceRow> } | undefined
  #deadline: Deadline | undefined

  constructor(
    private readonly context: CityContext,
    private readonly counters: Pick<Counters, 'check'>,
  ) {}

  start(): void {
    const { clock, deadlines } = this.context
    this.#deadline = deadlines.interval(this.#next() - clock.now(), () => {
      this.start()
      if (!this.#running)
        void this.#begin(gcPart('maintenance')).run.catch((error) => this.context.report(errorMessage(error)))
    })
  }

  /** Waits for a run that is under way. */
  async stop(): Promise<void> {
    this.#deadline?.cancel()
    await this.#running?.run.catch(() => {})
  }

  status(): MaintenanceStatusBody {
    const history = this.#history().map(toRun)
    const [last] = history
    return {
      enabled: true,
      interval_seconds: INTERVAL / 1000,
      in_flight: this.#running !== undefined,
      ...(this.#running && { in_flight_start: toTimestamp(this.#running.startedAt) }),
      ...(last && { last_run: last }),
      ...(this.#deadline && { next_scheduled: toTimestamp(this.#deadline.due) }),
      history,
    }
  }

  /** Starts a run; with `wait`, returns when it has finished. */
  async trigger(caller: Caller, wait: boolean): Promise<MaintenanceTriggerBody> {
    if (this.#running) {
      throw new AppError(MAINTENANCE_IN_PROGRESS, 'maintenance is already running; read its status and try again later')
    }
    const { startedAt, run } = this.#begin(actorOf(caller))
    const accepted = { accepted: true, started_at: toTimestamp(startedAt) }
    if (wait) return { ...accepted, run: toRun(await run) }
    run.catch((error) => this.context.report(errorMessage(error)))
    return accepted
  }

  #begin(actor: Actor): { startedAt: number; run: Promise<MaintenanceRow> } {
    const startedAt = this.context.clock.now()
    const run = this.#run(startedAt, actor).finally(() => {
      this.#running = undefined
    })
    this.#running = { startedAt, run }
    return this.#running
  }

  async #run(startedAt: number, actor: Actor): Promise<MaintenanceRow> {
    const { store, clock, report } = this.context
    const { counters } = this
    await counters.check().catch((error) => report(`the counters could not be checked: ${errorMessage(error)}`))
    const beforeBytes = store.files.bytes
    const error = await store.files.compact().then(
      () => null,
      (error) => errorMessage(error),
    )
    return store.write((tx) => {
      const row = {
        startedAt,
        finishedAt: clock.now(),
        stage: error === null ? 'done' : STAGE,
        beforeBytes,
        afterBytes: store.files.bytes,
        error,
      }
      const saved = this.#record(tx, row)
      tx.answer({ accepted: true, started_at: toTimestamp(startedAt), run: toRun(saved) })
      return saved
    }, actor)
  }

  #record(tx: Tx, row: Omit<MaintenanceRow, 'n'>): MaintenanceRow {
    const saved = tx.orm.insert(maintenanceRuns).values(row).returning().get()
    tx.orm
      .delete(maintenanceRuns)
      .where(sql`n <= ${saved.n - MAX_RUNS}`)
      .run()
    const duration_s = (row.finishedAt - row.startedAt) / 1000
    const { beforeBytes: before_bytes, afterBytes: after_bytes, stage, error } = row
    if (error === null) {
      const payload = { duration_s, before_bytes, after_bytes, snapshot_path: '' }
      this.context.log.append(tx, StoreMaintenanceDone, {}, payload)
    } else {
      this.context.log.append(tx, StoreMaintenanceFailed, {}, { stage, error_msg: error, duration_s })
    }
    return saved
  }

  #history(): MaintenanceRow[] {
    return this.context.store.read((orm) =>
      orm.select().from(maintenanceRuns).orderBy(desc(maintenanceRuns.n)).limit(MAX_RUNS).all(),
    )
  }

  /** A day after the last run, and at least an hour after a start. */
  #next(): number {
    const [last] = this.#history()
    const now = this.context.clock.now()
    return Math.max((last?.finishedAt ?? now) + INTERVAL, now + INTERVAL / 24)
  }
}

const toRun = (row: MaintenanceRow): MaintenanceRunBody => ({
  started_at: toTimestamp(row.startedAt),
  finished_at: toTimestamp(row.finishedAt),
  stage: row.stage,
  before_bytes: row.beforeBytes,
  after_bytes: row.afterBytes,
  duration_s: (row.finishedAt - row.startedAt) / 1000,
  ...(row.error !== null && { err: row.error }),
})
