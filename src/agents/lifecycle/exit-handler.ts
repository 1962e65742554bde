import type { Clock } from '../../core/clock.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { SessionEventRecorder } from '../sessions/event-recorder.ts'
import { workNamesOf } from '../sessions/metadata.ts'
import type { SessionChange, SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { SessionTokens } from '../sessions/tokens.ts'
import type { Command, SessionState } from '../sessions/transitions.ts'
import type { Workload } from '../sessions/workload.ts'
import type { CrashHistory } from './crash-history.ts'
import { decideOutcome, type ExitedSession, type ExitOutcome, type ProcessExit } from './exit-rules.ts'
import type { FailureCounts } from './failure-counts.ts'

interface Parts {
  store: Store
  clock: Clock
  book: SessionRepository
  tokens: SessionTokens
  troubles: FailureCounts
  crashes: CrashHistory
  workload: Workload
  chronicle: SessionEventRecorder
  claims: { loseAll(tx: Tx, session: string, names?: readonly string[]): void }
  /** A session ended against anyone's will. */
  died(row: SessionRow): void
  /** Runs in the write in which a session came to rest: closed, failed or asleep. */
  settled(tx: Tx, row: SessionRow, sentence: string): void
}

const COMMANDS: Partial<Record<SessionState, Command>> = {
  closed: 'close',
  asleep: 'sleep',
  quarantined: 'quarantine',
  'start-pending': 'retry',
  'failed-create': 'fail',
}

/** What follows when the program of a session is gone: what becomes of the session, and whom that is blamed on. */
export class ExitHandler {
  constructor(private readonly parts: Parts) {}

  /** Records that a session's process is gone, and everything that follows from it, in one write. */
  async recordExit(id: string, key: string, exit: ProcessExit, said?: string): Promise<void> {
    const { store, book, clock } = this.parts
    await store.write((tx) => {
      const before = book.find(id)
      if (before?.hostKey !== key) return
      const departed = this.#departed(before)
      const after = decideOutcome(departed, exit, clock.now())
      const bead = this.#handled(before)
      const why = said ?? describeExit(exit, before)
      this.releaseProcess(tx, id, after.state === 'closed')
      this.#blame(tx, before, after, exit, why)
      if (after.crashed && exit.how !== 'lost') this.#fell(tx, before, bead, departed, after, why)
      const row = this.#settle(tx, before, after)
      this.parts.chronicle.ended(tx, before, after, exit, said)
      if (after.crashed) tx.after(() => this.parts.died(before))
      if (after.state !== 'start-pending') this.parts.settled(tx, row, why)
    })
  }

  /** The incarnation is over: its token dies, then its claims are offered again. */
  releaseProcess(tx: Tx, id: string, forGood = false): SessionRow | undefined {
    const { book, tokens, claims } = this.parts
    const row = book.find(id)
    if (!row) return undefined
    tokens.revoke(tx, id)
    claims.loseAll(tx, id, forGood ? workNamesOf(row) : [])
    return book.update(tx, id, { hostKey: null, pid: null, processStarted: null })
  }

  #departed(row: SessionRow): ExitedSession {
    return {
      state: row.state,
      reason: row.reason,
      origin: row.origin,
      wokeAt: row.wokeAt ?? 0,
      failures: row.failures,
      churn: row.churn,
      wanted: row.wakeRequestedAt !== null,
      work: this.parts.workload
        .assignedTo(workNamesOf(row))
        .flatMap(({ id, status }) => (status === 'open' ? [] : [id])),
      madeFor: row.work || undefined,
      untouched: row.work !== null && this.parts.workload.isUnassigned(row.work),
      scaled: row.work === '',
      resumed: row.resumed,
      heldUntil: this.#heldUntil(row),
    }
  }

  #heldUntil(row: SessionRow): number {
    return row.kind === 'agent' ? this.parts.crashes.heldUntil(row.template, this.#handled(row)) : 0
  }

  /** The bead in a session's hands, or the one that it was made for; '' for none. */
  #handled(row: SessionRow): string {
    const [work] = this.parts.workload.assignedTo(workNamesOf(row)).filter(({ status }) => status !== 'open')
    return work?.id ?? row.work ?? ''
  }

  /** Counts a fall against its agent, which is left alone once there were too many. */
  #fell(tx: Tx, row: SessionRow, bead: string, { heldUntil }: ExitedSession, after: ExitOutcome, said: string): void {
    if (row.kind !== 'agent') return
    tx.after(() => this.parts.crashes.record(row.template, bead))
    if (after.state !== 'quarantined' || after.quarantinedUntil !== heldUntil) return
    const why = `its sessions fell too often (max_restarts); the last: ${said}`
    this.parts.troubles.hold(tx, 'agent', row.template, heldUntil, why)
  }

  #blame(tx: Tx, row: SessionRow, after: ExitOutcome, exit: ProcessExit, reason: string): void {
    const { troubles } = this.parts
    if (exit.limited && row.kind === 'agent') troubles.hold(tx, 'agent', row.template, after.quarantinedUntil, reason)
    for (const bead of after.blamed) troubles.count(tx, 'bead', bead, reason)
    if (row.kind !== 'agent') return
    if (after.suspect) troubles.count(tx, 'agent', row.template, reason)
    else if (exit.how !== 'lost' && !exit.limited) troubles.clear(tx, 'agent', row.template)
  }

  #settle(tx: Tx, before: SessionRow, after: ExitOutcome): SessionRow {
    const { book, clock } = this.parts
    const change: SessionChange = {
      reason: after.reason,
      failures: after.failures,
      churn: after.churn,
      retryAt: after.retryAt || null,
      quarantinedUntil: after.quarantinedUntil || null,
      busyUntil: null,
      ...(after.fresh && { sessionKey: null }),
      ...(after.restart && { wakeRequestedAt: clock.now() }),
      ...(after.state === 'asleep' && { sleptAt: clock.now() }),
      ...(after.state === 'closed' && { closedAt: clock.now() }),
    }
    const command = after.state === before.state ? undefined : COMMANDS[after.state]
    return command ? book.transition(tx, before.id, command, change) : book.update(tx, before.id, change)
  }
}

/** How the process of a session ended, in a sentence. */
function describeExit(exit: ProcessExit, { state, reason }: SessionRow): string {
  if (exit.limited) return 'the usage limit of its model is reached'
  if (state === 'draining' && reason === 'no-wake-reason') return 'it claimed nothing for a minute and was let go'
  if (state === 'draining') return `it was let go (${reason})`
  if (exit.how === 'lost') return 'its program was gone when the host was looked at'
  if (exit.how === 'refused') return 'its program could not be started'
  if (exit.signal !== undefined) return `its program was ended by ${exit.signal}`
  return exit.code === 0 ? 'its program ended' : `its program ended with exit code ${exit.code ?? 'unknown'}`
}
