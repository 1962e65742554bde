import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody, OKWithIDResponseBody } from '../../http/schema.ts'
import { Affairs } from './affairs.ts'
import { SessionDrainAckedWithWork } from './events.ts'
import { workNamesOf } from './metadata.ts'
import type { SessionRow } from './table.ts'
import { transition } from './transitions.ts'
import { isRunning } from './view.ts'

const KILLABLE = new Set(['active', 'start-pending', 'creating', 'draining'])

/** Interrupting, ending, holding and waking sessions. */
export class Holds extends Affairs {
  /** Interrupts what the session does now; it stays up. */
  async stop(token: string): Promise<OKWithIDResponseBody> {
    const row = this.parts.resolver.resolve(token, { past: true })
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, 'conflict: session is closed')
    if (!isRunning(row)) return { status: 'ok', id: row.id }
    const began = this.needs.clock.now()
    await this.parts.interrupt(row)
    await this.needs.store.write((tx) => this.parts.chronicle.operation(tx, row, 'interrupt', began))
    return { status: 'ok', id: row.id }
  }

  /** Ends the session's program; it is started again when it is still wanted. */
  async kill(token: string): Promise<OKWithIDResponseBody> {
    const row = this.parts.resolver.resolve(token, { past: true })
    if (row.state === 'closed') return { status: 'ok', id: row.id }
    if (!KILLABLE.has(row.state) && !isRunning(row)) {
      throw new AppError('internal', `internal: session ${row.id} is not active`)
    }
    const began = this.needs.clock.now()
    await this.parts.lifecycle.stop(row.id, (tx, now) => {
      this.#killed(tx, now)
      this.parts.chronicle.operation(tx, now, 'kill', began)
    })
    return { status: 'ok', id: row.id }
  }

  /** Ends the session's program and holds the session until someone wakes it. */
  async suspend(token: string): Promise<OKResponseBody> {
    const row = await this.materialise(token, ({ state }) => transition(state, 'suspend'))
    if (row.state === 'suspended' || row.state === 'failed-create') return { status: 'ok' }
    const { book, chronicle, lifecycle } = this.parts
    transition(row.state, 'suspend')
    const began = this.needs.clock.now()
    await lifecycle.stop(
      row.id,
      (tx, now) => {
        if (!isRunning(row)) return
        chronicle.stopped(tx, now, 'stopped')
        chronicle.operation(tx, now, 'stop', began)
      },
      (tx) => {
        const change = { suspendedAt: this.needs.clock.now(), wakeRequestedAt: null, reason: 'user-hold' }
        chronicle.suspended(tx, book.transition(tx, row.id, 'suspend', change))
      },
    )
    return { status: 'ok' }
  }

  /** Lifts every hold on a session and has it started. */
  async wake(token: string): Promise<OKWithIDResponseBody> {
    const row = await this.materialise(token)
    await this.needs.store.write((tx) => this.wakeFor(tx, row.id))
    return { status: 'ok', id: row.id }
  }

  /** Ends the session's program and closes the session; its names are free again. */
  async close(token: string, { remove = false }: { remove?: boolean } = {}): Promise<OKResponseBody> {
    const row = this.parts.resolver.resolve(token)
    const named = row.named === null ? undefined : this.parts.resolver.named(row.named)
    if (named?.mode === 'always' && named.dir) {
      throw new AppError(SESSION_CONFLICT, 'configured always-on named sessions cannot be closed while config-managed')
    }
    const began = this.needs.clock.now()
    await this.parts.lifecycle.stop(row.id, (tx, now) => {
      if (isRunning(row)) this.parts.chronicle.stopped(tx, now, 'stopped')
      this.parts.chronicle.operation(tx, now, 'close', began)
      this.finish(tx, now.id, 'closed on request')
      if (remove) this.parts.book.remove(tx, now.id)
    })
    return { status: 'ok' }
  }

  /** The calling session says that it is done: it ends as soon as nobody needs it. */
  async acknowledgeDrain(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const row = this.parts.resolver.resolve(token)
    if (caller.kind !== 'session' || row.id !== caller.session) {
      throw new AppError('forbidden', `forbidden: only session ${row.id} itself can say that it is done`)
    }
    await this.needs.store.write((tx) => {
      const { book, chronicle, workload } = this.parts
      const drainAt = this.needs.clock.now()
      const now = book.get(row.id)
      const draining =
        now.state === 'active'
          ? book.transition(tx, row.id, 'drain', { reason: 'drained', drainAt })
          : book.update(tx, row.id, { reason: 'drained' })
      if (now.state === 'active') chronicle.draining(tx, draining)
      const [left] = workload.assignedTo(workNamesOf(row)).filter(({ status }) => status === 'in_progress')
      if (left) this.#drainedWithWork(tx, row, left)
    })
    return { status: 'ok', id: row.id }
  }

  #killed(tx: Tx, row: SessionRow): void {
    const { book, chronicle, clock } = { ...this.parts, clock: this.needs.clock }
    if (row.state === 'closed' || row.state === 'start-pending' || row.state === 'suspended') return
    chronicle.stopped(tx, row, 'stopped')
    if (row.state === 'asleep' || row.state === 'quarantined') return
    const wanted = row.origin === 'ephemeral' ? {} : { wakeRequestedAt: clock.now() }
    book.transition(tx, row.id, 'sleep', { reason: 'no-wake-reason', sleptAt: clock.now(), ...wanted })
  }

  #drainedWithWork(tx: Tx, row: SessionRow, left: { id: string; status: string }): void {
    this.needs.log.append(
      tx,
      SessionDrainAckedWithWork,
      { actor: 'gc', subject: left.id, session_id: row.id },
      { session_id: row.id, bead_id: left.id, template: row.template, bead_status: left.status, reason: 'drained' },
    )
  }
}
