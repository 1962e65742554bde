import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { Signal } from '../../core/signal.ts'
import type { Tx } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../errors.ts'
import type { SessionRepository } from './repository.ts'
import type { SessionRow } from './table.ts'

/** States in which a session waits for someone to wake it. */
export const HELD: ReadonlySet<string> = new Set(['asleep', 'suspended', 'quarantined', 'archived'])

/** Wakes sessions: their rows request a start, and the reconciler starts them. */
export class SessionWaker {
  readonly #released = new Signal<[tx: Tx, row: SessionRow]>()
  readonly #woken = new Signal<[tx: Tx, id: string]>()

  constructor(
    private readonly sessions: SessionRepository,
    private readonly clock: Clock,
  ) {}

  /** Wakes a session on request. */
  wake(tx: Tx, id: string): void {
    this.release(tx, id)
    this.#woken.emit(tx, id)
  }

  /** Lifts every hold on a session and requests its start. */
  release(tx: Tx, id: string): void {
    const row = this.sessions.get(id)
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, `session ${id} is closed`)
    if (row.state === 'failed-create') throw new AppError(SESSION_CONFLICT, `session ${id} is failed-create`)
    const change = {
      wakeRequestedAt: this.clock.now(),
      retryAt: null,
      failures: 0,
      churn: 0,
      quarantinedUntil: null,
    }
    this.#released.emit(tx, row)
    if (HELD.has(row.state)) this.sessions.transition(tx, id, 'wake', change)
    else if (row.state === 'start-pending') this.sessions.update(tx, id, change)
  }

  /** Requests the start of a sleeping session because what it waited for has happened; a person's hold stays. */
  wakeIfAsleep(tx: Tx, id: string): void {
    if (this.sessions.get(id).state === 'asleep') this.release(tx, id)
  }

  /** Calls the listener in the write in which the holds on a session are lifted, before they are. */
  readonly onRelease = this.#released.listen

  /** Calls the listener in the write in which a caller wakes a session. */
  readonly onWake = this.#woken.listen
}
