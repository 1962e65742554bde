import { randomBytes } from 'node:crypto'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { EventAttributes, EventDefinition } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Tx } from '../../core/store/store.ts'
import type { ExitOutcome, ProcessExit } from '../lifecycle/plan/exit-rules.ts'
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
} from './events.ts'
import { displayNameOf } from './metadata.ts'
import type { SessionRow } from './table.ts'

/** The reason of a stop, by the reason for which the session was drained. */
const STOP_REASONS: Record<string, string> = { drained: 'drain acknowledged', 'no-wake-reason': 'exited gracefully' }

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

  /** The process of a session exited. */
  ended(tx: Tx, row: SessionRow, outcome: ExitOutcome, exit: ProcessExit, output: string | undefined): void {
    if (outcome.crashed) {
      this.log.append(tx, SessionCrashed, attributesOf(row, output), this.#lifecycle(row, outcome.reason))
    } else if (exit.how === 'not-started') {
      this.operation(tx, row, 'start', this.clock.now(), { error: output ?? 'its program could not be started' })
    } else if (row.state !== 'creating') {
      this.stopped(tx, row, STOP_REASONS[outcome.reason] ?? 'stopped')
    }
    const definition = this.#specialEvent(row, outcome)
    if (definition) this.log.append(tx, definition, attributesOf(row), {})
  }

  #specialEvent(row: SessionRow, outcome: ExitOutcome): EventDefinition | undefined {
    if (outcome.state === 'quarantined') return SessionQuarantined
    if (row.state !== 'draining') return undefined
    if (row.reason === 'idle-timeout') return SessionIdleKilled
    return row.reason === 'max-session-age' ? SessionMaxAgeKilled : undefined
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
