import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { command, type Store } from '../../core/store/index.ts'

const DAY = 24 * 3_600_000
/**
 * Maximum time revoked tokens can be told from unknown ones, and how long delivered messages, hosts and last output of
 * sessions are kept.
 */
const RETENTION = 30 * DAY
const BATCH_SIZE = 1000

const DELETES = [
  command<[number]>(
    `DELETE FROM session_tokens WHERE hash IN
         (SELECT hash FROM session_tokens WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ${BATCH_SIZE})`,
  ),
  command<[number]>(
    `DELETE FROM session_messages WHERE id IN
         (SELECT id FROM session_messages WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ${BATCH_SIZE})`,
  ),
  command<[number]>(
    `DELETE FROM session_traffic WHERE (session, host) IN
         (SELECT session, host FROM session_traffic WHERE last_at < ? LIMIT ${BATCH_SIZE})`,
  ),
  command<[number]>(
    `DELETE FROM session_last_output WHERE session IN
         (SELECT o.session FROM session_last_output o CROSS JOIN sessions s ON s.id = o.session
          WHERE o.ended_at < ? AND s.state = 'closed' LIMIT ${BATCH_SIZE})`,
  ),
]

/** Deletes old tokens, messages, traffic and last output of sessions, in batches. */
export class SessionRetention {
  #next: Deadline | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (message: string) => void,
  ) {}

  /** Deletes now and once a day. */
  async start(): Promise<void> {
    this.#next = this.deadlines.interval(DAY, () => this.start().catch((error) => this.report(errorMessage(error))))
    const before = this.clock.now() - RETENTION
    for (const statement of DELETES) {
      let deleted = BATCH_SIZE
      while (deleted === BATCH_SIZE) deleted = await this.store.write((tx) => tx.run(statement, before).changes)
    }
  }

  stop(): void {
    this.#next?.cancel()
  }
}
