import type { Actor } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody, OKWithIDResponseBody } from '../../http/schema.ts'
import { SessionDrainAckedWithWork } from '../../work/events.ts'
import { identityOf, isRunning, type SessionRow, transition, workNamesOf } from '../../work/sessions/index.ts'
import type { SessionParts } from './parts.ts'
import type { Restart, SessionLoan } from './runtime-schema.ts'

const KILLABLE = new Set(['active', 'start-pending', 'creating', 'draining'])

const ok = (id: string): OKWithIDResponseBody => ({ status: 'ok', id })

/** States from which a restart is only a wake-up. */
const STOPPED = new Set(['asleep', 'quarantined', 'suspended', 'archived', 'start-pending'])

/** Runs sessions for callers: interrupts, ends, holds, wakes, restarts, drains and lends them. */
export class SessionRunning {
  constructor(private readonly parts: SessionParts) {}

  /** Interrupts what the session does now; it stays up. */
  async stop(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, clock, resolver, input, recorder } = this.parts
    const row = resolver.resolve(token, { past: true })
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, 'conflict: session is closed')
    if (!isRunning(row)) return ok(row.id)
    const startedAt = clock.now()
    await input.interrupt(row)
    return store.write((tx) => {
      recorder.operation(tx, row, 'interrupt', startedAt)
      return ok(row.id)
    }, actorOf(caller))
  }

  /** Ends the session's program; it is started again when it is still wanted. Nothing happens when it does not run. */
  async kill(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { clock, resolver, processes, recorder } = this.parts
    const row = resolver.resolve(token, { past: true })
    const answer = ok(row.id)
    if (!KILLABLE.has(row.state) && (row.state === 'closed' || !isRunning(row))) return answer
    const startedAt = clock.now()
    await processes.stop(row.id, actorOf(caller), (tx, current) => {
      this.#recordKill(tx, current)
      recorder.operation(tx, current, 'kill', startedAt)
      tx.answer(answer)
    })
    return answer
  }

  /** Ends the session's program and holds the session until someone wakes it. */
  async suspend(token: string, caller: Caller): Promise<OKResponseBody> {
    const { clock, repository, creator, processes, recorder } = this.parts
    const row = await creator.findOrCreate(token, caller, ({ state }) => transition(state, 'suspend'))
    if (row.state === 'suspended' || row.state === 'failed-create') return { status: 'ok' }
    transition(row.state, 'suspend')
    const startedAt = clock.now()
    const answer = { status: 'ok' }
    await processes.stop(
      row.id,
      actorOf(caller),
      (tx, current) => {
        tx.answer(answer)
        if (!isRunning(row)) return
        recorder.stopped(tx, current, 'stopped')
        recorder.operation(tx, current, 'stop', startedAt)
      },
      {
        before: (tx) => {
          const change = { suspendedAt: clock.now(), wakeRequestedAt: null, reason: 'user-hold' }
          recorder.suspended(tx, repository.transition(tx, row.id, 'suspend', change))
        },
      },
    )
    return answer
  }

  /** Lifts every hold on a session and requests its start. */
  async wake(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, creator, waker } = this.parts
    const row = await creator.findOrCreate(token, caller)
    return store.write((tx) => {
      waker.wake(tx, row.id)
      return ok(row.id)
    }, actorOf(caller))
  }

  /** Ends the session's program and closes the session; its names are free again. */
  async close(token: string, caller: Caller, { remove = false }: { remove?: boolean } = {}): Promise<OKResponseBody> {
    const { clock, repository, resolver, processes, recorder, closer } = this.parts
    const row = resolver.resolve(token)
    const named = row.named === null ? undefined : resolver.named(row.named)
    if (named?.mode === 'always' && named.dir) {
      throw new AppError(SESSION_CONFLICT, 'configured always-on named sessions cannot be closed while config-managed')
    }
    const startedAt = clock.now()
    const answer = { status: 'ok' }
    const after = (tx: Tx, current: SessionRow) => {
      tx.answer(answer)
      if (isRunning(row)) recorder.stopped(tx, current, 'stopped')
      recorder.operation(tx, current, 'close', startedAt)
      closer.close(tx, current.id, 'closed on request')
      if (remove) repository.remove(tx, current.id)
    }
    await processes.stop(row.id, actorOf(caller), after, { isClosing: true })
    return answer
  }

  #recordKill(tx: Tx, row: SessionRow): void {
    const { repository, recorder, clock } = this.parts
    if (row.state === 'closed' || row.state === 'start-pending' || row.state === 'suspended') return
    recorder.stopped(tx, row, 'stopped')
    if (row.state === 'asleep' || row.state === 'quarantined') return
    const restart = row.origin === 'ephemeral' ? {} : { wakeRequestedAt: clock.now() }
    repository.transition(tx, row.id, 'sleep', { reason: 'no-wake-reason', sleptAt: clock.now(), ...restart })
  }

  /**
   * Ends a session's program and starts it again immediately. With `fresh` it begins a new conversation. A session that
   * restarts itself is answered first.
   */
  async restart(token: string, caller: Caller, { fresh = false }: Restart = {}): Promise<OKWithIDResponseBody> {
    const { creator, report } = this.parts
    const row = await creator.findOrCreate(token, caller)
    if (fresh) await this.parts.worktrees.secure(row.id, actorOf(caller))
    const restarting = this.#restart(row, fresh, actorOf(caller))
    if (caller.kind !== 'session' || caller.session !== row.id) await restarting
    else restarting.catch((error) => report(`session ${row.id} could not be restarted: ${error}`))
    return ok(row.id)
  }

  async #restart({ id, state }: SessionRow, fresh: boolean, actor: Actor): Promise<void> {
    const { store, repository, workload, processes, recorder, waker } = this.parts
    if (STOPPED.has(state)) {
      return store.write((tx) => {
        tx.answer(ok(id))
        if (fresh) repository.resetConversation(tx, id)
        waker.wake(tx, id)
      }, actor)
    }
    const work = workload.assignedTo(workNamesOf(repository.get(id)))
    await processes.stop(id, actor, (tx, row) => {
      tx.answer(ok(id))
      if (row.state === 'closed') return
      recorder.stopped(tx, row, 'stopped')
      if (fresh) repository.resetConversation(tx, id)
      this.#requestStart(tx, row)
      for (const bead of work) this.#reassign(tx, row, bead.id)
    })
  }

  #requestStart(tx: Tx, row: SessionRow): void {
    const { repository, clock, waker } = this.parts
    const now = clock.now()
    const change = { wakeRequestedAt: now, retryAt: null, failures: 0, churn: 0 }
    if (row.state === 'active' || row.state === 'draining' || row.state === 'creating') {
      repository.transition(tx, row.id, 'sleep', { ...change, reason: 'reset-pending', sleptAt: now })
    } else waker.wake(tx, row.id)
  }

  /** Keeps the claims of the session assigned to it, for its next run. */
  #reassign(tx: Tx, row: SessionRow, id: string): void {
    const { beads } = this.parts
    const bead = beads.find(id)
    if (bead?.status === 'open' && bead.assignee === undefined) beads.change(tx, id, { assignee: identityOf(row) })
  }

  async drain(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, clock, repository, resolver, recorder } = this.parts
    const { id } = resolver.resolve(token)
    return store.write((tx) => {
      const change = { reason: 'user-hold', drainAt: clock.now() }
      if (repository.get(id).state !== 'draining') recorder.draining(tx, repository.transition(tx, id, 'drain', change))
      return ok(id)
    }, actorOf(caller))
  }

  /** Cancels a drain; a session that is up and does not drain stays unchanged. */
  async undrain(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, repository, resolver, recorder } = this.parts
    const { id } = resolver.resolve(token)
    return store.write((tx) => {
      if (repository.get(id).state !== 'active')
        recorder.undrained(tx, repository.transition(tx, id, 'undrain', { drainAt: null }))
      return ok(id)
    }, actorOf(caller))
  }

  /** The calling session reports that it is done: it ends as soon as no one needs it. */
  async acknowledge(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, clock, repository, resolver, recorder, workload } = this.parts
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
      return ok(row.id)
    }, actorOf(caller))
  }

  #recordUnfinished(tx: Tx, row: SessionRow, bead: string): void {
    this.parts.log.append(
      tx,
      SessionDrainAckedWithWork,
      { subject: bead, session_id: row.id },
      { session_id: row.id, bead_id: bead, template: row.template, bead_status: 'in_progress', reason: 'drained' },
    )
  }

  /**
   * A token for a suspended session. It is good until the session is lent again, woken or closed; what was claimed with
   * the one before it is offered again.
   */
  async lend(token: string, caller: Caller): Promise<SessionLoan> {
    const { store, repository, resolver, tokens, recorder, claims } = this.parts
    const { id } = resolver.resolve(token)
    return store.write((tx) => {
      const row = repository.get(id)
      if (row.state !== 'suspended' || row.hostKey !== null) {
        throw new AppError(SESSION_CONFLICT, `session ${id} is ${row.state}; only a suspended one can be lent`)
      }
      tokens.revoke(tx, id)
      claims.revokeAll(tx, id, workNamesOf(row))
      const lent = repository.update(tx, id, { generation: row.generation + 1 })
      recorder.lent(tx, lent)
      return { id, token: tokens.issue(tx, id, lent.generation) }
    }, actorOf(caller))
  }
}
