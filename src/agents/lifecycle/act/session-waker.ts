import type { Actor } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { Signal } from '../../../core/signal.ts'
import type { Store, Tx } from '../../../core/store/store.ts'
import { SESSION_CONFLICT } from '../../../host/protocol/errors.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import type { CrashHistory } from '../exit/crash-history.ts'
import type { FailureCounts } from '../plan/failure-counts.ts'

interface SessionWakerOptions {
  store: Store
  clock: Clock
  repository: SessionRepository
  failures: FailureCounts
  crashes: CrashHistory
}

/** States in which a session waits for someone to wake it. */
export const HELD: ReadonlySet<string> = new Set(['asleep', 'suspended', 'quarantined', 'archived'])

/** Wakes sessions; the reconciler starts them. */
export class SessionWaker {
  readonly #woken = new Signal<[tx: Tx, id: string]>()

  constructor(private readonly options: SessionWakerOptions) {}

  /** Wakes a session on request. */
  wake(tx: Tx, id: string): void {
    this.release(tx, id)
    this.#woken.emit(tx, id)
  }

  /** Lifts every hold on a session and requests its start. */
  release(tx: Tx, id: string): void {
    const { repository, clock, failures, crashes } = this.options
    const row = repository.get(id)
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, `session ${id} is closed`)
    if (row.state === 'failed-create') throw new AppError(SESSION_CONFLICT, `session ${id} is failed-create`)
    const change = {
      wakeRequestedAt: clock.now(),
      retryAt: null,
      failures: 0,
      churn: 0,
      quarantinedUntil: null,
    }
    failures.clear(tx, 'agent', row.template)
    tx.after(() => crashes.forget(id))
    if (HELD.has(row.state)) repository.transition(tx, id, 'wake', change)
    else if (row.state === 'start-pending') repository.update(tx, id, change)
  }

  /** Requests the start of a sleeping session because what it waited for has happened; a person's hold stays. */
  wakeIfAsleep(tx: Tx, id: string): void {
    if (this.options.repository.get(id).state === 'asleep') this.release(tx, id)
  }

  /** Forgets the failed starts of these agents, so that they are tried again at once. */
  async clearFailures(agents: readonly string[], actor: Actor): Promise<void> {
    const { store, failures, repository } = this.options
    await store.write((tx) => {
      for (const agent of agents) failures.clear(tx, 'agent', agent)
      tx.after(() => repository.notifyChanged())
    }, actor)
  }

  /** Calls the listener in the write in which a caller wakes a session. */
  readonly onWake = this.#woken.listen
}
