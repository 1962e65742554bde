import type { Accounts } from '../../../config/accounts/index.ts'
import type { AgentConfig } from '../../../config/agents/index.ts'
import { agentNamed } from '../../../config/city/index.ts'
import type { Config } from '../../../config/compose/index.ts'
import type { Suspensions } from '../../../config/suspensions/index.ts'
import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import { Emitted, type RecordedEvent } from '../../../core/events/index.ts'
import { isObject } from '../../../core/json.ts'
import { unsubscriber } from '../../../core/signal.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import type { HostedSession } from '../../../host/protocol/index.ts'
import { SessionStopped } from '../../../work/events.ts'
import { WorkKey } from '../../../work/metadata.ts'
import type { MessageQueue, SessionChange, SessionRepository, SessionRow } from '../../../work/sessions/index.ts'
import type { AgentCommands, SetupCommands } from '../../launch/index.ts'
import type { LoginLimits } from '../../limits/index.ts'
import type { ExitReceiver } from '../exit/exit-receiver.ts'
import type { LoginWatcher } from '../exit/login-watcher.ts'
import type { FailureCounts } from '../plan/failure-counts.ts'
import { IdleBackoff } from '../plan/idle-backoff.ts'
import { backoff } from '../plan/limits.ts'
import { plan } from '../plan/plan.ts'
import { ScaleChecks } from '../plan/scale-checks.ts'
import type { CitySnapshot, ReconcileAction } from '../plan/snapshot.ts'
import { SnapshotReader, type SnapshotReaderOptions } from '../plan/snapshot-reader.ts'
import type { SessionDrainer } from './drainer.ts'
import type { Parking } from './parking.ts'
import type { SessionProcesses } from './processes.ts'
import type { SessionCloser } from './session-closer.ts'
import type { SessionCreator } from './session-creator.ts'

interface ReconcilerOptions extends SnapshotReaderOptions, ActionExecutorOptions {
  city: string
  config: Pick<Config, 'current' | 'onChange'>
  suspensions: Pick<Suspensions, 'isSuspended' | 'isCitySuspended' | 'isAgentSuspended' | 'onChange'>
  host: SessionHost
  queue: MessageQueue
  setup: SetupCommands
  agentCommands: AgentCommands
  loginWatcher: LoginWatcher
  questionWatcher: { onOutput(session: string, key: string): void }
  limits: Pick<LoginLimits, 'onChange' | 'shift'>
  accounts: Accounts
  exitReceiver: Pick<ExitReceiver, 'start'>
  /** Recovers what a stop or a crash left before the first reconciliation, and ends after the last. */
  upkeep: { start(): Promise<void>; stop(): void }
}

/** `later` is for changes of a session that was started with many others, while most of those are still to begin. */
type Urgency = 'soon' | 'later'

/** Time between two reconciliations: at least the minimum, and longer when one takes the processor long. */
const MIN_INTERVAL = 50
const DURATION_FACTOR = 10
const MAX_INTERVAL = 500
const PATROL = 60_000
/** Starts that a plan contains beyond those that may be under way: each begins as soon as another has ended. */
const STARTS_AHEAD = 50
/** The next plan is made while more than so many starts of the last one are still to begin, so that they never run out. */
const MIN_STARTS_AHEAD = 15
/** Interval of checks for a program that is not installed. */
const MISSING_PROGRAM_RETRY = 30_000

/**
 * Keeps what runs in step with what is requested. It runs when something happened, when something is due, and once a
 * minute; `plan` decides what it does, and every action is known to have succeeded or failed.
 */
export class Reconciler {
  readonly #idleBackoff: IdleBackoff
  readonly #reader: SnapshotReader
  readonly #executor: ActionExecutor
  readonly #scaleChecks: ScaleChecks
  #unsubscribe = () => {}
  #running: Promise<void> | undefined
  /** Urgency of the reconciliation that follows the current one; undefined while nothing asks for one. */
  #again: Urgency | undefined
  #closed = true
  #lastRun = 0
  #interval = MIN_INTERVAL
  /** Milliseconds for which the current reconciliation has planned. */
  #planning = 0
  #next: { deadline: Deadline; at: number } | undefined
  #due: Deadline | undefined
  #patrol: Deadline | undefined
  #hostFailures = 0
  #shifting: Promise<void> = Promise.resolve()

  constructor(
    private readonly context: CityContext,
    private readonly options: ReconcilerOptions,
  ) {
    const { config, suspensions, agentCommands: commands } = options
    this.#scaleChecks = new ScaleChecks(context, {
      ...{ config, commands },
      isSuspended: (agent) =>
        suspensions.isCitySuspended(config.current) || suspensions.isAgentSuspended(config.current, agent),
      onChange: () => this.wake(),
    })
    this.#idleBackoff = new IdleBackoff(() => context.clock.now())
    this.#reader = new SnapshotReader(options, this.#idleBackoff, this.#scaleChecks)
    this.#executor = new ActionExecutor(context, options, (subject) => this.#onChange(subject))
  }

  /** Adopts what runs, and from now on reacts to whatever happens. */
  async start(): Promise<void> {
    const { log, deadlines } = this.context
    const { config, suspensions, host, repository, processes, budgets, limits, accounts } = this.options
    const { upkeep, exitReceiver } = this.options
    this.#closed = false
    await upkeep.start()
    this.#unsubscribe = unsubscriber(
      log.subscribe((event) => this.#onEvent(event)),
      config.onChange(() => {
        this.#idleBackoff.clear()
        this.#scaleChecks.start()
        this.#replan()
      }),
      suspensions.onChange(() => this.#replan()),
      budgets.onChange(() => this.#replan()),
      limits.onChange(() => this.#replan()),
      accounts.file.onChange(() => this.#replan()),
      repository.onChange((session) => this.#onChange(session)),
      processes.steps.onFree((session) => this.#onChange(session)),
      host.onLost(() => this.wake()),
      deadlines.onClockStep((shift) => this.#onClockShift(shift)),
      host.onOutput(undefined, (key, { at }) => this.#onOutput(key, at)),
    )
    exitReceiver.start()
    this.#schedulePatrol()
    await this.#matchFirst()
    for (const agent of config.current.agents) this.#runBootCommand(agent)
    this.#scaleChecks.start()
  }

  /** Reconciles soon; several calls are one run. */
  wake(urgency: Urgency = 'soon'): void {
    if (this.#closed) return
    if (this.#running) {
      if (this.#again !== 'soon') this.#again = urgency
      return
    }
    const { clock, deadlines } = this.context
    const now = clock.now()
    const interval = urgency === 'soon' ? this.#interval : MAX_INTERVAL
    const at = Math.max(now, Math.min(this.#lastRun, now) + interval)
    if (this.#next && this.#next.at <= at) return
    this.#next?.deadline.cancel()
    this.#next = { at, deadline: deadlines.after(at - now, () => this.#run()) }
  }

  /** Wakes for a change of a session. */
  #onChange(session: string | undefined): void {
    this.wake(session !== undefined && this.#executor.isOneOfMany(session) ? 'later' : 'soon')
  }

  /** Reconciles soon, and begins nothing before that. */
  #replan(): void {
    this.#executor.forgetWaiting()
    this.wake()
  }

  /** Reconciles now, and resolves when nothing is left to do. */
  async settle(): Promise<void> {
    this.#run()
    while (this.#running) {
      await this.#running
      await this.#executor.settled()
      await this.options.processes.steps.settled()
      if (this.#again || this.#next) this.#run()
    }
  }

  /** True if nothing happened since the last reconciliation that asks for another. */
  get isIdle(): boolean {
    return !this.#running && !this.#again && !this.#next && this.#hostFailures === 0
  }

  async stop(): Promise<void> {
    this.#closed = true
    this.#unsubscribe()
    this.#executor.forgetWaiting()
    for (const deadline of [this.#next?.deadline, this.#due, this.#patrol]) deadline?.cancel()
    this.options.setup.close()
    await this.#scaleChecks.close()
    await this.#running
    await this.#executor.settled()
    this.options.upkeep.stop()
  }

  /** Matches rows and processes before anything else happens; starts continue. */
  async #matchFirst(): Promise<void> {
    this.#run()
    await this.#running
    await this.#executor.matched()
  }

  #runBootCommand(agent: AgentConfig): void {
    const { report } = this.context
    const { setup } = this.options
    void setup
      .boot(agent)
      .then((failure) => failure && report(failure))
      .catch((error) => report(errorMessage(error)))
  }

  #onEvent(event: RecordedEvent): void {
    if (event[Emitted]) return
    const { type, session_id, payload } = event
    const row = type === SessionStopped.type && session_id ? this.options.repository.find(session_id) : undefined
    if (row) this.#idleBackoff.recordStop(row, String(Object(payload).reason))
    if (affectsSessions(event)) this.wake()
  }

  /** Corrects what was counted by the old clock before anything more is decided. */
  async #onClockShift(shift: number): Promise<void> {
    const { store, report } = this.context
    if (shift === 0) return
    this.#reader.resetQuietTimes()
    this.#idleBackoff.clear()
    this.#shifting = store
      .write((tx) => shiftDeadlines(tx, this.options, shift))
      .catch((error) => report(`sessions keep the times of the old clock: ${errorMessage(error)}`))
    await this.#shifting
    this.wake()
  }

  #run(): void {
    this.#next?.deadline.cancel()
    this.#next = undefined
    if (this.#closed || this.#running) return
    this.#again = undefined
    this.#planning = 0
    this.#running = this.#reconcile()
      .catch((error) => this.context.report(`sessions could not be reconciled: ${errorMessage(error)}`))
      .then(() => {
        this.#lastRun = this.context.clock.now()
        this.#interval = Math.min(Math.max(MIN_INTERVAL, DURATION_FACTOR * this.#planning), MAX_INTERVAL)
        this.#running = undefined
        if (this.#again) this.wake(this.#again)
      })
  }

  /** Plans and acts; the writes of a plan share a commit. */
  async #reconcile(): Promise<void> {
    const hosted = await this.#listHosted()
    const now = this.context.deadlines.now()
    await this.#shifting
    if (this.#closed) return
    const { actions, due, snapshot } = this.#plan(now, hosted)
    await Promise.all(actions.map((action) => this.#executor.execute(action)))
    this.#scheduleDue([due, missingProgramRetry(snapshot), this.options.workload.nextDeferred()])
  }

  #plan(now: number, hosted: HostedSession[] | undefined) {
    const { clock, store } = this.context
    const { config } = this.options
    const startedAt = clock.monotonic()
    const executor = this.#executor
    executor.forgetWaiting()
    const wakes = config.current.daemon.maxWakesPerTick - executor.starting + STARTS_AHEAD
    store.beginRead()
    const snapshot = this.#reader.read({ now, hosted, wakes, isBusy: (id) => executor.isBusy(id) })
    const planned = plan(snapshot)
    this.#planning += clock.monotonic() - startedAt
    return { ...planned, snapshot }
  }

  /** Sessions of this city on the host; undefined without a response, which is retried later. */
  async #listHosted(): Promise<HostedSession[] | undefined> {
    const { report, deadlines } = this.context
    const { host, city } = this.options
    try {
      const all = await host.list()
      this.#hostFailures = 0
      const own = all.filter(({ key }) => key.startsWith(`${city}/`) && !this.#executor.isEnding(key))
      this.#recordOutput(own)
      return own
    } catch (error) {
      this.#hostFailures++
      report(`the session host could not list its sessions: ${errorMessage(error)}`)
      deadlines.after(backoff(this.#hostFailures), () => this.wake())
      return undefined
    }
  }

  #scheduleDue(timestamps: readonly (number | undefined)[]): void {
    this.#due?.cancel()
    const due = Math.min(...timestamps.map((timestamp) => timestamp ?? Number.POSITIVE_INFINITY))
    if (due !== Number.POSITIVE_INFINITY) this.#due = this.context.deadlines.at(due, () => this.wake())
  }

  #schedulePatrol(): void {
    this.#patrol = this.context.deadlines.interval(PATROL, () => {
      this.wake()
      this.#schedulePatrol()
    })
  }

  #onOutput(key: string, at: string): void {
    const { city, activity, loginWatcher, questionWatcher } = this.options
    const id = key.startsWith(`${city}/`) ? key.split('/')[1] : undefined
    if (id === undefined) return
    activity.recordOutput(id, Date.parse(at))
    loginWatcher.onOutput(id)
    questionWatcher.onOutput(id, key)
  }

  /** Records when the listed processes last wrote something. */
  #recordOutput(hosted: readonly HostedSession[]): void {
    const { repository, activity } = this.options
    for (const { key, lastOutputAt } of hosted) {
      const id = key.split('/')[1]
      if (id === undefined || lastOutputAt === undefined || repository.find(id)?.hostKey !== key) continue
      activity.recordOutput(id, Date.parse(lastOutputAt))
    }
  }
}

/** Time of the next check for a missing program with waiting work. */
const missingProgramRetry = ({ agents, now }: CitySnapshot): number | undefined =>
  agents.some(({ problem, demand }) => problem !== undefined && demand.length > 0)
    ? now + MISSING_PROGRAM_RETRY
    : undefined

/**
 * True if an event may change what should be started or ended. Changes of sessions themselves are notified otherwise.
 */
function affectsSessions({ type, payload }: RecordedEvent): boolean {
  if (!type.startsWith('bead.')) return type === 'city.suspended' || type === 'city.resumed'
  const bead = isObject(payload) ? payload.bead : undefined
  if (!isObject(bead) || bead.issue_type === 'session') return false
  if (type !== 'bead.created' && type !== 'bead.updated') return true
  const metadata = isObject(bead.metadata) ? bead.metadata : {}
  return typeof bead.assignee === 'string' || typeof metadata[WorkKey.routedTo] === 'string'
}

interface ClockShiftOptions {
  repository: SessionRepository
  queue: Pick<MessageQueue, 'shift'>
  failures: Pick<FailureCounts, 'shift'>
  limits: Pick<LoginLimits, 'shift'>
}

/**
 * The clock was changed, or the machine slept: running terms get their full length again, and no wait gets longer than
 * it was. `shift` is how far the wall clock moved against the monotonic one, in milliseconds.
 */
function shiftDeadlines(tx: Tx, { repository, queue, failures, limits }: ClockShiftOptions, shift: number): void {
  for (const row of repository.live()) {
    const change = shiftedTimes(row, shift)
    if (Object.keys(change).length > 0) repository.update(tx, row.id, change)
  }
  queue.shift(tx, shift)
  if (shift < 0) failures.shift(tx, shift)
  limits.shift(tx, shift)
}

const shiftedTimes = (
  { state, drainAt, busyUntil, retryAt, quarantinedUntil }: SessionRow,
  shift: number,
): SessionChange => ({
  ...(state === 'draining' && drainAt !== null && { drainAt: drainAt + shift }),
  ...(busyUntil !== null && { busyUntil: busyUntil + shift }),
  ...(retryAt !== null && shift < 0 && { retryAt: retryAt + shift }),
  ...(quarantinedUntil !== null && shift < 0 && { quarantinedUntil: quarantinedUntil + shift }),
})

interface ActionExecutorOptions {
  config: Pick<Config, 'current'>
  repository: SessionRepository
  drainer: Pick<SessionDrainer, 'drain' | 'undrain'>
  creator: SessionCreator
  closer: SessionCloser
  processes: SessionProcesses
  parking: Pick<Parking, 'park'>
}

/** Actions that only write rows. */
type WriteAction = Extract<ReconcileAction, { do: 'create' | 'release' | 'close' | 'park' }>

/** Executes planned actions. A session is busy until its action is done, and for a while after one that failed. */
class ActionExecutor {
  readonly #running = new Map<string, Promise<void>>()
  readonly #matching = new Set<Promise<void>>()
  /** Failed actions by subject, with the end of their backoff by the monotonic clock. */
  readonly #failures = new Map<string, { count: number; until: number }>()
  /** Sessions to start once others have started, in order. */
  #waiting: string[] = []
  /** Sessions that were created or started since there was last no start under way. */
  readonly #startedTogether = new Set<string>()
  #starting = 0
  /** Number of the plan that is executed. */
  #plan = 0

  constructor(
    private readonly context: CityContext,
    private readonly options: ActionExecutorOptions,
    /** Called after an action with what it was about, and when a failed one may be tried again. */
    private readonly onDone: (subject?: string) => void,
  ) {}

  /** Number of starts whose program does not run yet. */
  get starting(): number {
    return this.#starting
  }

  /** Forgets the starts that have not begun; the next plan contains those that are still wanted. */
  forgetWaiting(): void {
    this.#waiting = []
    this.#plan++
  }

  /** True if a session is one of many that are started now, most of which are still to begin. */
  isOneOfMany(session: string): boolean {
    return this.#waiting.length > MIN_STARTS_AHEAD && this.#startedTogether.has(session)
  }

  isBusy(id: string): boolean {
    return this.options.processes.steps.isBusy(id) || this.#running.has(id) || this.#isBackingOff(id)
  }

  /** True if an unknown process is being ended, or could not be ended just now. */
  isEnding(key: string): boolean {
    return this.#running.has(key) || this.#isBackingOff(key)
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /** Resolves when rows and processes that did not agree have been matched. */
  async matched(): Promise<void> {
    await Promise.all(this.#matching)
  }

  /** Begins an action; one that only writes rows is done when this resolves. */
  async execute(action: ReconcileAction): Promise<void> {
    const { processes, drainer } = this.options
    switch (action.do) {
      case 'start':
        return this.#startLater(action.session)
      case 'adopt':
        return this.#begin(action.session, () => processes.adopt(action.session, action), true)
      case 'end':
        return this.#begin(action.session ?? action.key, () => processes.end(action.key, action.session))
      case 'drain':
        return this.#begin(action.session, () => drainer.drain(action.session, action.reason))
      case 'undrain':
        return this.#begin(action.session, () => drainer.undrain(action.session))
      case 'refresh':
        return this.#begin(action.session, () => processes.refresh(action.session))
      case 'record-exit':
        return this.#begin(action.session, () => processes.recordExit(action.session, action.key, action.exit), true)
      default:
        return this.#write(action)
    }
  }

  #startLater(id: string): void {
    this.#waiting.push(id)
    this.#startWaiting()
  }

  #startWaiting(): void {
    const { config, repository } = this.options
    while (this.#starting < config.current.daemon.maxWakesPerTick) {
      const id = this.#waiting.shift()
      if (id === undefined) return
      const row = repository.find(id)
      if (!row || !isStopped(row) || this.isBusy(id)) continue
      this.#starting++
      this.#begin(id, () => this.#start(id))
    }
  }

  /** The next start begins when the program of this one runs: only the record of it is still to be written then. */
  async #start(id: string): Promise<void> {
    const { processes, repository } = this.options
    let isUnderWay = true
    const startNext = () => {
      if (isUnderWay) this.#starting--
      isUnderWay = false
      this.#startWaiting()
      if (this.#starting === 0) this.#startedTogether.clear()
    }
    this.#startedTogether.add(id)
    try {
      await processes.start(id, startNext)
    } finally {
      // The next start may fail for the same reason, so a new plan decides about it.
      if (repository.find(id)?.state !== 'active') this.forgetWaiting()
      startNext()
    }
  }

  /** A session that was created is started by the same plan. */
  async #write(action: WriteAction): Promise<void> {
    const subject = subjectOf(action)
    if (this.#isBackingOff(subject)) return
    const { store } = this.context
    const plan = this.#plan
    let created: string | undefined
    const write = (tx: Tx) => {
      created = this.#record(tx, action)
    }
    const succeeded = await this.#attempt(subject, () => store.write(write, gcPart('reconciler')))
    if (succeeded && created !== undefined && plan === this.#plan) this.#startLater(created)
  }

  /** Returns the session that was created, if one was. */
  #record(tx: Tx, action: WriteAction): string | undefined {
    const { repository, closer, parking } = this.options
    if (action.do === 'create') return this.#create(tx, action)
    if (action.do === 'release') repository.transition(tx, action.session, 'release', { quarantinedUntil: null })
    if (action.do === 'close') closer.close(tx, action.session, action.reason)
    if (action.do === 'park') parking.park(tx, action)
    return undefined
  }

  #create(tx: Tx, { agent: name, slot, named, work }: Extract<ReconcileAction, { do: 'create' }>): string | undefined {
    const { config, creator } = this.options
    const identity = config.current.namedSessions.find(({ qualified }) => qualified === named)
    const agent = agentNamed(config.current, name)
    let row: SessionRow | undefined
    if (identity) row = creator.createNamed(tx, identity)
    else if (agent && slot !== undefined) row = creator.createPooled(tx, agent, slot, work)
    if (row) this.#startedTogether.add(row.id)
    return row?.id
  }

  #begin(subject: string, action: () => Promise<unknown>, isMatching = false): void {
    const running = this.#attempt(subject, action).then((succeeded) => {
      this.#running.delete(subject)
      this.#matching.delete(running)
      if (succeeded) this.onDone(subject)
    })
    this.#running.set(subject, running)
    if (isMatching) this.#matching.add(running)
  }

  async #attempt(subject: string, action: () => Promise<unknown>): Promise<boolean> {
    const { clock, deadlines, report } = this.context
    try {
      await action()
      this.#failures.delete(subject)
      return true
    } catch (error) {
      const count = (this.#failures.get(subject)?.count ?? 0) + 1
      const delay = backoff(count)
      this.#failures.set(subject, { count, until: clock.monotonic() + delay })
      report(`${subject}: ${errorMessage(error)}`)
      deadlines.after(delay, () => this.onDone())
      return false
    }
  }

  #isBackingOff(subject: string): boolean {
    return (this.#failures.get(subject)?.until ?? 0) > this.context.clock.monotonic()
  }
}

/** The key under which a failed action backs off. */
function subjectOf(action: WriteAction): string {
  if (action.do === 'create') return `create ${action.named ?? action.agent}`
  return action.do === 'park' ? `park ${action.bead}` : action.session
}

const isStopped = ({ state, hostKey }: Pick<SessionRow, 'state' | 'hostKey'>): boolean =>
  hostKey === null && (state === 'start-pending' || state === 'asleep')
