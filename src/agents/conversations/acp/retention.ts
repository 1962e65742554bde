import type { Clock } from '../../../core/clock.ts'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Statement, Store } from '../../../core/store/index.ts'

const DAY_MS = 24 * 3_600_000
/** Time records are kept after their session was closed. */
const RETENTION_MS = 30 * DAY_MS
const BATCH_SIZE = 500

/** Deletes the records of sessions that were closed long ago or deleted, in batches. */
export class AcpRetention {
  readonly #due: Statement<{ id: string }, [number]>
  readonly #records: Statement<unknown, [string]>
  readonly #rest: Statement<unknown, [string]>[]
  #next: Deadline | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (message: string) => void,
  ) {
    this.#due = store.prepare(
      `SELECT a.session_id AS id FROM acp_sessions a LEFT JOIN sessions s ON s.id = a.session_id
       WHERE s.id IS NULL OR (s.state = 'closed' AND s.closed_at < ?) LIMIT 100`,
    )
    this.#records = store.prepare(
      `DELETE FROM acp_records WHERE id IN (SELECT id FROM acp_records WHERE session_id = ? LIMIT ${BATCH_SIZE})`,
    )
    this.#rest = ['acp_runs', 'acp_questions', 'acp_sessions'].map((table) =>
      store.prepare(`DELETE FROM ${table} WHERE session_id = ?`),
    )
  }

  /** Deletes old records now and every day. */
  async start(): Promise<void> {
    this.#next = this.deadlines.interval(DAY_MS, () => this.start().catch((error) => this.report(errorMessage(error))))
    const due = this.store.read(() => this.#due.all(this.clock.now() - RETENTION_MS))
    for (const { id } of due) {
      let dropped = BATCH_SIZE
      while (dropped === BATCH_SIZE) dropped = await this.store.write(() => this.#records.run(id).changes)
      await this.store.write(() => {
        for (const drop of this.#rest) drop.run(id)
      })
    }
  }

  stop(): void {
    this.#next?.cancel()
  }
}
