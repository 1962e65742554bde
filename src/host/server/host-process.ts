import { chmodSync } from 'node:fs'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Redactor } from '../../core/text/index.ts'
import type { Confiner } from '../confine/index.ts'
import type { Cgroups } from '../process/index.ts'
import { ProcessEnder, ProcessTable } from '../process/index.ts'
import type { Activity, HostPaths, HostStatus } from '../protocol/index.ts'
import { type ChannelData, createChannelHandler, type HostRequest, PROTOCOL } from '../protocol/index.ts'
import { Connection, WithPayload } from './connection.ts'
import { HostFiles } from './host-files.ts'
import { GRACE_MS, HostSessions } from './host-sessions.ts'
import { reclaim, reclaimOthers } from './reclaim.ts'
import type { HostSession } from './session-registry.ts'

export interface HostProcessOptions {
  place: HostPaths
  clock: Clock
  deadlines: Deadlines
  redactor: Redactor
  unattendedTimeout: number
  idleTimeout?: number
  cgroups: Cgroups
  confiner: Confiner
  report(sentence: string): void
}

/** Requests about the turns and questions of a session. */
type ConversationRequest = HostRequest<'prompt' | 'cancel' | 'mode' | 'answer' | 'questions' | 'choose'>

/** The process that owns the agents' terminals: it answers supervisors, and lives as long as there is a reason to. */
export class HostProcess {
  readonly #endings: ProcessEnder
  readonly #records: HostFiles
  readonly #sessions: HostSessions
  readonly #lifetime: HostLifetime
  readonly #activities: ActivityNotifier
  readonly #connections = new Set<Connection>()
  readonly #done = Promise.withResolvers<void>()
  readonly #startedAt: string
  #listener: { stop(closing?: boolean): void } | undefined
  #ending: Promise<void> | undefined

  private constructor(
    private readonly parts: HostProcessOptions,
    records: HostFiles,
  ) {
    this.#records = records
    this.#startedAt = toTimestamp(parts.clock.now())
    this.#endings = new ProcessEnder(new ProcessTable(), parts.deadlines)
    this.#activities = new ActivityNotifier(parts.deadlines, parts.clock, () => this.#greeted())
    this.#sessions = new HostSessions(
      { ...parts, build: parts.place.build, records, endings: this.#endings },
      {
        output: (session) => {
          this.#activities.touch(session)
          for (const connection of this.#connections) connection.output(session)
        },
        recordAppended: (queue) => {
          for (const connection of this.#connections) connection.onRecord(queue)
        },
        question: (key, question) => {
          for (const connection of this.#connections) connection.question(key, question)
        },
        exit: (exit) => {
          for (const connection of this.#greeted()) connection.exit(exit)
        },
        changed: () => this.#count(),
      },
    )
    parts.confiner.onHostPrompt((key, asked) => {
      for (const connection of this.#connections) connection.askedHost(key, asked)
    })
    this.#lifetime = new HostLifetime({ ...parts, unattended: () => this.#unattended(), idle: () => this.#idle() })
  }

  /** Ends what dead hosts of this home left running, then listens. The caller holds the place's lock. */
  static async open(parts: HostProcessOptions): Promise<HostProcess> {
    const records = new HostFiles(parts.place)
    records.open()
    const endings = new ProcessEnder(new ProcessTable(), parts.deadlines)
    await reclaim(records, records, endings, parts.clock)
    await reclaimOthers(parts.place, records, endings, parts.clock)
    const host = new HostProcess(parts, records)
    host.#listen()
    return host
  }

  /** Resolves when this host has nothing left to do and has let go of its socket. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  /** A drawing went wrong; the sessions continue. */
  onDrawingError(): void {
    this.#sessions.drawScheduler.skipFailed()
  }

  /** Ends every session, then this host. */
  shutdown(grace: number = GRACE_MS): Promise<void> {
    this.#ending ??= this.#sessions.endAll(grace, 'shutdown').finally(() => {
      this.#ending = undefined
    })
    return this.#ending.then(() => this.#leave())
  }

  #listen(): void {
    const socket = this.parts.place.claimSocket()
    this.#listener = Bun.listen<ChannelData>({
      unix: socket,
      socket: createChannelHandler(() => this.#arrived().channel),
    })
    chmodSync(socket, 0o600)
    this.#lifetime.sessions = this.#sessions.running
    this.#lifetime.open()
  }

  #arrived(): Connection {
    const connection = new Connection({
      hello: { protocol: PROTOCOL, build: this.parts.place.build, pid: process.pid },
      handle: (ask, payload, from) => this.#answer(ask, payload, from),
      onGreeted: (from) => {
        this.#count()
        for (const exit of this.#sessions.exits) from.exit(exit)
      },
      onClosed: (from) => {
        this.#connections.delete(from)
        this.#count()
      },
      report: this.parts.report,
    })
    this.#connections.add(connection)
    return connection
  }

  #answer(ask: HostRequest, payload: Uint8Array, from: Connection): unknown {
    const sessions = this.#sessions
    switch (ask.op) {
      case 'start':
        return sessions.start(ask.spec)
      case 'list':
        return { sessions: sessions.list() }
      case 'end':
        return sessions.end(ask.key, ask, 'ended')
      case 'endDaemons':
        return sessions.endDaemons(ask.daemons, ask.grace).then((survivors) => ({ survivors }))
      case 'listDaemons':
        return sessions.listDaemons().then((left) => ({ sessions: left }))
      case 'traffic':
        return { hosts: this.parts.confiner.traffic(ask.key) ?? [] }
      case 'askedHosts':
        from.sendAskedHosts()
        return { open: this.parts.confiner.asked }
      case 'answerHost':
        return { wasAsked: this.parts.confiner.answerHost(ask.key, ask) }
      case 'write':
        return sessions.registry.terminal(ask.key).write(payload)
      case 'resize':
        return sessions.registry.terminal(ask.key).resize(ask.cols, ask.rows)
      case 'signal':
        return sessions.registry.foreground(ask.key).signal(ask.signal)
      case 'screen':
        return sessions.screen(ask.key, ask.lines, ask.styles)
      case 'snapshot':
        return this.#snapshot(ask.key)
      case 'follow':
        return this.#follow(ask, from)
      case 'grant':
        return from.grant(ask.stream, ask.bytes)
      case 'unfollow':
        return from.unfollow(ask.stream)
      case 'acknowledge':
        return sessions.acknowledge(ask.run)
      case 'reclaim':
        return this.#reclaim()
      case 'retire':
        return this.#retire()
      case 'shutdown':
        return this.shutdown(ask.grace)
      case 'status':
        return this.#status()
      case 'records':
        return from.sendRecords(sessions.recordQueues.all)
      case 'kept':
        return sessions.recordQueues.acknowledge(ask.run, ask.seq)
      default:
        return this.#answerConversation(ask, from)
    }
  }

  #answerConversation(ask: ConversationRequest, from: Connection): unknown {
    const { registry } = this.#sessions
    switch (ask.op) {
      case 'prompt':
        return registry.agent(ask.key).prompt(ask.turn, ask.text)
      case 'cancel':
        return registry
          .agent(ask.key)
          .cancel()
          .then((ended) => ({ ended }))
      case 'mode':
        return registry.agent(ask.key).mode(ask.mode)
      case 'answer':
        return registry.agent(ask.key).answer(ask.request, ask.choice, ask.text)
      case 'questions':
        from.sendQuestions()
        return { open: registry.questions }
      case 'choose':
        return registry.latestTerminal(ask.key).choose(ask.question, ask.option, ask.text)
    }
  }

  async #snapshot(key: string): Promise<WithPayload> {
    const session = this.#sessions.registry.latestTerminal(key)
    const { ansi, ...rest } = await session.snapshot()
    return new WithPayload(rest, Buffer.from(ansi))
  }

  #follow({ key, stream, from, grant }: HostRequest<'follow'>, connection: Connection): { from: number } {
    const session = this.#sessions.registry.followed(key)
    return { from: connection.follow(session, stream, from, grant) }
  }

  async #reclaim(): Promise<void> {
    const { place, clock } = this.parts
    const exits = await reclaimOthers(place, this.#records, this.#endings, clock)
    for (const exit of exits) this.#sessions.adopt(exit)
    this.#sessions.recordQueues.restore()
  }

  #retire(): void {
    this.#sessions.close('this host belongs to an earlier build and takes no new sessions')
    this.#lifetime.retire()
  }

  #status(): HostStatus {
    return {
      build: this.parts.place.build,
      protocol: PROTOCOL,
      pid: process.pid,
      startedAt: this.#startedAt,
      sessions: this.#sessions.running,
      exits: this.#sessions.exits.length,
      memory: process.memoryUsage.rss(),
      retired: this.#lifetime.retired,
      noCgroup: this.parts.cgroups.reason ?? '',
      noShare: this.parts.cgroups.noShare ?? '',
    }
  }

  #greeted(): Connection[] {
    return [...this.#connections].filter((connection) => connection.greeted)
  }

  #count(): void {
    if (!this.#listener) return
    const unreported = this.#lifetime.retired ? this.#sessions.exits.length : 0
    this.#lifetime.sessions = this.#sessions.running + unreported
    this.#lifetime.supervisors = this.#greeted().length
  }

  #unattended(): void {
    this.parts.report('no supervisor has been here for too long: ending all sessions')
    this.#sessions.endAll(GRACE_MS, 'unattended').then(
      () => this.#leave(),
      (error) => {
        this.parts.report(`not all sessions could be ended: ${errorMessage(error)}`)
        this.parts.deadlines.after(60_000, () => this.#unattended())
      },
    )
  }

  #idle(): void {
    this.#sessions.close('this host is ending')
    this.#leave()
  }

  #leave(): void {
    this.#listener?.stop()
    // The response to the shutdown request is sent before the connection is closed.
    this.parts.deadlines.after(20, () => {
      for (const connection of [...this.#connections]) connection.bye()
      this.#done.resolve()
    })
  }
}

/** The shortest time between two notices of new output. */
const EVERY_MS = 100

/** Notifies supervisors of the sessions with new output, many in one frame. */
class ActivityNotifier {
  readonly #touched = new Set<HostSession>()
  #armed = false

  constructor(
    private readonly deadlines: Deadlines,
    private readonly clock: Clock,
    private readonly listeners: () => Connection[],
  ) {}

  touch(session: HostSession): void {
    this.#touched.add(session)
    if (this.#armed) return
    this.#armed = true
    setImmediate(() => this.#notify())
  }

  #notify(): void {
    if (this.#touched.size === 0) {
      this.#armed = false
      return
    }
    const sessions = [...this.#touched].map((session) => this.#activityOf(session))
    const sent = this.listeners().map((connection) => connection.activity(sessions))
    if (!sent.includes(false)) this.#touched.clear()
    this.deadlines.after(EVERY_MS, () => this.#notify())
  }

  #activityOf({ view }: HostSession): Activity {
    const { key, bytes, title } = view
    return { key, bytes, at: view.lastOutputAt ?? toTimestamp(this.clock.now()), ...(title !== undefined && { title }) }
  }
}

/** Time a host with nothing to do stays. */
const IDLE_MS = 10_000

interface HostLifetimeOptions {
  deadlines: Deadlines
  /** Time sessions run on while no supervisor is connected. */
  unattendedTimeout: number
  idleTimeout?: number
  /** No one has spoken to this host for that long while sessions ran. */
  unattended(): void
  /** There is nothing left to stay for. */
  idle(): void
}

/** True if anybody watches, and whether there is anything to watch. */
class HostLifetime {
  #supervisors = 0
  #sessions = 0
  #retired = false
  #waiting: Deadline | undefined
  #waitsFor: 'nothing' | 'supervisor' | 'work' = 'nothing'

  constructor(private readonly parts: HostLifetimeOptions) {}

  get retired(): boolean {
    return this.#retired
  }

  set supervisors(count: number) {
    this.#supervisors = count
    this.#decide()
  }

  /** Sessions that run, and for a retired host also the exits that no one has acknowledged. */
  set sessions(count: number) {
    this.#sessions = count
    this.#decide()
  }

  /** From now on this host stays only for what it has. */
  retire(): void {
    this.#retired = true
    this.#decide()
  }

  /** Starts counting; before, a host is busy with coming up. */
  open(): void {
    this.#waitsFor = 'nothing'
    this.#decide()
  }

  #decide(): void {
    const watched = this.#supervisors > 0
    if (this.#sessions > 0) this.#wait(watched ? 'nothing' : 'supervisor')
    else this.#wait(watched && !this.#retired ? 'nothing' : 'work')
  }

  #wait(waitsFor: 'nothing' | 'supervisor' | 'work'): void {
    if (waitsFor === this.#waitsFor) return
    this.#waiting?.cancel()
    this.#waitsFor = waitsFor
    const { deadlines, unattendedTimeout, idleTimeout = IDLE_MS, unattended, idle } = this.parts
    if (waitsFor === 'nothing') this.#waiting = undefined
    if (waitsFor === 'supervisor') this.#waiting = deadlines.after(unattendedTimeout, unattended)
    if (waitsFor === 'work') this.#waiting = deadlines.after(this.#retired ? 0 : idleTimeout, idle)
  }
}
