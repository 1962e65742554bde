import type { HostedCommands } from '../../../agents/commands/hosted-commands.ts'
import type { CityConfig } from '../../../config/city-config.ts'
import type { Suspensions } from '../../../config/suspensions/suspensions.ts'
import type { Actor } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import { AppError } from '../../../core/errors.ts'
import type { EventLog } from '../../../core/events/log.ts'
import type { Reactions } from '../../../core/events/reactions.ts'
import type { Store } from '../../../core/store.ts'
import type { ProcessEnvironment, ProcessTokens } from '../../../http/process-tokens.ts'
import type { BeadRepository } from '../../../work/beads/repository.ts'
import type { Instantiator } from '../../instantiate/instantiator.ts'
import type { LauncherOptions } from '../../sling/launch-parts.ts'
import type { Order } from '../order.ts'
import type { OrderLibrary } from '../order-library.ts'
import type { OrderApproval } from './approval.ts'
import { Conditions } from './conditions.ts'
import { formatElapsed } from './elapsed.ts'
import { EventTriggers } from './event-triggers.ts'
import { orderVariables, storeRootOf } from './exec-environment.ts'
import { ExecRunner } from './exec-runner.ts'
import { FormulaRunner } from './formula-runner.ts'
import { type OrderRunRow, OrderRuns } from './order-runs.ts'
import type { DispatchRequest, OrderCheck, OrderProgress } from './request.ts'
import { RunWatch } from './run-watch.ts'
import { checkArguments, Starter } from './starter.ts'
import { Sweep } from './sweep.ts'
import { Tracking } from './tracking.ts'
import { TriggerStates } from './trigger-states.ts'
import { Triggers } from './triggers.ts'

export type { DispatchRequest, OrderCause, OrderCheck, OrderProgress } from './request.ts'

export interface OrderDispatcherOptions extends LauncherOptions {
  store: Store
  log: EventLog
  clock: Clock
  deadlines: Deadlines
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
  /** What every command of the city finds in its environment. */
  environment(): Record<string, string>
  report(message: string): void
}

/** How much of each stream of a command is kept. */
const KEPT_BYTES = 64 * 1024

/** Runs the orders of a city: when they are due, and when somebody asks. */
export class OrderDispatcher {
  readonly #options: OrderDispatcherOptions
  readonly runs: OrderRuns
  readonly #starter: Starter
  readonly #execRunner: ExecRunner
  readonly #formulaRunner: FormulaRunner
  readonly #conditions: Conditions
  readonly #events: EventTriggers
  readonly #triggers: Triggers
  readonly #watch: RunWatch
  readonly #sweep: Sweep
  readonly #subscriptions: (() => void)[] = []

  constructor(options: OrderDispatcherOptions) {
    this.#options = options
    const { store, processTokens: tokens, commands, orderLibrary: library, config } = options
    const runs = new OrderRuns(store)
    const states = new TriggerStates(store)
    const holdOf = (order: Order) => this.holdOf(order)
    const look = (scopedName: string) => this.#triggers.look(scopedName)
    const tracking = new Tracking({
      ...{ ...options, runs, states },
      onBegun: (run) => this.#onBegun(run),
      onEnded: (run) => this.#onEnded(run),
    })
    this.runs = runs
    this.#execRunner = new ExecRunner({
      ...{ ...options, commands: commands.orders, tokens, runs, tracking },
      commandOf: ({ scopedName, vars }, identity) => this.#commandOf(scopedName, vars, identity),
      onRunning: (trackingId) => this.#watch.emitChange(trackingId),
    })
    this.#formulaRunner = new FormulaRunner({
      ...{ ...options, orderRuns: runs, tracking },
      findOrder: (scopedName) => library.find(scopedName),
    })
    this.#conditions = new Conditions({
      ...{ ...options, commands: commands.conditions, tokens },
      commandOf: (order, check, identity) => this.#shellCommand(order, check, {}, identity),
    })
    this.#starter = new Starter({ ...options, runs, states, tracking, execRunner: this.#execRunner, holdOf })
    this.#events = new EventTriggers({ ...options, library, runs, states, starter: this.#starter, look })
    this.#triggers = new Triggers({
      ...{ ...options, library, runs, states, starter: this.#starter, conditions: this.#conditions, holdOf },
      patrolInterval: () => config.current.daemon.patrolInterval,
    })
    this.#watch = new RunWatch({ runs, commands: commands.orders })
    this.#sweep = new Sweep({ ...options, runs })
  }

  async start(): Promise<void> {
    const { orderLibrary, suspensions, orderApproval, report } = this.#options
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
    this.#subscriptions.push(
      orderLibrary.onChange(refresh),
      suspensions.onChange(refresh),
      orderApproval.onChange(refresh),
    )
  }

  /** Starts nothing any more; what runs goes on in the session host. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe()
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
    const trackingId = await this.#options.store.write((tx) => {
      const id = this.#starter.start(tx, order, vars, cause)
      alongside?.(tx, id)
      return id
    }, actor)
    return { trackingId }
  }

  /** Follows a run to its end; one that is over ends at once. Throws `bead-not-found` for what is no run. */
  follow(trackingId: string, signal: AbortSignal): AsyncIterable<OrderProgress> {
    if (!this.runs.find(trackingId)) throw new AppError('bead-not-found', `${trackingId} is no run of an order`)
    return this.#watch.follow(trackingId, signal)
  }

  /** Whether an order is due now. The check of a condition is run for it, as it would be for a run. */
  async check(order: Order): Promise<OrderCheck> {
    const { trigger } = order
    const condition = trigger.kind === 'condition' ? await this.#conditions.check(order, trigger) : undefined
    const { due, reason } = this.#starter.due(order, condition)
    return { due, reason }
  }

  /** Whether an order is due as far as that is known without a check of its condition. */
  expect(order: Order): OrderCheck {
    const { trigger } = order
    if (trigger.kind !== 'condition') return this.#starter.due(order)
    const { patrolInterval } = this.#options.config.current.daemon
    return { due: false, reason: `condition: checked every ${formatElapsed(patrolInterval)}` }
  }

  /** Why an order starts nothing by itself now; undefined when it may. */
  holdOf({ rig, enabled }: Order): string | undefined {
    const { config, suspensions, orderApproval } = this.#options
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
    const order = this.#options.orderLibrary.find(scopedName)
    if (order?.action.kind === 'exec') return this.#shellCommand(order, order.action.command, vars, identity)
    throw new AppError('invalid-request', `order ${scopedName} is not declared any more`)
  }

  #shellCommand(order: Order, line: string, vars: OrderRunRow['vars'], identity: ProcessEnvironment) {
    const { config, environment } = this.#options
    const variables = orderVariables(order, config.current, vars)
    return {
      argv: ['/bin/sh', '-c', line],
      cwd: storeRootOf(order, config.current),
      env: { ...environment(), ...variables, ...identity },
      keep: KEPT_BYTES,
    }
  }
}
