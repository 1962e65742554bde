import { randomBytes } from 'node:crypto'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { EventAttributes, EventLog } from '../../core/events/index.ts'
import type { Tx } from '../../core/store/index.ts'
import {
  SessionCrashed,
  SessionDraining,
  SessionIdleKilled,
  SessionLent,
  SessionMaxAgeKilled,
  SessionQuarantined,
  SessionStopped,
  SessionSuspended,
  SessionUndrained,
  SessionUpdated,
  SessionWoke,
  WorkerOperation,
} from '../events.ts'
import { displayNameOf } from './metadata.ts'
import type { SessionRow } from './table.ts'

/** Appends the events of sessions to the log. */
export class SessionEventRecorder {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  woke(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionWoke, attributesOf(row), {})
  }

  draining(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionDraining, attributesOf(row), {})
  }

  undrained(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionUndrained, attributesOf(row), {})
  }

  updated(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionUpdated, attributesOf(row), {})
  }

  suspended(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionSuspended, attributesOf(row), {})
  }

  lent(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionLent, attributesOf(row), {})
  }

  stopped(tx: Tx, row: SessionRow, reason: string): void {
    this.log.append(tx, SessionStopped, attributesOf(row), this.#lifecycle(row, reason))
  }

  crashed(tx: Tx, row: SessionRow, reason: string, output: string | undefined): void {
    this.log.append(tx, SessionCrashed, attributesOf(row, output), this.#lifecycle(row, reason))
  }

  quarantined(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionQuarantined, attributesOf(row), {})
  }

  idleKilled(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionIdleKilled, attributesOf(row), {})
  }

  maxAgeKilled(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionMaxAgeKilled, attributesOf(row), {})
  }

  /** An operation on a session's program ended now; `error` is why it failed. */
  operation(tx: Tx, row: SessionRow, operation: string, startedAt: number, details: OperationDetails = {}): void {
    const now = this.clock.now()
    this.log.append(tx, WorkerOperation, attributesOf(row), {
      op_id: `op-${randomBytes(6).toString('hex')}`,
      operation,
      result: details.error === undefined ? 'succeeded' : 'failed',
      started_at: toTimestamp(startedAt),
      finished_at: toTimestamp(now),
      duration_ms: Math.max(0, Math.round(now - startedAt)),
      session_id: row.id,
      session_name: row.sessionName,
      provider: row.provider,
      template: row.template,
      ...(row.agentName && { agent_name: row.agentName }),
      ...details,
    })
  }

  #lifecycle(row: SessionRow, reason: string) {
    return { session_id: row.id, template: row.template, reason }
  }
}

interface OperationDetails {
  error?: string
  queued?: boolean
  delivered?: boolean
}

const attributesOf = (row: SessionRow, message?: string): EventAttributes => ({
  subject: displayNameOf(row),
  session_id: row.id,
  ...(message !== undefined && message !== '' && { message }),
})
