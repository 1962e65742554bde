import { dirname, join } from 'node:path'
import type { HostedCommands } from '../../../agents/launch/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import type { Suspensions } from '../../../config/suspensions/index.ts'
import { type Actor, gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { Reactions } from '../../../core/events/index.ts'
import { Signal, unsubscriber } from '../../../core/signal.ts'
import { query, stablePlan, type Tx } from '../../../core/store/index.ts'
import type { ProcessEnvironment, ProcessTokens } from '../../../http/process-tokens.ts'
import type { BeadRepository } from '../../../work/beads/index.ts'
import type { Instantiator, LauncherOptions } from '../../runs/index.ts'
import type { Order } from '../order.ts'
import type { OrderLibrary } from '../order-library.ts'
import type { OrderApproval } from './approval.ts'
import { Conditions } from './conditions.ts'
import { formatElapsed } from './elapsed.ts'
import { EventTriggers } from './event-triggers.ts'
import { ExecRunner } from './exec-runner.ts'
import { FormulaRunner } from './formula-runner.ts'
import { TRACKING_LABEL } from './labels.ts'
import { type OrderRunRow, OrderRuns } from './order-runs.ts'
import type { DispatchRequest, OrderCheck, OrderProgress } from './request.ts'
import { checkArguments, Starter } from './starter.ts'
import { Tracking } from './tracking.ts'
import { TriggerStates } from './trigger-states.ts'
import { Triggers } from './triggers.ts'

export type { DispatchRequest, OrderCause, OrderCheck, OrderProgress } from './request.ts'

export interface OrderDispatcherOptions extends LauncherOptions {
  reactions: Reactions
  beadRepository: BeadRepository
  instantiator: Instantiator
  config: { readonly current: CityConfig }
  suspensions: Suspensions
  orderLibrary: OrderLibrary
  orderApproval: OrderApproval
  processTokens: ProcessTokens
  /** The commands of orders, and the checks of their conditions, in the session host. */
  commands: { readonly orders: HostedCommands; readonly conditions: HostedCommands }
  /** Environment of every command of the city. */
  environment(): Record<string, string>
}

/** Maximum bytes kept of each stream of a command. */
const KEPT_BYTES = 64 * 1024

/** Runs the orders of a city: when they are due, and when somebody asks. */
export class OrderDispatcher {
  readonly runs: OrderRuns
  readonly #starter: Starter
  readonly #execRunner: ExecRunner
  readonly #formulaRunner: FormulaRunner
  readonly #conditions: Conditions
  readonly #events: EventTriggers
  readonly #triggers: Triggers
  readonly #watch: RunWatch
  readonly #sweep: Sweep
  #unsubscribe = () => {}

  constructor(
    private readonly context: CityContext,
    private readonly options: OrderDispatcherOptions,
  ) {
    const { store } = context
    const { processTokens: tokens, commands, orderLibrary: library, config } = options
    const runs = new OrderRuns(store)
    const states = new TriggerStates(store)
    const holdOf = (order: Order) => this.holdOf(order)
    const look = (scopedName: string) => this.#triggers.look(scopedName)
    const tracking = new Tracking(context, {
      ...{ ...options, runs, states },
      onBegun: (run) => this.#onBegun(run),
      onEnded: (run) => this.#onEnded(run),
    })
    this.runs = runs
    this.#execRunner = new ExecRunner(context, {
      ...{ ...options, commands: commands.orders, tokens, runs, tracking },
      commandOf: ({ scopedName, vars }, identity) => this.#commandOf(scopedName, vars, identity),
      onRunning: (trackingId) => this.#watch.emitChange(trackingId),
    })
    this.#formulaRunner = new FormulaRunner(context, {
      ...{ ...options, orderRuns: runs, tracking },
      findOrder: (scopedName) => library.find(scopedName),
    })
    this.#conditions = new Conditions(context, {
      ...{ ...options, commands: commands.conditions, tokens },
      commandOf: (order, check, identity) => this.#shellCommand(order, check, {}, identity),
    })
    this.#starter = new Starter(context, { ...options, runs, states, tracking, execRunner: this.#execRunner, holdOf })
    this.#events = new EventTriggers(context, { ...options, library, runs, states, starter: this.#starter, look })
    this.#triggers = new Triggers(context, {
      ...{ ...options, library, runs, states, starter: this.#starter, conditions: this.#conditions, holdOf },
      patrolInterval: () => config.current.daemon.patrolInterval,
    })
    this.#watch = new RunWatch(runs, commands.orders)
    this.#sweep = new Sweep(context, { ...options, runs })
  }

  async start(): Promise<void> {
    const { report } = this.context
    const { orderLibrary, suspensions, orderApproval } = this.options
    const refresh = () => {
      this.#events.refresh().catch((error) => report(`events that orders wait for could not be counted: ${error}`))
      this.#triggers.refresh()
    }
    await this.#conditions.start()
    await this.#execRunner.start()
    await this.#formulaRunner.start()
    await this.#events.refresh()
    this.#triggers.start()
    this.#sweep.start()
    this.#unsubscribe = unsubscriber(
      orderLibrary.onChange(refresh),
      suspensions.onChange(refresh),
      orderApproval.onChange(refresh),
    )
  }

  /** Starts nothing any more; what runs continues in the session host. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#sweep.stop()
    await Promise.all([this.#triggers.stop(), this.#conditions.stop()])
    await this.#formulaRunner.stop()
    await this.#execRunner.stop()
  }

  /** Resolves when what is due is started, and what is over is recorded. */
  async whenIdle(): Promise<void> {
    await this.#triggers.whenIdle()
    await this.#formulaRunner.whenIdle()
    await this.#execRunner.whenIdle()
    await this.#triggers.whenIdle()
  }

  /**
   * Starts a run whatever its trigger says and whatever else of it runs; it is on disk when this resolves. Throws
   * `validation-failed` for a required argument that is missing.
   */
  async run(order: Order, { vars, cause, actor, alongside }: DispatchRequest): Promise<{ trackingId: string }> {
    checkArguments(order, vars)
    const trackingId = await this.context.store.write((tx) => {
      const id = this.#starter.start(tx, order, vars, cause)
      alongside?.(tx, id)
      return id
    }, actor)
    return { trackingId }
  }

  /** Follows a run to its end; one that is over ends immediately. Throws `bead-not-found` for what is not a run. */
  follow(trackingId: string, signal: AbortSignal): AsyncIterable<OrderProgress> {
    if (!this.runs.find(trackingId)) throw new AppError('bead-not-found', `${trackingId} is not a run of an order`)
    return this.#watch.follow(trackingId, signal)
  }

  /** True if an order is due now. The check of a condition is run for it, as it would be for a run. */
  async check(order: Order): Promise<OrderCheck> {
    const { trigger } = order
    const condition = trigger.kind === 'condition' ? await this.#conditions.check(order, trigger) : undefined
    const { due, reason } = this.#starter.due(order, condition)
    return { due, reason }
  }

  /** True if an order is due as far as that is known without a check of its condition. */
  expect(order: Order): OrderCheck {
    const { trigger } = order
    if (trigger.kind !== 'condition') return this.#starter.due(order)
    const { patrolInterval } = this.options.config.current.daemon
    return { due: false, reason: `condition: checked every ${formatElapsed(patrolInterval)}` }
  }

  /** Reason an order starts nothing automatically now; undefined when it may. */
  holdOf({ rig, enabled }: Order): string | undefined {
    const { config, suspensions, orderApproval } = this.options
    const { current } = config
    if (!enabled) return 'it is disabled'
    if (current.held !== undefined) return 'the files of the city are broken'
    if (orderApproval.isPending) return 'it waits for gc order approve --all'
    return suspensions.holdOf(current, rig ?? '')
  }

  /** Closes tracking beads older than so many milliseconds whose run is over or not known; returns which. */
  sweep(olderThan: number, actor: Actor): Promise<string[]> {
    return this.#sweep.closeStale(olderThan, actor)
  }

  #onBegun({ trackingId, kind, cause }: Pick<OrderRunRow, 'trackingId' | 'kind' | 'cause'>): void {
    if (kind === 'formula') this.#formulaRunner.add(trackingId)
    else if (cause === 'run') this.#execRunner.startNow(trackingId)
    else this.#execRunner.wake()
  }

  #onEnded(run: OrderRunRow): void {
    this.#watch.emitChange(run.trackingId)
    this.#triggers.look(run.scopedName)
  }

  #commandOf(scopedName: string, vars: OrderRunRow['vars'], identity: ProcessEnvironment) {
    const order = this.options.orderLibrary.find(scopedName)
    if (order?.action.kind === 'exec') return this.#shellCommand(order, order.action.command, vars, identity)
    throw new AppError('invalid-request', `order ${scopedName} is no longer declared`)
  }

  #shellCommand(order: Order, line: string, vars: OrderRunRow['vars'], identity: ProcessEnvironment) {
    const { config, environment } = this.options
    const variables = orderVariables(order, config.current, vars)
    const base = environment()
    return {
      argv: ['/bin/sh', '-c', line],
      cwd: storeRootOf(order, config.current),
      env: { ...base, ...(base.GC_URL && { GC_API_BASE_URL: base.GC_URL }), ...variables, ...identity },
      keep: KEPT_BYTES,
    }
  }
}

type OrderCity = Pick<CityConfig, 'path' | 'prefix' | 'rigs'>

/** Prefix of the variables that hold the arguments of a run. */
const ARGUMENT_PREFIX = 'GC_WEBHOOK_ARG_'

/** Working folder of an order's command and check: the folder of its rig, or the city's. */
function storeRootOf(order: Order, { path, rigs }: OrderCity): string {
  if (order.rig === undefined) return path
  const rig = rigs.find(({ name }) => name === order.rig)
  if (rig?.path !== undefined) return rig.path
  throw new AppError(
    'invalid-request',
    rig
      ? `rig ${order.rig} is bound to no folder of this machine: gc rig add <folder> --name ${order.rig}`
      : `rig ${order.rig} is no longer declared`,
  )
}

/** Variables that an order adds to its processes; its own come after those about its place. */
function orderVariables(order: Order, city: OrderCity, vars: Readonly<Record<string, string>>): Record<string, string> {
  const root = storeRootOf(order, city)
  const rig = city.rigs.find(({ name }) => name === order.rig)
  const pack = order.pack?.name ?? ''
  return {
    ORDER_DIR: dirname(order.file),
    PACK_DIR: order.layer,
    GC_PACK_DIR: order.pack?.folder ?? order.layer,
    ...(pack && { GC_PACK_NAME: pack, GC_PACK_STATE_DIR: join(city.path, '.gc', 'runtime', 'packs', pack) }),
    GC_STORE_ROOT: root,
    GC_STORE_SCOPE: rig ? 'rig' : 'city',
    GC_BEADS_PREFIX: rig?.prefix ?? city.prefix,
    ...(rig && { GC_RIG: rig.name, GC_RIG_ROOT: root }),
    BEADS_ACTOR: `order:${order.name}`,
    BEADS_DIR: join(root, '.beads'),
    ...(order.action.kind === 'exec' && order.action.env),
    ...argumentVariables(vars),
  }
}

/** Arguments as variables, never as text of a shell. */
const argumentVariables = (vars: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(vars).map(([name, value]) => [argumentVariable(name), value]))

/** The variable that an argument is: `ref` is `GC_WEBHOOK_ARG_REF`. */
const argumentVariable = (name: string): string =>
  `${ARGUMENT_PREFIX}${name.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_')}`

/** Follows runs: what their commands print, then how they end. */
class RunWatch {
  /** By tracking id, for as long as anybody follows the run. */
  readonly #changed = new Map<string, Signal>()

  constructor(
    private readonly runs: OrderRuns,
    private readonly commands: Pick<HostedCommands, 'follow'>,
  ) {}

  /** Something about a run is on disk: it runs, or it is over. */
  emitChange(trackingId: string): void {
    this.#changed.get(trackingId)?.emit()
  }

  async *follow(trackingId: string, signal: AbortSignal): AsyncGenerator<OrderProgress> {
    const { runs, commands } = this
    const started = await this.#when(trackingId, (state) => state !== 'starting', signal)
    if (started?.kind === 'exec' && started.state === 'running') {
      const decoder = new TextDecoder()
      try {
        for await (const bytes of commands.follow(trackingId, signal)) {
          yield { kind: 'output', text: decoder.decode(bytes, { stream: true }) }
        }
      } catch {
        // Its exit was recorded before it could be followed: its row has what it printed.
      }
    }
    const run = await this.#when(trackingId, (state) => state === 'done', signal)
    if (run?.state === 'done') yield { kind: 'ended', run, output: runs.output(trackingId) }
  }

  /** The run once its state is as wanted, or it is gone, or the signal is aborted. */
  async #when(trackingId: string, isWanted: (state: string) => boolean, signal: AbortSignal) {
    for (;;) {
      const run = this.runs.find(trackingId)
      if (!run || isWanted(run.state) || signal.aborted) return run
      await this.#change(trackingId, signal)
    }
  }

  #change(trackingId: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const changed = this.#changed.get(trackingId) ?? new Signal()
    this.#changed.set(trackingId, changed)
    const unsubscribe = changed.listen(wake)
    signal.addEventListener('abort', wake, { once: true })
    return promise.finally(() => {
      unsubscribe()
      if (!changed.hasListeners) this.#changed.delete(trackingId)
      signal.removeEventListener('abort', wake)
    })
  }
}

interface SweepOptions {
  beadRepository: BeadRepository
  runs: OrderRuns
}

const DAY = 86_400_000
/** Time runs are kept once they are over. */
const RETENTION = 7 * DAY
const BATCH = 16
const MAX_STALE = 1_000
const ORDERS = gcPart('orders')

const OPEN = query<{ id: string }, [string, number, number]>(
  stablePlan(
    'SELECT id FROM bead_labels WHERE label = ? AND closed = 0 AND created_at <= ? ORDER BY created_at, id LIMIT ?',
  ),
)

/** Removes what is left of runs that were over long ago, and closes tracking beads that no run will close. */
class Sweep {
  #next: Deadline | undefined
  #isStopped = true

  constructor(
    private readonly context: CityContext,
    private readonly options: SweepOptions,
  ) {}

  /** Removes now and once a day. */
  start(): void {
    this.#isStopped = false
    const { deadlines, report } = this.context
    this.#next = deadlines.interval(DAY, () => this.start())
    this.#removeOld().catch((error) => report(`old runs of orders could not be removed: ${errorMessage(error)}`))
  }

  stop(): void {
    this.#isStopped = true
    this.#next?.cancel()
  }

  /** Closes tracking beads older than so many milliseconds whose run is over or not known; returns which. */
  async closeStale(olderThan: number, actor: Actor): Promise<string[]> {
    const { store, clock } = this.context
    const { beadRepository: beads, runs } = this.options
    const candidates = store.all(OPEN, TRACKING_LABEL, clock.now() - olderThan, MAX_STALE).map(({ id }) => id)
    const stale = candidates.filter((id) => (runs.find(id)?.state ?? 'done') === 'done')
    for (let at = 0; at < stale.length; at += BATCH) {
      await store.write((tx) => {
        for (const id of stale.slice(at, at + BATCH)) {
          if (beads.find(id)) beads.close(tx, id, 'swept: no run of an order will close it')
        }
      }, actor)
    }
    return stale
  }

  async #removeOld(): Promise<void> {
    const { clock, store } = this.context
    const { runs } = this.options
    const before = clock.now() - RETENTION
    for (let ids = runs.over(before, BATCH); ids.length > 0 && !this.#isStopped; ids = runs.over(before, BATCH)) {
      await store.write((tx) => {
        for (const id of ids) this.#remove(tx, id)
      }, ORDERS)
    }
  }

  #remove(tx: Tx, id: string): void {
    const { beadRepository: beads, runs } = this.options
    if (beads.find(id)) beads.remove(tx, id)
    runs.remove(tx, id)
  }
}
