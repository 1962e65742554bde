import type { CityContext } from '../../../core/city-context.ts'
import type { Tx } from '../../../core/store/index.ts'
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
import { AGENT_SUSPENDED, HELD_BY_PERSON } from '../plan/exit-rules.ts'
import type { LifeSigns } from './life-signs.ts'

/** Drains the sessions that a plan lets go. */
export class SessionDrainer {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      repository: SessionRepository
      recorder: SessionEventRecorder
      activity: SessionActivity
      workload: Workload
      launchPlanner: Pick<LaunchPlanner, 'agent'>
      lifeSigns: Pick<LifeSigns, 'patience'>
    },
  ) {}

  /** Drains a session, unless a look at its program shows that it is not idle. */
  async drain(id: string, reason: string): Promise<void> {
    const { store, clock } = this.context
    const { repository, activity, lifeSigns } = this.peers
    const row = repository.find(id)
    if (row && isRunning(row) && !HELD_BY_PERSON.has(reason) && this.#hasAgent(row)) {
      const patience = await lifeSigns.patience(row, reason)
      if (patience > 0) return activity.markBusy(id, clock.now() + patience)
    }
    await store.write((tx) => this.#drain(tx, id, reason))
  }

  /** Cancels the drain of a session whose agent is no longer suspended. */
  async undrain(id: string): Promise<void> {
    const { store } = this.context
    const { repository, recorder } = this.peers
    await store.write((tx) => {
      const { state, reason } = repository.get(id)
      if (state !== 'draining' || reason !== AGENT_SUSPENDED) return
      recorder.undrained(tx, repository.transition(tx, id, 'undrain', { drainAt: null, reason: '' }))
    })
  }

  /** One whose agent was removed ends whatever its program does. */
  #hasAgent({ kind, template }: SessionRow): boolean {
    return kind !== 'agent' || this.peers.launchPlanner.agent(template) !== undefined
  }

  #drain(tx: Tx, id: string, reason: string): void {
    const { clock } = this.context
    const { repository, recorder, workload } = this.peers
    const row = repository.get(id)
    if (row.state !== 'active') return
    if (!HELD_BY_PERSON.has(reason) && workload.oneAssignedTo(workNamesOf(row)) !== undefined) return
    recorder.draining(tx, repository.transition(tx, id, 'drain', { reason, drainAt: clock.now() }))
  }
}
