import type { CommandExit, HostedCommand, HostedCommands } from '../../../agents/launch/index.ts'
import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { ProcessEnvironment, ProcessTokens } from '../../../http/process-tokens.ts'
import { orderActorName } from './labels.ts'
import type { OrderOutput, OrderRunRow, OrderRuns } from './order-runs.ts'
import type { Tracking, TrackingEnd } from './tracking.ts'

const RETRY_MS = 5_000
const ORDERS = gcPart('orders')

/**
 * Runs the commands of orders in the session host. A run has a row before it is started, and its key is started once: after
 * a crash of the supervisor one that runs is adopted, and its exit is reported until it is on disk. One whose host was lost
 * is interrupted, and not run again.
 */
export class ExecRunner {
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #slots = new RunSlots()
  readonly #timeouts = new Map<string, Deadline>()
  /** Runs that are being ended because their time is up. */
  readonly #timedOut = new Set<string>()
  /** Identities for starting runs of this process. */
  readonly #identities = new Map<string, ProcessEnvironment>()
  #unsubscribe: (() => void) | undefined
  /** True if what runs is matched with what is on record. */
  #isReady = false
  #isStopped = true

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      commands: HostedCommands
      tokens: ProcessTokens
      runs: OrderRuns
      tracking: Tracking
      /** The command of a run; throws why there is none. */
      commandOf(run: OrderRunRow, identity: ProcessEnvironment): HostedCommand
      /** A run is on disk as running. */
      onRunning(trackingId: string): void
    },
  ) {}

  /** Adopts running commands, and starts queued ones. */
  async start(): Promise<void> {
    const { runs, commands, tokens } = this.peers
    this.#isStopped = false
    for (const { kind, state, tokenHash, scopedName } of runs.live()) {
      if (kind === 'exec' && state === 'running' && tokenHash !== null)
        tokens.adopt(tokenHash, orderActorName(scopedName))
    }
    this.#unsubscribe = commands.onExit((exit) => this.#receive(exit))
    await this.#match()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#isReady = false
    this.#unsubscribe?.()
    for (const timeout of this.#timeouts.values()) timeout.cancel()
    await this.whenIdle()
  }

  /** Resolves when nothing is being started or recorded. */
  async whenIdle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay.values())
  }

  /** A token for a run that is about to begin: its hash belongs in the row. */
  issue(scopedName: string): { hash: string; identity: ProcessEnvironment } {
    const { hash, env } = this.peers.tokens.issue(orderActorName(scopedName))
    return { hash, identity: env }
  }

  /** Identity for starting a run that has begun. */
  identify(trackingId: string, identity: ProcessEnvironment): void {
    this.#identities.set(trackingId, identity)
  }

  /** Starts queued commands, oldest first, while slots are free. */
  wake(): void {
    if (!this.#isReady) return
    for (const lane of ['due', 'webhook'] as const) {
      if (this.#slots.free(lane) === 0) continue
      // Those that are being started are still among them.
      const enough = this.#slots.free(lane) + this.#slots.taken(lane) + this.#slots.taken('asked')
      for (const trackingId of this.peers.runs.starting(lane === 'webhook', enough)) {
        if (this.#slots.free(lane) > 0) this.startNow(trackingId)
      }
    }
  }

  /** Starts a run, whatever else runs; one that is being started continues. */
  startNow(trackingId: string): void {
    if (!this.#isReady || this.#slots.has(trackingId) || this.#underWay.has(trackingId)) return
    const run = this.peers.runs.find(trackingId)
    if (run?.state !== 'starting') return
    this.#slots.take(trackingId, laneOf(run.cause))
    this.#track(trackingId, this.#launch(run))
  }

  /** Adopts what the host runs, ends what no row knows, and takes down what no host runs any more. */
  async #match(): Promise<void> {
    const { report, deadlines } = this.context
    const { commands, runs } = this.peers
    try {
      const hosted = await commands.list()
      const live = runs.live().filter(({ kind }) => kind === 'exec')
      for (const run of live) {
        const process = hosted.get(run.trackingId)
        if (process) await this.#adopt(run, process)
        else if (run.state === 'running') await this.#end(run, lostEnd(this.context.clock.now()))
      }
      const known = new Set(live.map(({ trackingId }) => trackingId))
      await Promise.all([...hosted.keys()].filter((name) => !known.has(name)).map((name) => commands.end(name)))
      this.#isReady = !this.#isStopped
      this.wake()
    } catch (error) {
      report(`the commands of orders could not be matched with what runs: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => (this.#isStopped ? undefined : this.#match()))
    }
  }

  /** A run that its host knows; it may be over, and its exit on its way. */
  async #adopt(run: OrderRunRow, process: { pid: number; startedAt: string }): Promise<void> {
    const { tokens } = this.peers
    this.#slots.take(run.trackingId, laneOf(run.cause))
    if (run.tokenHash !== null) tokens.adopt(run.tokenHash, orderActorName(run.scopedName))
    if (run.state === 'starting') await this.#setRunning(run, process)
    this.#armTimeout(run, Date.parse(process.startedAt))
  }

  #track(trackingId: string, work: Promise<unknown>): void {
    const tracked: Promise<unknown> = work
      .catch((error) => this.context.report(`order run ${trackingId} failed: ${errorMessage(error)}`))
      .finally(() => {
        if (this.#underWay.get(trackingId) === tracked) this.#underWay.delete(trackingId)
      })
    this.#underWay.set(trackingId, tracked)
  }

  async #launch(run: OrderRunRow): Promise<void> {
    const { report, deadlines } = this.context
    const { commands, commandOf, runs } = this.peers
    try {
      const command = commandOf(run, await this.#identityOf(run))
      const process = await commands.start(run.trackingId, command)
      await this.#setRunning(run, process)
      if (runs.find(run.trackingId)?.state === 'running') this.#armTimeout(run, Date.parse(process.startedAt))
    } catch (error) {
      const isOurs =
        error instanceof AppError &&
        ['service-unavailable', 'store-unavailable', 'gateway-timeout'].includes(error.code)
      if (!isOurs) return this.#end(run, startError(error, this.context.clock.now()))
      this.#slots.release(run.trackingId)
      report(`order ${run.scopedName} could not be started; gc retries: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => this.wake())
    }
  }

  /** The token of a run that another process began is known by its hash only: it gets another. */
  async #identityOf(run: OrderRunRow): Promise<ProcessEnvironment> {
    const known = this.#identities.get(run.trackingId)
    if (known) return known
    const { store } = this.context
    const { tokens, runs } = this.peers
    const { hash, identity } = this.issue(run.scopedName)
    if (run.tokenHash !== null) tokens.end(run.tokenHash)
    await store.write((tx) => runs.setToken(tx, run.trackingId, hash), ORDERS)
    this.#identities.set(run.trackingId, identity)
    return identity
  }

  async #setRunning(run: OrderRunRow, { pid, startedAt }: { pid: number; startedAt: string }): Promise<void> {
    const running = { pid, processStarted: startedAt, startedAt: Date.parse(startedAt) }
    const { store } = this.context
    const { runs, onRunning } = this.peers
    await store.write((tx) => runs.setRunning(tx, run.trackingId, running), ORDERS)
    onRunning(run.trackingId)
  }

  #armTimeout({ trackingId, timeoutMs }: OrderRunRow, startedAt: number): void {
    const { clock, deadlines } = this.context
    const left = Math.min(timeoutMs, Math.max(0, startedAt + timeoutMs - clock.now()))
    this.#timeouts.get(trackingId)?.cancel()
    this.#timeouts.set(
      trackingId,
      deadlines.after(left, () => this.#timeOut(trackingId)),
    )
  }

  /** Ends the processes of a run; the result of that is reported as its exit. */
  #timeOut(trackingId: string): void {
    const { report, deadlines } = this.context
    const { commands } = this.peers
    this.#timedOut.add(trackingId)
    commands.end(trackingId).catch((error) => {
      report(`order run ${trackingId} could not be stopped: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => (this.#isStopped ? undefined : this.#timeOut(trackingId)))
    })
  }

  async #receive(exit: CommandExit): Promise<void> {
    await this.#underWay.get(exit.name)
    const run = this.peers.runs.find(exit.name)
    if (!run || run.state === 'done') return
    const isLate = exit.how === 'ended' && exit.endedAt - exit.startedAt >= run.timeoutMs
    const recorded = this.#end(run, execEnd(exit, this.#timedOut.has(exit.name) || isLate))
    this.#track(exit.name, recorded)
    await recorded
  }

  async #end(run: OrderRunRow, end: TrackingEnd): Promise<void> {
    const { store } = this.context
    const { tracking, tokens, runs } = this.peers
    const { trackingId } = run
    this.#timeouts.get(trackingId)?.cancel()
    this.#timeouts.delete(trackingId)
    const hash = runs.find(trackingId)?.tokenHash
    await store.write((tx) => tracking.end(tx, run, end), ORDERS)
    if (hash != null) tokens.end(hash)
    this.#identities.delete(trackingId)
    this.#timedOut.delete(trackingId)
    this.#slots.release(trackingId)
    this.#underWay.delete(trackingId)
    this.wake()
  }
}

const lostEnd = (now: number): TrackingEnd => ({
  ...{ outcome: 'failed', endedAt: now, labels: ['exec-failed'] },
  error: 'interrupted: its session host was lost',
})

function startError(error: unknown, now: number): TrackingEnd {
  const isEnvironment = error instanceof AppError && error.code === 'invalid-request'
  const labels = [isEnvironment ? 'exec-env-failed' : 'exec-failed'] as const
  return { outcome: 'failed', endedAt: now, error: errorMessage(error), labels }
}

const MAX_LINES = 20
const MAX_CHARACTERS = 2_000

/** Outcome of an order's command. */
function execEnd(exit: CommandExit, isTimedOut: boolean): TrackingEnd {
  const { exitCode = null, signal = null, startedAt, endedAt } = exit
  const output = exit.streams ?? { stdout: exit.output, stderr: '', truncated: true }
  const ended = { startedAt, endedAt, exitCode, signal, output }
  if (exit.how === 'exited' && exitCode === 0) return { ...ended, outcome: 'success', labels: ['exec'] }
  const error = `${reasonOf(exit, isTimedOut)}${tailOf(output)}`
  return { ...ended, outcome: 'failed', error, labels: ['exec-failed'] }
}

function reasonOf({ how, exitCode, signal }: CommandExit, isTimedOut: boolean): string {
  if (how === 'lost') return 'interrupted: its session host was lost'
  if (isTimedOut) return 'context deadline exceeded'
  if (how === 'ended') return 'interrupted: it was stopped with the sessions of the city'
  return signal === undefined ? `exit status ${exitCode}` : `signal: ${signal}`
}

/** The last lines of both streams, as the message of an event ends with them. */
function tailOf({ stdout, stderr }: Omit<OrderOutput, 'trackingId'>): string {
  const text = [stdout, stderr].map((stream) => stream.trimEnd()).filter((stream) => stream !== '')
  const tail = text.join('\n').split('\n').slice(-MAX_LINES).join('\n').slice(-MAX_CHARACTERS)
  return tail === '' ? '' : `; output: ${tail}`
}

/** Commands of orders by what began them; each lane has room of its own, so that none keeps another from running. */
type Lane = 'due' | 'webhook' | 'asked'

/** Number of commands of a lane that run at a time: a person who asks for one does not wait for others. */
const SLOTS: Readonly<Record<Lane, number>> = { due: 16, webhook: 8, asked: Number.POSITIVE_INFINITY }

function laneOf(cause: string): Lane {
  if (cause === 'run') return 'asked'
  return cause === 'webhook' ? 'webhook' : 'due'
}

/** Runs that start or run, and the remaining capacity. */
class RunSlots {
  readonly #lanes = new Map<string, Lane>()
  readonly #taken: Record<Lane, number> = { due: 0, webhook: 0, asked: 0 }

  has(trackingId: string): boolean {
    return this.#lanes.has(trackingId)
  }

  take(trackingId: string, lane: Lane): void {
    if (this.#lanes.has(trackingId)) return
    this.#lanes.set(trackingId, lane)
    this.#taken[lane]++
  }

  release(trackingId: string): void {
    const lane = this.#lanes.get(trackingId)
    if (lane === undefined) return
    this.#lanes.delete(trackingId)
    this.#taken[lane]--
  }

  free(lane: Lane): number {
    return Math.max(0, SLOTS[lane] - this.#taken[lane])
  }

  /** Number of runs of a lane that are being started or run. */
  taken(lane: Lane): number {
    return this.#taken[lane]
  }
}
