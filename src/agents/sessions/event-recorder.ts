import { randomBytes } from 'node:crypto'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { EventAttributes, EventDefinition } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Tx } from '../../core/store.ts'
import type { ExitOutcome, ProcessExit } from '../lifecycle/exit-rules.ts'
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

/** What a stop is called by the reason a session was drained for. */
const STOP_REASONS: Record<string, string> = { drained: 'drain acknowledged', 'no-wake-reason': 'exited gracefully' }

/** Tells the log what happened to sessions. */
export class SessionEventRecorder {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  woke(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionWoke, factsOf(row), {})
  }

  draining(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionDraining, factsOf(row), {})
  }

  undrained(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionUndrained, factsOf(row), {})
  }

  updated(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionUpdated, factsOf(row), {})
  }

  suspended(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionSuspended, factsOf(row), {})
  }

  lent(tx: Tx, row: SessionRow): void {
    this.log.append(tx, SessionLent, factsOf(row), {})
  }

  stopped(tx: Tx, row: SessionRow, reason: string): void {
    this.log.append(tx, SessionStopped, factsOf(row), this.#lifecycle(row, reason))
  }

  /** A session's process is gone: as wanted, or not. */
  ended(tx: Tx, row: SessionRow, after: ExitOutcome, exit: ProcessExit, said: string | undefined): void {
    if (after.crashed) {
      this.log.append(tx, SessionCrashed, factsOf(row, said), this.#lifecycle(row, after.reason))
    } else if (exit.how === 'refused') {
      this.operation(tx, row, 'start', this.clock.now(), { error: said ?? 'its program could not be started' })
    } else if (row.state !== 'creating') {
      this.stopped(tx, row, STOP_REASONS[after.reason] ?? 'stopped')
    }
    const more = this.#special(row, after)
    if (more) this.log.append(tx, more, factsOf(row), {})
  }

  #special(row: SessionRow, after: ExitOutcome): EventDefinition | undefined {
    if (after.state === 'quarantined') return SessionQuarantined
    if (row.state !== 'draining') return undefined
    if (row.reason === 'idle-timeout') return SessionIdleKilled
    return row.reason === 'max-session-age' ? SessionMaxAgeKilled : undefined
  }

  /** Something was done to a session's program, from a moment until now; with an error when it did not work. */
  operation(tx: Tx, row: SessionRow, operation: string, began: number, more: OperationFacts = {}): void {
    const now = this.clock.now()
    this.log.append(tx, WorkerOperation, factsOf(row), {
      op_id: `op-${randomBytes(6).toString('hex')}`,
      operation,
      result: more.error === undefined ? 'succeeded' : 'failed',
      started_at: toTimestamp(began),
      finished_at: toTimestamp(now),
      duration_ms: Math.max(0, Math.round(now - began)),
      session_id: row.id,
      session_name: row.sessionName,
      provider: row.provider,
      template: row.template,
      ...(row.agentName && { agent_name: row.agentName }),
      ...more,
    })
  }

  #lifecycle(row: SessionRow, reason: string) {
    return { session_id: row.id, template: row.template, reason }
  }
}

/** What is known of an operation beside its session. */
interface OperationFacts {
  error?: string
  queued?: boolean
  delivered?: boolean
}

const factsOf = (row: SessionRow, message?: string): EventAttributes => ({
  actor: 'gc',
  subject: displayNameOf(row),
  session_id: row.id,
  ...(message !== undefined && message !== '' && { message }),
})
