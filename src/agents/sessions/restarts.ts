import type { Actor } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKWithIDResponseBody } from '../../http/schema.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import {
  identityOf,
  type SessionEventRecorder,
  type SessionRepository,
  type SessionRow,
  type SessionWaker,
  type Workload,
  workNamesOf,
} from '../../work/sessions/index.ts'
import type { SessionCreator, SessionProcesses } from '../lifecycle/index.ts'
import type { Worktrees } from '../worktrees/index.ts'
import type { Restart } from './runtime-schema.ts'

interface SessionRestartsOptions {
  store: Store
  clock: Clock
  beads: BeadRepository
  repository: SessionRepository
  recorder: SessionEventRecorder
  workload: Workload
  creator: SessionCreator
  waker: SessionWaker
  processes: SessionProcesses
  worktrees: Pick<Worktrees, 'secure'>
  report(message: string): void
}

const restarted = (id: string): OKWithIDResponseBody => ({ status: 'ok', id })

/** States from which a restart is only a wake-up. */
const STOPPED = new Set(['asleep', 'quarantined', 'suspended', 'archived', 'start-pending'])

/** Restarts the programs of sessions; the sessions keep their work. */
export class SessionRestarts {
  constructor(private readonly options: SessionRestartsOptions) {}

  /**
   * Ends a session's program and starts it again immediately. With `fresh` it begins a new conversation. A session that
   * restarts itself is answered first.
   */
  async restart(token: string, caller: Caller, { fresh = false }: Restart = {}): Promise<OKWithIDResponseBody> {
    const { creator, report } = this.options
    const row = await creator.findOrCreate(token, caller)
    if (fresh) await this.options.worktrees.secure(row.id, actorOf(caller))
    const restarting = this.#restart(row, fresh, actorOf(caller))
    if (caller.kind !== 'session' || caller.session !== row.id) await restarting
    else restarting.catch((error) => report(`session ${row.id} could not be restarted: ${error}`))
    return restarted(row.id)
  }

  async #restart({ id, state }: SessionRow, fresh: boolean, actor: Actor): Promise<void> {
    const { store, repository, workload, processes, recorder, waker } = this.options
    if (STOPPED.has(state)) {
      return store.write((tx) => {
        tx.answer(restarted(id))
        if (fresh) repository.resetConversation(tx, id)
        waker.wake(tx, id)
      }, actor)
    }
    const work = workload.assignedTo(workNamesOf(repository.get(id)))
    await processes.stop(id, actor, (tx, row) => {
      tx.answer(restarted(id))
      if (row.state === 'closed') return
      recorder.stopped(tx, row, 'stopped')
      if (fresh) repository.resetConversation(tx, id)
      this.#requestStart(tx, row)
      for (const bead of work) this.#reassign(tx, row, bead.id)
    })
  }

  #requestStart(tx: Tx, row: SessionRow): void {
    const { repository, clock, waker } = this.options
    const now = clock.now()
    const change = { wakeRequestedAt: now, retryAt: null, failures: 0, churn: 0 }
    if (row.state === 'active' || row.state === 'draining' || row.state === 'creating') {
      repository.transition(tx, row.id, 'sleep', { ...change, reason: 'reset-pending', sleptAt: now })
    } else waker.wake(tx, row.id)
  }

  /** Keeps the claims of the session assigned to it, for its next run. */
  #reassign(tx: Tx, row: SessionRow, id: string): void {
    const { beads } = this.options
    const bead = beads.find(id)
    if (bead?.status === 'open' && bead.assignee === undefined) beads.change(tx, id, { assignee: identityOf(row) })
  }
}
