import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { ClaimManager } from '../../../work/claims/index.ts'
import {
  type Command,
  type SessionChange,
  type SessionEventRecorder,
  type SessionRepository,
  type SessionRow,
  type SessionState,
  type SessionTokens,
  type Workload,
  workNamesOf,
} from '../../../work/sessions/index.ts'
import type { Refusals } from '../../confinement/index.ts'
import type { LastOutputs, SessionActivity } from '../../conversations/index.ts'
import type { LaunchPlanner, SetupCommands } from '../../launch/index.ts'
import type { LoginLimits, Logins } from '../../limits/index.ts'
import type { CreateRequests, MessageDelivery } from '../../messaging/index.ts'
import type { Questions } from '../../questions/index.ts'
import { decideOutcome, type ExitedSession, type ExitOutcome, type ProcessExit } from '../plan/exit-rules.ts'
import type { FailureCounts } from '../plan/failure-counts.ts'
import { QUICK_EXIT } from '../plan/limits.ts'
import type { CrashHistory } from './crash-history.ts'

const COMMANDS: Partial<Record<SessionState, Command>> = {
  closed: 'close',
  asleep: 'sleep',
  quarantined: 'quarantine',
  'start-pending': 'retry',
  'failed-create': 'fail',
}

/** The reason of a stop, by the reason for which the session was drained. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  drained: 'drain acknowledged',
  'no-wake-reason': 'exited gracefully',
}

/** An exit this soon after a person's answer follows from it, as from `No, exit`. */
const ANSWER_EFFECT = 10_000

/** Handles the exit of a session's process: the outcome of the session, and what the exit counts against. */
export class ExitHandler {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      repository: SessionRepository
      tokens: SessionTokens
      failures: FailureCounts
      crashes: CrashHistory
      workload: Workload
      recorder: SessionEventRecorder
      claims: Pick<ClaimManager, 'revokeAll'>
      limits: Pick<LoginLimits, 'reached' | 'failed'>
      logins: Pick<Logins, 'of' | 'roomAt'>
      setup: SetupCommands
      launchPlanner: Pick<LaunchPlanner, 'startupTimeout'>
      delivery: Pick<MessageDelivery, 'abandon'>
      createRequests: CreateRequests
      lastOutputs: Pick<LastOutputs, 'explain' | 'forgetReason'>
      activity: SessionActivity
      questions: Pick<Questions, 'endRun' | 'lastAnswered' | 'forget'>
      refusals: Pick<Refusals, 'sentence'>
    },
  ) {}

  /** Records in one write that a session's process is gone, and everything that follows from it. */
  async recordExit(id: string, key: string, exit: ProcessExit, output?: string): Promise<void> {
    const { store, clock } = this.context
    const { repository, launchPlanner, limits, logins } = this.peers
    await store.write((tx) => {
      const before = repository.find(id)
      if (before?.hostKey !== key) return
      if (exit.limit) limits.reached(tx, logins.of(before), exit.limit)
      if (exit.deadLogin !== undefined) limits.failed(tx, logins.of(before), exit.deadLogin)
      const session = this.#exited(before)
      const outcome = decideOutcome(session, exit, clock.now())
      const isOverdue = clock.now() - (before.wokeAt ?? 0) >= launchPlanner.startupTimeout(before)
      const told = describeExit(exit, before, isOverdue)
      const message = exit.memoryLack ? [told, output ?? ''].join('\n').trim() : output
      const reason = exit.memoryLack ? told : (output ?? told)
      this.releaseProcess(tx, id, outcome.state === 'closed')
      this.#countFailures(tx, before, outcome, exit, reason)
      if (outcome.crashed && exit.how !== 'lost' && !outcome.killed) tx.after(() => this.peers.crashes.record(id))
      const row = this.#applyOutcome(tx, before, outcome)
      this.peers.lastOutputs.explain(tx, id, told, clock.now())
      this.#recordEnd(tx, before, outcome, exit, message)
      if (outcome.crashed) tx.after(() => this.#runDeathCommand(before))
      if (outcome.state !== 'start-pending') this.#settle(tx, row, reason)
    }, gcPart('sessions'))
  }

  #recordEnd(tx: Tx, row: SessionRow, outcome: ExitOutcome, exit: ProcessExit, output: string | undefined): void {
    const { clock } = this.context
    const { recorder } = this.peers
    if (outcome.crashed) recorder.crashed(tx, row, outcome.reason, output)
    else if (exit.how === 'not-started') {
      recorder.operation(tx, row, 'start', clock.now(), { error: output ?? 'its program could not be started' })
    } else if (row.state !== 'creating') recorder.stopped(tx, row, STOP_REASONS[outcome.reason] ?? 'stopped')
    if (outcome.state === 'quarantined') recorder.quarantined(tx, row)
    else if (row.state !== 'draining') return
    else if (row.reason === 'idle-timeout') recorder.idleKilled(tx, row)
    else if (row.reason === 'max-session-age') recorder.maxAgeKilled(tx, row)
  }

  /** Ends an incarnation: its token is revoked before its claims are offered again. */
  releaseProcess(tx: Tx, id: string, isClosing = false): SessionRow | undefined {
    const { repository, tokens, claims, questions, lastOutputs } = this.peers
    const row = repository.find(id)
    if (!row) return undefined
    if (row.hostKey !== null) questions.endRun(tx, row.hostKey)
    if (row.hostKey !== null) lastOutputs.forgetReason(tx, id)
    tokens.revoke(tx, id)
    claims.revokeAll(tx, id, isClosing ? workNamesOf(row) : [])
    return repository.update(tx, id, { hostKey: null, pid: null, processStarted: null })
  }

  #exited(row: SessionRow): ExitedSession {
    const { workload, questions } = this.peers
    return {
      state: row.state,
      reason: row.reason,
      origin: row.origin,
      wokeAt: row.wokeAt ?? 0,
      failures: row.failures,
      churn: row.churn,
      wakeRequested: row.wakeRequestedAt !== null,
      work: workload.assignedTo(workNamesOf(row)).flatMap(({ id, status }) => (status === 'open' ? [] : [id])),
      worked: row.worked,
      createdFor: row.work || undefined,
      leftUnclaimed: row.work !== null && workload.isUnassigned(row.work),
      fromScaleCheck: row.work === '',
      resumed: row.resumed,
      answered: this.context.clock.now() - questions.lastAnswered(row.id) < ANSWER_EFFECT,
      crashHoldUntil: this.peers.crashes.holdUntil(row.id),
      limitedUntil: this.peers.logins.roomAt(row),
    }
  }

  #countFailures(tx: Tx, row: SessionRow, outcome: ExitOutcome, exit: ProcessExit, reason: string): void {
    const { failures } = this.peers
    const why = outcome.blamedBeads.length > 0 ? this.#withRefusal(row, reason) : reason
    for (const bead of outcome.blamedBeads) {
      if (outcome.killed) failures.countKill(tx, bead, why)
      else failures.count(tx, 'bead', bead, why)
    }
    if (row.kind !== 'agent') return
    if (outcome.blamesAgent) failures.count(tx, 'agent', row.template, reason)
    else if (exit.how !== 'lost' && !exit.limit && exit.deadLogin === undefined && this.#hasStarted(row, outcome))
      failures.clear(tx, 'agent', row.template)
  }

  /** Adds the last denial of a session before the last line of its output, the only line that lists show. */
  #withRefusal(row: SessionRow, reason: string): string {
    const refusal = this.peers.refusals.sentence(row, reason)
    if (refusal === undefined) return reason
    const lines = reason.split('\n')
    return [...lines.slice(0, -1), `${refusal}; ${lines.at(-1)}`].join('\n')
  }

  /** True if a run shows that its agent's program can be started. */
  #hasStarted({ worked, wokeAt }: SessionRow, { killed }: ExitOutcome): boolean {
    return worked || (!killed && wokeAt !== null && this.context.clock.now() - wokeAt >= QUICK_EXIT)
  }

  #applyOutcome(tx: Tx, before: SessionRow, outcome: ExitOutcome): SessionRow {
    const { clock } = this.context
    const { repository } = this.peers
    const change: SessionChange = {
      reason: outcome.reason,
      failures: outcome.failures,
      churn: outcome.churn,
      retryAt: outcome.retryAt || null,
      quarantinedUntil: outcome.quarantinedUntil || null,
      busyUntil: null,
      ...(outcome.dropsConversation && { sessionKey: null }),
      ...(outcome.restart && { wakeRequestedAt: clock.now() }),
      ...(outcome.state === 'asleep' && { sleptAt: clock.now() }),
      ...(outcome.state === 'closed' && { closedAt: clock.now() }),
    }
    const command = outcome.state === before.state ? undefined : COMMANDS[outcome.state]
    if (!command) return repository.update(tx, before.id, change)
    return repository.transition(tx, before.id, command, change)
  }

  /** Completes what waited for a session that has come to rest. */
  #settle(tx: Tx, row: SessionRow, reason: string): void {
    const { delivery, createRequests, activity, repository, crashes, questions } = this.peers
    if (row.state === 'closed') {
      tx.after(() => crashes.forget(row.id))
      delivery.abandon(tx, row.id, reason)
      activity.forget(row.id)
      tx.after(() => questions.forget(row.id))
    }
    if (row.state === 'closed' || row.state === 'failed-create') createRequests.fail(tx, row.id, reason)
    if (row.state === 'failed-create' && row.alias) {
      repository.update(tx, row.id, { alias: null, aliasHistory: [...row.aliasHistory, row.alias] })
    }
  }

  #runDeathCommand(row: SessionRow): void {
    const { report } = this.context
    const { setup } = this.peers
    void setup
      .death(row)
      .then((failure) => failure && report(failure))
      .catch((error) => report(errorMessage(error)))
  }
}

const MEMORY_LACKS = {
  share: 'the system killed it because it used more memory than its share',
  machine: 'the system killed it because the machine had no memory left',
}

/** Exit of a session's process, as a sentence. */
function describeExit(exit: ProcessExit, { state, reason }: SessionRow, isOverdue: boolean): string {
  if (exit.deadLogin !== undefined) return `its login is not accepted: ${exit.deadLogin}`
  if (exit.limit) return `its usage limit is reached: ${exit.limit.text}`
  if (state === 'draining' && reason === 'no-wake-reason') {
    return `it claimed nothing ${isOverdue ? 'within its startup_timeout' : 'for a minute'} and was stopped`
  }
  if (state === 'draining') return `it was drained (${reason})`
  if (exit.how === 'lost') return 'its process was gone when the host was checked'
  if (exit.how === 'not-started') return 'its program could not be started'
  if (exit.memoryLack) return MEMORY_LACKS[exit.memoryLack]
  if (exit.signal !== undefined) return `its program was ended by ${exit.signal}`
  return exit.code === 0 ? 'its program exited' : `its program exited with code ${exit.code ?? 'unknown'}`
}
