import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody, OKWithIDResponseBody } from '../../http/schema.ts'
import {
  isRunning,
  type SessionEventRecorder,
  type SessionRepository,
  type SessionResolver,
  type SessionRow,
  type SessionWaker,
  transition,
} from '../../work/sessions/index.ts'
import type { SessionCloser, SessionCreator, SessionProcesses } from '../lifecycle/index.ts'
import type { ProgramInput } from '../messaging/index.ts'

interface SessionControlOptions {
  store: Store
  clock: Clock
  repository: SessionRepository
  resolver: SessionResolver
  recorder: SessionEventRecorder
  creator: SessionCreator
  waker: SessionWaker
  closer: SessionCloser
  processes: SessionProcesses
  input: ProgramInput
}

const KILLABLE = new Set(['active', 'start-pending', 'creating', 'draining'])

/** Interrupts, kills, suspends, wakes and closes sessions for callers. */
export class SessionControl {
  constructor(private readonly options: SessionControlOptions) {}

  /** Interrupts what the session does now; it stays up. */
  async stop(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, clock, resolver, input, recorder } = this.options
    const row = resolver.resolve(token, { past: true })
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, 'conflict: session is closed')
    if (!isRunning(row)) return { status: 'ok', id: row.id }
    const startedAt = clock.now()
    await input.interrupt(row)
    return store.write((tx) => {
      recorder.operation(tx, row, 'interrupt', startedAt)
      return { status: 'ok', id: row.id }
    }, actorOf(caller))
  }

  /** Ends the session's program; it is started again when it is still wanted. Nothing happens when it does not run. */
  async kill(token: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { clock, resolver, processes, recorder } = this.options
    const row = resolver.resolve(token, { past: true })
    const answer = { status: 'ok', id: row.id }
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
    const { clock, repository, creator, processes, recorder } = this.options
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
    const { store, creator, waker } = this.options
    const row = await creator.findOrCreate(token, caller)
    return store.write((tx) => {
      waker.wake(tx, row.id)
      return { status: 'ok', id: row.id }
    }, actorOf(caller))
  }

  /** Ends the session's program and closes the session; its names are free again. */
  async close(token: string, caller: Caller, { remove = false }: { remove?: boolean } = {}): Promise<OKResponseBody> {
    const { clock, repository, resolver, processes, recorder, closer } = this.options
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
    const { repository, recorder, clock } = this.options
    if (row.state === 'closed' || row.state === 'start-pending' || row.state === 'suspended') return
    recorder.stopped(tx, row, 'stopped')
    if (row.state === 'asleep' || row.state === 'quarantined') return
    const restart = row.origin === 'ephemeral' ? {} : { wakeRequestedAt: clock.now() }
    repository.transition(tx, row.id, 'sleep', { reason: 'no-wake-reason', sleptAt: clock.now(), ...restart })
  }
}
