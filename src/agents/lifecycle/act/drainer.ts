import type { Clock } from '../../../core/clock.ts'
import type { Store, Tx } from '../../../core/store/index.ts'
import {
  isRunning,
  type SessionEventRecorder,
  type SessionRepository,
  type SessionRow,
  type Workload,
  workNamesOf,
} from '../../../work/sessions/index.ts'
import type { SessionActivity } from '../../conversations/index.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import type { LifeSigns } from './life-signs.ts'

interface SessionDrainerOptions {
  store: Store
  clock: Clock
  repository: SessionRepository
  recorder: SessionEventRecorder
  activity: SessionActivity
  workload: Workload
  launchPlanner: Pick<LaunchPlanner, 'agent'>
  lifeSigns: Pick<LifeSigns, 'patience'>
}

/** The reason for which a session is drained that may be at work: a person suspended its agent. */
const ON_REQUEST = 'user-hold'

/** Drains the sessions that a plan lets go. */
export class SessionDrainer {
  constructor(private readonly options: SessionDrainerOptions) {}

  /** Drains a session, unless a look at its program shows that it is not idle. */
  async drain(id: string, reason: string): Promise<void> {
    const { store, clock, repository, activity, lifeSigns } = this.options
    const row = repository.find(id)
    if (row && isRunning(row) && reason !== ON_REQUEST && this.#hasAgent(row)) {
      const patience = await lifeSigns.patience(row, reason)
      if (patience > 0) return activity.markBusy(id, clock.now() + patience)
    }
    await store.write((tx) => this.#drain(tx, id, reason))
  }

  /** One whose agent was removed ends whatever its program does. */
  #hasAgent({ kind, template }: SessionRow): boolean {
    return kind !== 'agent' || this.options.launchPlanner.agent(template) !== undefined
  }

  #drain(tx: Tx, id: string, reason: string): void {
    const { clock, repository, recorder, workload } = this.options
    const row = repository.get(id)
    if (row.state !== 'active') return
    if (reason !== ON_REQUEST && workload.oneAssignedTo(workNamesOf(row)) !== undefined) return
    recorder.draining(tx, repository.transition(tx, id, 'drain', { reason, drainAt: clock.now() }))
  }
}
