import type { CityContext } from '../../../core/city-context.ts'
import { AppError } from '../../../core/errors.ts'
import type { Tx } from '../../../core/store/index.ts'
import { OrderFailed } from '../../events.ts'
import type { Order } from '../order.ts'
import { type ConditionResult, countedRun, type Due, dueAt, endOfMinute, FIRST_LOOK_BACK_MS } from './due.ts'
import type { ExecRunner } from './exec-runner.ts'
import type { OrderRuns } from './order-runs.ts'
import type { OrderCause } from './request.ts'
import type { Tracking } from './tracking.ts'
import type { TriggerStates } from './trigger-states.ts'

/** Decision about an order now. */
export type StartDecision =
  | { readonly is: 'start' }
  /** Nothing before this moment; without one, until something else changes. */
  | { readonly is: 'wait'; readonly until?: number }

/** An order that waits for events is started no more often than this. */
const EVENT_INTERVAL_MS = 1_000

/** Starts orders: those that are due, and those that somebody asks for. */
export class Starter {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      runs: OrderRuns
      states: TriggerStates
      tracking: Tracking
      execRunner: ExecRunner
      /** Reason an order starts nothing automatically now; undefined when it may. */
      holdOf(order: Order): string | undefined
    },
  ) {}

  /** True if the trigger of an order is due, whatever else keeps it from being started. */
  due(order: Order, condition?: ConditionResult): Due {
    const { clock } = this.context
    const { states } = this.peers
    const now = clock.now()
    const row = states.find(order.scopedName)
    const since = this.scheduledSince(order) ?? row?.since ?? now
    return dueAt(order.trigger, { lastRun: this.countedRun(order), since, events: row?.waiting ?? 0, condition }, now)
  }

  /**
   * Since when an order can have missed a time of its schedule, if that differs from what is stored: the schedule is new.
   * One that is there when the city starts may be older than the city's memory of it.
   */
  scheduledSince({ scopedName, trigger }: Order, isStart = false): number | undefined {
    if (trigger.kind !== 'cron') return undefined
    const { clock } = this.context
    const { states } = this.peers
    const [now, row] = [clock.now(), states.find(scopedName)]
    if (row?.schedule === scheduleKey(trigger)) return (row.since ?? now) > now ? now : undefined
    if (row?.schedule == null && row?.lastRun != null) return row.lastRun
    return row === undefined && isStart ? now - FIRST_LOOK_BACK_MS : now
  }

  /** Start of an order's latest run, as its trigger counts; undefined if it never ran. */
  countedRun({ scopedName, trigger }: Order): number | undefined {
    const { clock } = this.context
    const { runs, states } = this.peers
    const lastRun = states.find(scopedName)?.lastRun
    if (lastRun == null) return undefined
    const now = clock.now()
    const passed = trigger.kind === 'cron' ? runs.newestBefore(scopedName, endOfMinute(now)) : undefined
    return countedRun(trigger, lastRun, now, passed)
  }

  decide(order: Order, condition?: ConditionResult): StartDecision {
    const { clock } = this.context
    const { runs, states, holdOf } = this.peers
    if (holdOf(order) !== undefined) return { is: 'wait' }
    const due = this.due(order, condition)
    if (!due.due) return { is: 'wait', ...(due.next !== undefined && { until: due.next }) }
    if (!order.noWorkGate && runs.blocking(order.scopedName) !== undefined) return { is: 'wait' }
    const lastRun = states.find(order.scopedName)?.lastRun ?? Number.NEGATIVE_INFINITY
    const next = lastRun + EVENT_INTERVAL_MS
    const isTooSoon = order.trigger.kind === 'event' && lastRun <= clock.now() && next > clock.now()
    return isTooSoon ? { is: 'wait', until: next } : { is: 'start' }
  }

  /** Starts an order if it is due; whether it did. */
  startIfDue(tx: Tx, order: Order, condition?: ConditionResult): boolean {
    if (this.decide(order, condition).is !== 'start') return false
    const missing = missingParam(order, {})
    if (missing === undefined) this.start(tx, order, {}, order.trigger.kind)
    else this.#fail(tx, order, missingSentence(order, missing))
    return true
  }

  /** Starts an order with arguments that were checked; returns its tracking bead. */
  start(tx: Tx, order: Order, vars: Readonly<Record<string, string>>, cause: OrderCause): string {
    const { tracking, execRunner } = this.peers
    if (order.action.kind === 'formula') return tracking.begin(tx, { order, vars, cause, tokenHash: null })
    const { hash, identity } = execRunner.issue(order.scopedName)
    const trackingId = tracking.begin(tx, { order, vars, cause, tokenHash: hash })
    execRunner.identify(trackingId, identity)
    return trackingId
  }

  /** It failed before it began, and counts as a run. */
  #fail(tx: Tx, { scopedName }: Order, message: string): void {
    const { clock, log } = this.context
    const { states } = this.peers
    states.setRun(tx, scopedName, clock.now())
    states.cover(tx, scopedName)
    log.append(tx, OrderFailed, { subject: scopedName, message }, {})
  }
}

/** A schedule with its zone: another zone makes it another schedule. */
export const scheduleKey = ({ schedule, zone }: { schedule: string; zone: string }): string => `${schedule} ${zone}`

/** Throws for arguments with which an order cannot be started. */
export function checkArguments(order: Order, vars: Readonly<Record<string, string>>): void {
  const missing = missingParam(order, vars)
  if (missing !== undefined) throw new AppError('validation-failed', missingSentence(order, missing))
  for (const [name, value] of Object.entries(vars)) {
    if (name === '') throw new AppError('validation-failed', 'vars: a name is empty')
    if (`${name}${value}`.includes('\0')) {
      throw new AppError('validation-failed', `vars.${name.replaceAll('\0', '')}: no argument can hold a NUL character`)
    }
  }
}

const missingParam = ({ params }: Order, vars: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(params).find(([name, { required }]) => required && !vars[name])?.[0]

const missingSentence = ({ name }: Order, param: string): string =>
  `order ${name} needs the argument ${param}: gc order run ${name} --var ${param}=<value>`
