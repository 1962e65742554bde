import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKWithIDResponseBody } from '../../http/schema.ts'
import { SessionDrainAckedWithWork } from '../../work/events.ts'
import {
  type SessionEventRecorder,
  type SessionRepository,
  type SessionResolver,
  type SessionRow,
  type Workload,
  workNamesOf,
} from '../../work/sessions/index.ts'

interface SessionDrainsOptions {
  store: Store
  log: EventLog
  clock: Clock
  repository: SessionRepository
  resolver: SessionResolver
  recorder: SessionEventRecorder
  workload: Workload
}

/** Drains sessions: they finish what they have, take no new work, and end. */
export class SessionDrains {
  constructor(private readonly options: SessionDrainsOptions) {}

  async drain(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, clock, repository, resolver, recorder } = this.options
    const { id } = resolver.resolve(token)
    return store.write((tx) => {
      const change = { reason: 'user-hold', drainAt: clock.now() }
      if (repository.get(id).state !== 'draining') recorder.draining(tx, repository.transition(tx, id, 'drain', change))
      return { status: 'ok', id }
    }, actorOf(caller))
  }

  /** Cancels a drain; a session that is up and does not drain stays unchanged. */
  async undrain(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, repository, resolver, recorder } = this.options
    const { id } = resolver.resolve(token)
    return store.write((tx) => {
      if (repository.get(id).state !== 'active')
        recorder.undrained(tx, repository.transition(tx, id, 'undrain', { drainAt: null }))
      return { status: 'ok', id }
    }, actorOf(caller))
  }

  /** The calling session reports that it is done: it ends as soon as no one needs it. */
  async acknowledge(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, clock, repository, resolver, recorder, workload } = this.options
    const row = resolver.resolve(token)
    if (caller.kind !== 'session' || row.id !== caller.session) {
      throw new AppError('forbidden', `forbidden: only session ${row.id} itself can report that it is done`)
    }
    return store.write((tx) => {
      const isActive = repository.get(row.id).state === 'active'
      const draining = isActive
        ? repository.transition(tx, row.id, 'drain', { reason: 'drained', drainAt: clock.now() })
        : repository.update(tx, row.id, { reason: 'drained' })
      if (isActive) recorder.draining(tx, draining)
      const unfinished = workload.activeBead(workNamesOf(row))
      if (unfinished !== undefined) this.#recordUnfinished(tx, row, unfinished)
      return { status: 'ok', id: row.id }
    }, actorOf(caller))
  }

  #recordUnfinished(tx: Tx, row: SessionRow, bead: string): void {
    this.options.log.append(
      tx,
      SessionDrainAckedWithWork,
      { subject: bead, session_id: row.id },
      { session_id: row.id, bead_id: bead, template: row.template, bead_status: 'in_progress', reason: 'drained' },
    )
  }
}
