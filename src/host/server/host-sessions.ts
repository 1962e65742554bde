import { randomUUID } from 'node:crypto'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Redactor } from '../../core/text/index.ts'
import { RecordQueue } from '../acp/index.ts'
import { CommandSession } from '../command/index.ts'
import type { Confiner, SessionOrigin, SessionParts } from '../confine/index.ts'
import type { Cgroup, Cgroups, MemoryShortage, ProcessEnder, ProcessSummary } from '../process/index.ts'
import { marksOf, SessionShare } from '../process/index.ts'
import type {
  EndOptions,
  EndReason,
  Exit,
  HostedSession,
  Question,
  Screen,
  StartResult,
  StartSpec,
} from '../protocol/index.ts'
import { SESSION_CONFLICT } from '../protocol/index.ts'
import { DrawScheduler } from './draw-scheduler.ts'
import { type HostFiles, MAX_EXITS, type SessionRecord } from './host-files.ts'
import { type HostSession, type HostSessionsListener, type SessionEvents, SessionRegistry } from './session-registry.ts'
import { TerminalSession } from './terminal-session.ts'

export const GRACE_MS = 5_000
/** Those left behind by a program that ended automatically have lost what they worked for. */
const LEFTOVER_GRACE_MS = 2_000
/** Time the last output is read while a daemon still holds the terminal. */
const LAST_OUTPUT_MS = 300
const RETRY_MS = 5_000

export interface HostSessionsOptions {
  /** The version that agents are given for this program. */
  build: string
  clock: Clock
  deadlines: Deadlines
  redactor: Redactor
  records: HostFiles
  endings: ProcessEnder
  cgroups: Cgroups
  confiner: Confiner
  report(sentence: string): void
}

interface RunningEnding {
  grace: number
  reason: EndReason
  done: Promise<Exit>
}

/** The sessions of one host, those that run and those whose exit no one has acknowledged. */
export class HostSessions {
  readonly drawScheduler = new DrawScheduler()
  readonly recordQueues: RecordQueues
  readonly registry = new SessionRegistry()
  readonly #exits = new Map<string, Exit>()
  readonly #endings = new Map<string, RunningEnding>()
  readonly #groups: SessionGroups
  #closed: string | undefined

  constructor(
    private readonly parts: HostSessionsOptions,
    private readonly events: HostSessionsListener,
  ) {
    this.#groups = new SessionGroups(parts.cgroups, parts.report)
    this.recordQueues = new RecordQueues(parts, (queue) => events.recordAppended(queue))
    for (const exit of parts.records.exits()) this.#exits.set(exit.run, exit)
  }

  get running(): number {
    return this.registry.running
  }

  get exits(): Exit[] {
    return [...this.#exits.values()]
  }

  /** Takes no more sessions, for this reason. */
  close(reason: string): void {
    this.#closed ??= reason
  }

  /** Starts a program; one that is spoken to by protocol is started once it has opened a conversation. */
  async start(spec: StartSpec): Promise<StartResult> {
    if (spec.kind === 'acp') return this.#startAgent(spec)
    const { pid, startedAt } =
      spec.kind === 'command' ? this.#start(spec, CommandSession) : this.#start(spec, TerminalSession)
    return { pid, startedAt }
  }

  async #startAgent(spec: StartSpec): Promise<StartResult> {
    const { AgentSession } = await import('../acp/agent-session.ts')
    const session = this.#start(spec, AgentSession)
    try {
      const { resumed } = await session.ready()
      return { pid: session.pid, startedAt: session.startedAt, resumed }
    } catch (error) {
      await this.#end(session, LEFTOVER_GRACE_MS, 'exited').catch(() => {})
      throw error
    }
  }

  #start<Session extends HostSession>(spec: StartSpec, kind: SessionConstructor<Session>): Session {
    if (this.#closed) throw new AppError('service-unavailable', this.#closed)
    if (this.registry.runs(spec.key)) throw new AppError(SESSION_CONFLICT, `${spec.key} runs already`)
    const run = randomUUID()
    const marks = marksOf(spec.env)
    const path = this.parts.cgroups.pathOf(run)
    const startedAt = toTimestamp(this.parts.clock.now())
    const record = { run, key: spec.key, startedAt, marks, ...(path !== undefined && { cgroup: path }) }
    this.#record(record)
    const session = this.#spawn(run, spec, { marks, ...this.#groups.open(run, spec) }, kind)
    this.registry.add(session)
    try {
      this.#record({ ...record, pid: session.pid, started: session.origins[0]?.started ?? '' })
    } catch (error) {
      this.#begin(session, 0, 'ended').catch(() => {})
      throw error
    }
    this.events.changed()
    return session
  }

  list(): HostedSession[] {
    const running = this.registry.all.map(
      (session): HostedSession => ({
        ...session.view,
        state: 'running',
        ...this.#groups.shareOf(session),
        ...(this.#endings.has(session.run) && { ending: true }),
      }),
    )
    return [...running, ...this.exits.map((exit) => toHostedSession(exit, this.registry.ended(exit.run)))]
  }

  async screen(key: string, lines: number | undefined, styles = false): Promise<Screen> {
    const session = this.registry.latest(key)
    if (session) return session.screen(lines, styles)
    const exit = this.#exitOf(key)
    if (!exit) throw new AppError('session-not-found', `no session ${key} runs here`)
    return screenOfExit(exit, lines)
  }

  /** Ends a session's whole tree. Asked again with less grace, it ends sooner. */
  async end(key: string, { grace = GRACE_MS, daemons = false }: EndOptions, reason: EndReason): Promise<Exit> {
    const session = this.registry.find(key)
    const exit = session ? await this.#end(session, grace, reason) : this.#exitOf(key)
    if (!exit) throw new AppError('session-not-found', `no session ${key} runs here`)
    if (!daemons || exit.daemons.length === 0) return exit
    const left = await this.parts.endings.endSeen(exit.daemons, grace)
    return this.#keep({ ...exit, daemons: left })
  }

  endDaemons(daemons: readonly ProcessSummary[], grace: number = GRACE_MS): Promise<ProcessSummary[]> {
    return this.parts.endings.endSeen(daemons, grace)
  }

  /** Daemons that left each running session, for sessions with any. */
  async listDaemons(): Promise<{ key: string; daemons: ProcessSummary[] }[]> {
    const sessions = this.registry.all.filter(
      ({ kind, origins }) => kind !== 'command' && origins.some(({ marks }) => marks.length > 0),
    )
    const daemons = await this.parts.endings.daemonsOf(sessions.map(({ origins }) => origins))
    return sessions.flatMap(({ key }, n) => (daemons[n]?.length ? [{ key, daemons: daemons[n] }] : []))
  }

  /** Ends all of them together; throws when one survived. */
  async endAll(grace: number, reason: EndReason): Promise<void> {
    this.close('this host is ending')
    const ended = await Promise.allSettled(this.registry.all.map(({ key }) => this.end(key, { grace }, reason)))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  /** Keeps the exit of a session that another host ran. */
  adopt(exit: Exit): void {
    this.#exits.set(exit.run, exit)
    this.events.exit(exit)
  }

  /** Forgets an exit that the supervisor has kept. */
  acknowledge(run: string): void {
    this.#exits.delete(run)
    this.registry.forget(run)
    this.parts.records.dropExit(run)
    this.events.changed()
  }

  #spawn<Session extends HostSession>(
    run: string,
    spec: StartSpec,
    origin: SessionOrigin,
    kind: SessionConstructor<Session>,
  ): Session {
    const events = {
      output: (from: HostSession) => this.events.output(from),
      exited: (from: HostSession) => this.#exited(from),
      appended: (queue: RecordQueue) => this.recordQueues.onAppended(queue),
      question: (from: HostSession, question: Question | undefined) => this.events.question(from.key, question),
    }
    try {
      return new kind(run, spec, { ...this.parts, drawScheduler: this.drawScheduler, ...origin }, events)
    } catch (error) {
      this.#groups.discard(run)
      this.parts.confiner.release(spec.key)
      this.parts.records.drop(run)
      throw error
    }
  }

  #record(record: SessionRecord): void {
    try {
      this.parts.records.keep(record)
    } catch (error) {
      const why = `${record.key} could not be put on record, so it was not started: ${errorMessage(error)}`
      throw new AppError('service-unavailable', why)
    }
  }

  #exitOf(key: string): Exit | undefined {
    return this.exits.findLast((exit) => exit.key === key)
  }

  async #end(session: HostSession, grace: number, reason: EndReason): Promise<Exit> {
    const under = this.#endings.get(session.run)
    if (under && grace >= under.grace) return under.done
    if (under) await this.parts.endings.end(session.origins, { grace, daemons: false })
    return under?.done ?? this.#begin(session, grace, reason)
  }

  #begin(session: HostSession, grace: number, reason: EndReason): Promise<Exit> {
    const done = this.#finish(session, grace, reason)
    this.#endings.set(session.run, { grace, reason, done })
    done
      .catch((error) => {
        this.parts.report(`${session.key} could not be stopped: ${errorMessage(error)}`)
        if (session.exitStatus) this.parts.deadlines.after(RETRY_MS, () => this.#exited(session))
      })
      .finally(() => this.#endings.delete(session.run))
    return done
  }

  /** Its first process is over automatically: what it left in its terminal goes as well. */
  #exited(session: HostSession): void {
    if (this.#endings.has(session.run) || this.registry.find(session.key) !== session) return
    this.#begin(session, LEFTOVER_GRACE_MS, 'exited').catch(() => {
      // Reported, and tried again.
    })
  }

  async #finish(session: HostSession, grace: number, reason: EndReason): Promise<Exit> {
    const options = { grace, daemons: session.kind === 'command' }
    const memoryLack = this.#groups.memoryLackOf(session)
    const { daemons, survivors } = await this.parts.endings.end(session.origins, options)
    if (survivors.length > 0) throw survivorsError(session.key, survivors)
    await session.finish(LAST_OUTPUT_MS)
    const { lines } = await session.screen(Number.MAX_SAFE_INTEGER)
    const { key, run, pid, startedAt } = session
    const traffic = this.parts.confiner.release(key)
    const exit: Exit = {
      ...{ key, run, pid, startedAt, state: 'exited', endedAt: toTimestamp(this.parts.clock.now()), reason },
      ...session.exitStatus,
      ...(memoryLack && { memoryLack }),
      lastOutput: lastLines(lines),
      ...(session.kind === 'command' && session.streams && { streams: session.streams }),
      ...{ daemons, ...(traffic && { traffic }) },
    }
    this.#groups.forget(run)
    this.registry.moveToEnded(session)
    if (session.kind === 'acp') this.recordQueues.close(session.records)
    this.#keep(exit)
    this.parts.records.drop(run)
    this.events.exit(exit)
    this.events.output(session)
    this.events.changed()
    return exit
  }

  /** A full disk must not keep an exit from being reported. */
  #write(exit: Exit): void {
    try {
      this.parts.records.keepExit(exit)
    } catch (error) {
      this.parts.report(`the exit of ${exit.key} could not be written: ${errorMessage(error)}`)
    }
  }

  #keep(exit: Exit): Exit {
    this.#exits.set(exit.run, exit)
    this.#write(exit)
    for (const run of [...this.#exits.keys()].slice(0, -MAX_EXITS)) this.acknowledge(run)
    return exit
  }
}

type SessionConstructor<Session extends HostSession> = new (
  run: string,
  spec: StartSpec,
  parts: HostSessionsOptions & SessionOrigin & { drawScheduler: DrawScheduler },
  events: SessionEvents,
) => Session

const LAST_OUTPUT_BYTES = 16 << 10

/** A session that is over, as it is listed. */
function toHostedSession(exit: Exit, session: HostSession | undefined): HostedSession {
  const { lastOutput: _lines, streams: _streams, daemons: _daemons, endedAt: _at, ...fields } = exit
  const nothing = { kind: 'terminal' as const, cols: 0, rows: 0, bytes: 0, oldest: 0, unseen: 0 }
  return { ...nothing, ...session?.view, ...fields }
}

/** The last output of a session that is over stands for its screen. */
function screenOfExit({ lastOutput }: Exit, lines = lastOutput.length): Screen {
  const blank = { cursor: { x: 0, y: 0 }, title: '', alternate: false, bracketedPaste: false }
  return { lines: lastOutput.slice(-lines), ...blank, cols: 0, rows: 0, offset: 0 }
}

/** Says which processes of a session are still there although they were killed. */
function survivorsError(key: string, survivors: readonly ProcessSummary[]): AppError {
  const named = survivors.map(({ pid, command }) => `${pid} (${command})`).join(', ')
  return new AppError('gateway-timeout', `${key} could not be stopped: ${named} survived KILL`)
}

/** The last lines that fit. */
function lastLines(lines: readonly string[]): string[] {
  let room = LAST_OUTPUT_BYTES
  const from = lines.findLastIndex((line) => {
    room -= Buffer.byteLength(line) + 1
    return room < 0
  })
  return lines.slice(from + 1)
}

/** The code with which a shell exits whose program was killed. */
const KILLED_CODE = 137

/** Groups that hold running sessions together and to their shares. */
class SessionGroups {
  readonly #groups = new Map<string, { cgroup: Cgroup | undefined; share: SessionShare }>()

  constructor(
    private readonly cgroups: Cgroups,
    private readonly report: (sentence: string) => void,
  ) {}

  /** Group in which a run of a session starts. */
  open(run: string, { confine }: StartSpec): Pick<SessionParts, 'cgroup' | 'yields'> {
    const cgroup = this.cgroups.create(run)
    const share = SessionShare.of(confine?.share ?? {}, cgroup, this.report)
    this.#groups.set(run, { cgroup, share })
    return { cgroup, yields: share.yields }
  }

  shareOf({ run }: HostSession): Pick<HostedSession, 'share'> {
    const share = this.#groups.get(run)?.share.view ?? []
    return share.length > 0 ? { share } : {}
  }

  /**
   * Reason its first process was killed for want of memory, if it was: its group, which knows, goes with the session.
   */
  memoryLackOf({ run, exitStatus }: HostSession): MemoryShortage | undefined {
    const wasKilled = exitStatus?.signal === 'SIGKILL' || exitStatus?.exitCode === KILLED_CODE
    return wasKilled ? this.#groups.get(run)?.cgroup?.memoryLack : undefined
  }

  /** A run was not started after all. */
  discard(run: string): void {
    this.#groups.get(run)?.cgroup?.remove()
    this.forget(run)
  }

  /** A run is over. */
  forget(run: string): void {
    this.#groups.delete(run)
  }
}

/** Maximum ended runs whose unacknowledged records are kept. */
const MAX_ENDED_RUNS = 200

/** The records of a host's agents that no supervisor has acknowledged; they are on disk as well. */
class RecordQueues {
  readonly #running = new Map<string, RecordQueue>()
  readonly #ended = new Map<string, RecordQueue>()

  constructor(
    private readonly dependencies: {
      clock: Clock
      redactor: Redactor
      records: HostFiles
      report(sentence: string): void
    },
    private readonly appended: (queue: RecordQueue) => void,
  ) {
    this.restore()
  }

  get all(): RecordQueue[] {
    return [...this.#ended.values(), ...this.#running.values()]
  }

  /** Restores the queues that earlier hosts left. */
  restore(): void {
    const { records, clock, redactor, report } = this.dependencies
    const runs = new Set([...this.#ended.keys(), ...this.#running.keys()])
    for (const { run, key, entries } of records.unacknowledged(runs)) {
      const queue = RecordQueue.restored(key, run, entries, clock, redactor, records.recordFile({ run, key }, report))
      this.#ended.set(run, queue)
      this.appended(queue)
    }
  }

  /** A running agent has produced a record. */
  onAppended(queue: RecordQueue): void {
    this.#running.set(queue.run, queue)
    this.appended(queue)
  }

  acknowledge(run: string, seq: number): void {
    const queue = this.#running.get(run) ?? this.#ended.get(run)
    queue?.acknowledge(seq)
    if (queue?.isEmpty) this.#ended.delete(run)
  }

  /** A run is over: its unacknowledged records are sent until they are acknowledged. */
  close(queue: RecordQueue): void {
    const { run } = queue
    this.#running.delete(run)
    if (queue.isEmpty) {
      queue.discard()
      return
    }
    queue.close()
    this.#ended.set(run, queue)
    for (const old of [...this.#ended.keys()].slice(0, -MAX_ENDED_RUNS)) this.#forget(old)
  }

  #forget(run: string): void {
    const queue = this.#ended.get(run)
    this.dependencies.report(`the last records of ${queue?.key} were never acknowledged and are dropped`)
    this.#ended.delete(run)
    queue?.discard()
  }
}
