import type { Clock } from '../../../core/clock.ts'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import { command, query, type Store } from '../../../core/store/index.ts'

const DAY_MS = 24 * 3_600_000
/** Time records are kept after their session was closed. */
const RETENTION_MS = 30 * DAY_MS
const BATCH_SIZE = 500

const DUE = query<
  { id: string },
  [number]
>(`SELECT a.session_id AS id FROM acp_sessions a LEFT JOIN sessions s ON s.id = a.session_id
       WHERE s.id IS NULL OR (s.state = 'closed' AND s.closed_at < ?) LIMIT 100`)

const DELETE_RECORDS = command<[string]>(
  `DELETE FROM acp_records WHERE id IN (SELECT id FROM acp_records WHERE session_id = ? LIMIT ${BATCH_SIZE})`,
)

const DELETE_REST = ['acp_runs', 'acp_questions', 'acp_sessions'].map((table) =>
  command<[string]>(`DELETE FROM ${table} WHERE session_id = ?`),
)

/** Deletes the records of sessions that were closed long ago or deleted, in batches. */
export class AcpRetention {
  #next: Deadline | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (message: string) => void,
  ) {}

  /** Deletes old records now and every day. */
  async start(): Promise<void> {
    this.#next = this.deadlines.interval(DAY_MS, () => this.start().catch((error) => this.report(errorMessage(error))))
    const due = this.store.read(() => this.store.all(DUE, this.clock.now() - RETENTION_MS))
    for (const { id } of due) {
      let dropped = BATCH_SIZE
      while (dropped === BATCH_SIZE) dropped = await this.store.write((tx) => tx.run(DELETE_RECORDS, id).changes)
      await this.store.write((tx) => {
        for (const drop of DELETE_REST) tx.run(drop, id)
      })
    }
  }

  stop(): void {
    this.#next?.cancel()
  }
}
