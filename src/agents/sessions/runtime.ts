import { parseDuration } from '../../core/durations.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKWithIDResponseBody } from '../../http/schema.ts'
import type { Beads } from '../../work/beads/beads.ts'
import { identityOf, workNamesOf } from './metadata.ts'
import type { BuiltParts } from './parts.ts'
import type { Conversation, Heartbeat, Restart, SessionDrifts } from './runtime-schema.ts'
import type { SessionRow } from './table.ts'
import { isRunning } from './view.ts'

interface Needs {
  parts: BuiltParts
  beads: Beads
  write(work: (tx: Tx) => void): Promise<void>
  now(): number
  /** The live session a token names; a configured identity without one gets it now. */
  materialise(token: string): Promise<SessionRow>
  wake(tx: Tx, id: string): void
  /** Tells that a session begins another conversation. */
  reset(tx: Tx, id: string): void
  report(message: string): void
}

const DEFAULT_HEARTBEAT = 45 * 60_000
const LONGEST_HEARTBEAT = 24 * 3_600_000
/** Past states from which a restart is a wake-up. */
const STOPPED = new Set(['asleep', 'quarantined', 'suspended', 'archived', 'start-pending'])

/** What a session's program says of itself while it runs, and what it is told about its run. */
export class Runtime {
  constructor(private readonly needs: Needs) {}

  /** Lets a session finish what it has; it takes no new work and then ends. */
  async drain(token: string): Promise<OKWithIDResponseBody> {
    const { parts, write, now } = this.needs
    const { id } = parts.resolver.resolve(token)
    await write((tx) => {
      if (parts.book.get(id).state === 'draining') return
      parts.chronicle.draining(tx, parts.book.transition(tx, id, 'drain', { reason: 'user-hold', drainAt: now() }))
    })
    return { status: 'ok', id }
  }

  /** Takes a drain back; a session that is up and does not drain stays as it is. */
  async undrain(token: string): Promise<OKWithIDResponseBody> {
    const { parts, write } = this.needs
    const { id } = parts.resolver.resolve(token)
    await write((tx) => {
      if (parts.book.get(id).state === 'active') return
      parts.chronicle.undrained(tx, parts.book.transition(tx, id, 'undrain', { drainAt: null }))
    })
    return { status: 'ok', id }
  }

  /**
   * Ends a session's program and starts it again at once; it keeps the work it has. With `fresh` it begins a new
   * conversation. A session that asks this for itself is answered first.
   */
  async restart(token: string, caller: Caller, { fresh = false }: Restart = {}): Promise<OKWithIDResponseBody> {
    const row = await this.needs.materialise(token)
    const restarting = this.#restart(row, fresh)
    if (caller.kind !== 'session' || caller.session !== row.id) await restarting
    else restarting.catch((error) => this.needs.report(`session ${row.id} could not be restarted: ${error}`))
    return { status: 'ok', id: row.id }
  }

  /** The calling session says that it is at work, although nothing may be seen of that for a while. */
  async heartbeat(token: string, caller: Caller, { duration }: Heartbeat = {}): Promise<OKWithIDResponseBody> {
    const { parts, write, now } = this.needs
    const row = this.#own(token, caller, 'say that it is at work')
    const length = duration === undefined ? DEFAULT_HEARTBEAT : parseDuration(duration)
    if (length === undefined) {
      throw new AppError('invalid-request', `duration takes a length of time such as 30m or 1h30m, not "${duration}"`)
    }
    const busyUntil = now() + Math.min(length, LONGEST_HEARTBEAT)
    await write((tx) => parts.book.update(tx, row.id, { busyUntil }))
    return { status: 'ok', id: row.id }
  }

  /** The calling session says what its program calls the conversation. The first key of a conversation stays. */
  async conversation(token: string, caller: Caller, { key }: Conversation): Promise<OKWithIDResponseBody> {
    const { parts, write } = this.needs
    const row = this.#own(token, caller, 'name its conversation')
    await write((tx) => {
      if (parts.book.get(row.id).sessionKey === null) parts.book.update(tx, row.id, { sessionKey: key })
    })
    return { status: 'ok', id: row.id }
  }

  /** Sessions that were started from a declaration that has changed since. */
  drifts(): SessionDrifts {
    const { book, launcher } = this.needs.parts
    const items = book
      .live()
      .filter(isRunning)
      .map((row) => ({
        id: row.id,
        session_name: row.sessionName,
        template: row.template,
        fields: launcher.drift(row),
      }))
      .filter(({ fields }) => fields.length > 0)
    return { items, total: items.length }
  }

  async #restart({ id, state }: SessionRow, fresh: boolean): Promise<void> {
    const { parts, write, wake } = this.needs
    if (STOPPED.has(state)) return write((tx) => this.#forget(tx, id, fresh, () => wake(tx, id)))
    const work = parts.workload.assignedTo(workNamesOf(parts.book.get(id)))
    await parts.lifecycle.stop(id, (tx, row) => {
      if (row.state === 'closed') return
      parts.chronicle.stopped(tx, row, 'stopped')
      this.#forget(tx, id, fresh, () => this.#again(tx, row))
      for (const bead of work) this.#keep(tx, row, bead.id)
    })
  }

  #forget(tx: Tx, id: string, fresh: boolean, then: () => void): void {
    if (fresh) {
      this.needs.parts.book.update(tx, id, { sessionKey: null })
      this.needs.reset(tx, id)
    }
    then()
  }

  #again(tx: Tx, row: SessionRow): void {
    const { book } = this.needs.parts
    const now = this.needs.now()
    const change = { wakeRequestedAt: now, retryAt: null, failures: 0, churn: 0 }
    if (row.state === 'active' || row.state === 'draining' || row.state === 'creating') {
      book.transition(tx, row.id, 'sleep', { ...change, reason: 'reset-pending', sleptAt: now })
    } else this.needs.wake(tx, row.id)
  }

  /** What it had claimed stays its own, to be claimed again by its next run. */
  #keep(tx: Tx, row: SessionRow, id: string): void {
    const bead = this.needs.beads.find(id)
    if (bead?.status === 'open' && bead.assignee === undefined) {
      this.needs.beads.change(tx, id, { assignee: identityOf(row) })
    }
  }

  #own(token: string, caller: Caller, what: string): SessionRow {
    const row = this.needs.parts.resolver.resolve(token)
    if (caller.kind === 'session' && row.id === caller.session) return row
    throw new AppError('forbidden', `forbidden: only session ${row.id} itself can ${what}`)
  }
}
