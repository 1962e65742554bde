import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import { nextTick } from '../../../core/event-loop.ts'
import type { Order } from '../order.ts'
import type { OrderLibrary } from '../order-library.ts'
import type { Conditions } from './conditions.ts'
import type { ConditionResult } from './due.ts'
import type { OrderRuns } from './order-runs.ts'
import { type Starter, scheduleKey } from './starter.ts'
import type { TriggerStates } from './trigger-states.ts'

/** Maximum time that one scan of orders, or one write that starts some, takes from the loop. */
const SLICE_MS = 4
const RETRY_MS = 5_000
/** Number of checks of conditions that run at a time. */
const MAX_CHECKS = 4
const ORDERS = gcPart('orders')

/**
 * Starts orders when they are due. Each that time makes due has a deadline; conditions are checked at the patrol interval.
 * An order is looked at again when its run is over, or its declaration, the clock or a suspension changes: nothing polls.
 */
export class Triggers {
  readonly #deadlines = new Map<string, Deadline>()
  /** Orders that were there when the city started, until they are looked at. */
  readonly #found = new Set<string>()
  readonly #passed = new Map<string, ConditionResult>()
  readonly #queue = new WorkQueue((take) => this.#work(take))
  #orders = new Map<string, Order>()
  #patrol: Deadline | undefined
  #checking: Promise<void> | undefined
  #stopStepListener: (() => void) | undefined
  #isStopped = true

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      library: OrderLibrary
      runs: OrderRuns
      states: TriggerStates
      starter: Starter
      conditions: Conditions
      /** Reason an order starts nothing automatically now; undefined when it may. */
      holdOf(order: Order): string | undefined
      /** Interval of condition checks, in milliseconds. */
      patrolInterval(): number
    },
  ) {}

  start(): void {
    this.#isStopped = false
    for (const { scopedName, enabled } of this.peers.library.current) if (enabled) this.#found.add(scopedName)
    this.#stopStepListener = this.context.deadlines.onClockStep(() => this.refresh())
    this.refresh()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopStepListener?.()
    this.#patrol?.cancel()
    for (const deadline of this.#deadlines.values()) deadline.cancel()
    this.#deadlines.clear()
    await this.#queue.stop()
    await this.#checking
  }

  /** Resolves when every order that is due has been started. */
  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  /** Looks at every order again: what is declared, or may start, has changed. */
  refresh(): void {
    if (this.#isStopped) return
    const orders = this.peers.library.current.filter(({ enabled }) => enabled)
    this.#orders = new Map(orders.map((order) => [order.scopedName, order]))
    for (const [name, deadline] of this.#deadlines) {
      if (this.#orders.has(name)) continue
      deadline.cancel()
      this.#deadlines.delete(name)
    }
    for (const name of this.#orders.keys()) this.look(name)
    this.#patrolNow()
  }

  /** Looks whether an order is due. */
  look(scopedName: string): void {
    if (!this.#isStopped && this.#orders.has(scopedName)) this.#queue.add(scopedName)
  }

  async #work(take: Take): Promise<void> {
    const started = performance.now()
    const due: Order[] = []
    for (let name = take(); name !== undefined; name = take()) {
      const order = this.#orders.get(name)
      if (order && (await this.#isDue(order))) due.push(order)
      if (performance.now() - started > SLICE_MS) break
    }
    while (due.length > 0 && !this.#isStopped) due.splice(0, await this.#startSome(due))
  }

  async #isDue(order: Order): Promise<boolean> {
    const { scopedName } = order
    this.#deadlines.get(scopedName)?.cancel()
    this.#deadlines.delete(scopedName)
    try {
      await this.#noteSchedule(order)
      await this.#countAgain(order)
      const decision = this.peers.starter.decide(order, this.#passed.get(scopedName))
      if (decision.is === 'start') return true
      if (decision.until !== undefined) this.#arm(scopedName, decision.until)
    } catch (error) {
      this.context.report(`order ${scopedName} could not be looked at: ${errorMessage(error)}`)
    }
    return false
  }

  /** Keeps since when the order has the schedule that it has. */
  async #noteSchedule(order: Order): Promise<void> {
    const { scopedName, trigger } = order
    const { store } = this.context
    const { states, starter } = this.peers
    const since = starter.scheduledSince(order, this.#found.delete(scopedName))
    if (since === undefined || trigger.kind !== 'cron') return
    await store.write((tx) => states.setSchedule(tx, scopedName, scheduleKey(trigger), since), ORDERS)
  }

  /** Keeps as the latest run what counts as that since the clock was set. */
  async #countAgain(order: Order): Promise<void> {
    const { store } = this.context
    const { states, starter } = this.peers
    const counted = starter.countedRun(order)
    if (counted === undefined || counted === states.find(order.scopedName)?.lastRun) return
    await store.write((tx) => states.setRun(tx, order.scopedName, counted), ORDERS)
  }

  #arm(scopedName: string, at: number): void {
    this.#deadlines.set(
      scopedName,
      this.context.deadlines.at(at, () => this.look(scopedName)),
    )
  }

  /** Starts as many as one write takes; returns with how many it is done. */
  async #startSome(due: readonly Order[]): Promise<number> {
    const { store, report, deadlines } = this.context
    const [first] = due
    try {
      const started = await store.write((tx) => {
        const began = performance.now()
        let done = 0
        do {
          const order = due[done++]
          if (order) this.peers.starter.startIfDue(tx, order, this.#passed.get(order.scopedName))
        } while (done < due.length && performance.now() - began < SLICE_MS)
        return done
      }, ORDERS)
      for (const { scopedName } of due.slice(0, started)) {
        this.#passed.delete(scopedName)
        this.look(scopedName)
      }
      return started
    } catch (error) {
      report(`order ${first?.scopedName} could not be started; gc retries: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => {
        for (const { scopedName } of due) this.look(scopedName)
      })
      return due.length
    }
  }

  #patrolNow(): void {
    const conditional = [...this.#orders.values()].filter(({ trigger }) => trigger.kind === 'condition')
    if (this.#checking || this.#isStopped) return
    this.#patrol?.cancel()
    this.#patrol = undefined
    if (conditional.length === 0) return
    this.#checking = this.#checkAll(conditional).finally(() => {
      this.#checking = undefined
      if (this.#isStopped) return
      this.#patrol = this.context.deadlines.after(this.peers.patrolInterval(), () => this.#patrolNow())
    })
  }

  async #checkAll(orders: Order[]): Promise<void> {
    const worker = async () => {
      for (let order = orders.shift(); order && !this.#isStopped; order = orders.shift()) await this.#check(order)
    }
    await Promise.all(Array.from({ length: MAX_CHECKS }, worker))
  }

  async #check(order: Order): Promise<void> {
    const { trigger, scopedName } = order
    const { conditions, holdOf, runs } = this.peers
    if (trigger.kind !== 'condition' || holdOf(order) !== undefined) return
    if (!order.noWorkGate && runs.blocking(scopedName) !== undefined) return
    const result = await conditions.check(order, trigger)
    if (!result.passed) return
    this.#passed.set(scopedName, result)
    this.look(scopedName)
  }
}

/** Takes the next name out of the queue; undefined when it is empty. */
type Take = () => string | undefined

/** Names to work on one after the other, each waiting once however often it is added. */
class WorkQueue {
  readonly #names = new Set<string>()
  #running: Promise<void> | undefined
  #isStopped = false

  /** `work` takes some names and works on them; it never throws. */
  constructor(private readonly work: (take: Take) => Promise<void>) {}

  add(name: string): void {
    if (this.#isStopped) return
    this.#names.add(name)
    this.#running ??= this.#run()
  }

  async whenIdle(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Forgets what waits; resolves when nothing is worked on. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#names.clear()
    await this.#running
  }

  /** Ends in the same stretch in which it saw that nothing is left. */
  async #run(): Promise<void> {
    await undefined
    while (this.#names.size > 0) {
      await this.work(() => this.#take())
      await nextTick()
    }
    this.#running = undefined
  }

  #take(): string | undefined {
    const [name] = this.#names
    if (name !== undefined) this.#names.delete(name)
    return name
  }
}
