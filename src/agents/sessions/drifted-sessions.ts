import type { CityContext } from '../../core/city-context.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import {
  isRunning,
  type SessionEventRecorder,
  type SessionRepository,
  type SessionRow,
} from '../../work/sessions/index.ts'
import { type LaunchPlanner, LIVE } from '../launch/index.ts'
import type { SessionDrifts } from './runtime-schema.ts'

/** Sessions that were started from a declaration that has changed since. */
export class DriftedSessions {
  constructor(
    private readonly context: CityContext,
    private readonly repository: SessionRepository,
    private readonly recorder: SessionEventRecorder,
    private readonly launchPlanner: Pick<LaunchPlanner, 'drift' | 'declared'>,
  ) {}

  list(): SessionDrifts {
    const items = this.#drifted().map(({ row: { id, sessionName, template }, fields }) => ({
      ...{ id, session_name: sessionName, template, fields },
    }))
    return { items, total: items.length }
  }

  /**
   * Makes a change of the configuration through which running sessions stay as they are, in one stretch with it, so
   * that no one sees the one without the other. What can be applied to a running session still is.
   */
  keepThrough(change: () => boolean, caller: Caller): Promise<boolean> {
    return this.context.store.write((tx) => {
      const changed = change()
      this.#accept(tx)
      return changed
    }, actorOf(caller))
  }

  #accept(tx: Tx): void {
    const { repository, recorder, launchPlanner } = this
    for (const { row, fields } of this.#drifted()) {
      const declared = launchPlanner.declared(row)
      if (!declared || fields.every((field) => field === LIVE)) continue
      const live = row.fingerprint[LIVE]
      const accepted = { ...declared, ...(live !== undefined && { [LIVE]: live }) }
      const changed = repository.update(tx, row.id, { fingerprint: accepted })
      if (row.state !== 'draining' || row.reason !== 'config-drift') recorder.updated(tx, changed)
      else recorder.undrained(tx, repository.transition(tx, row.id, 'undrain', { drainAt: null }))
    }
  }

  #drifted(): { row: SessionRow; fields: string[] }[] {
    const { repository, launchPlanner } = this
    return repository
      .live()
      .filter(isRunning)
      .map((row) => ({ row, fields: launchPlanner.drift(row) }))
      .filter(({ fields }) => fields.length > 0)
  }
}
