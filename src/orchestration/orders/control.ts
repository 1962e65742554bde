import type { Static } from '@sinclair/typebox'
import { formatDiagnostic } from '../../config/files/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { SseFrame } from '../../http/sse.ts'
import type { OrderApproval } from './dispatch/approval.ts'
import type { OrderCheck, OrderDispatcher, OrderProgress } from './dispatch/dispatcher.ts'
import { WEBHOOK_REJECTED } from './errors.ts'
import type { OrderHistory } from './history/history.ts'
import type { Order } from './order.ts'
import type { OrderLibrary } from './order-library.ts'
import type {
  OrderApprove,
  OrderCheckListBody,
  OrderCheckResponse,
  OrderEndedFrame,
  OrderFileResponse,
  OrderFiles,
  OrderHistoryEntry,
  OrderOutputFrame,
  OrderRunInputBody,
  OrderRunOutputBody,
  OrdersApproved,
  OrderTrackingSweep,
  OrderTrackingSwept,
} from './schema.ts'
import { printed, toOrderFile } from './view.ts'

/** Number of orders that are looked at between two turns of the loop. */
const BATCH = 50
const DEFAULT_STALE_S = 600

/** Operations of clients on orders: runs, checks and settings. */
export class OrderControl {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      readonly orderLibrary: OrderLibrary
      readonly orderDispatcher: OrderDispatcher
      readonly orderApproval: OrderApproval
      readonly orderHistory: OrderHistory
    },
  ) {}

  /** Starts a run, whatever the trigger of the order is. It continues after this has resolved. */
  async run(caller: Caller, name: string, { vars = {} }: OrderRunInputBody): Promise<OrderRunOutputBody> {
    const order = this.#enabled(name)
    const missing = Object.entries(order.params).flatMap(([param, { required }]) =>
      required && !vars[param] ? [param] : [],
    )
    if (missing.length > 0) {
      const message = `rejected: order "${order.name}": missing required param(s): ${missing.join(', ')}`
      const example = missing.map((param) => `--var ${param}=<value>`).join(' ')
      throw new AppError(WEBHOOK_REJECTED, `${message}; give them in vars, or as ${example}`)
    }
    const answer = (id: string) => ({ status: 'dispatched', scoped_name: order.scopedName, tracking_id: id })
    const alongside = (tx: Tx, id: string) => void tx.answer(answer(id))
    const request = { vars, cause: 'run', actor: actorOf(caller), alongside } as const
    const { trackingId } = await this.peers.orderDispatcher.run(order, request)
    return answer(trackingId)
  }

  /** True if each enabled order is due, and why or why not. Checks of conditions are run for it. */
  async check(): Promise<OrderCheckListBody> {
    const orders = this.peers.orderLibrary.current.filter(({ enabled }) => enabled)
    const checks: OrderCheckResponse[] = []
    for (let at = 0; at < orders.length; at += BATCH) {
      checks.push(...(await Promise.all(orders.slice(at, at + BATCH).map((order) => this.#check(order)))))
      await Bun.sleep(0)
    }
    return { checks }
  }

  /** Every order file with what is made of it. No check of a condition is run for it. */
  files(): OrderFiles {
    const { current, absent, problems, unmatchedOverrides } = this.peers.orderLibrary
    return {
      orders: current.map((order) => ({ ...toOrderFile(order, this.#expect(order)), ...this.#last(order) })),
      absent: absent.map(({ file: source, ...order }) => ({ ...order, source })),
      problems: problems.map(formatDiagnostic),
      unmatched_overrides: unmatchedOverrides.map(formatDiagnostic),
    }
  }

  /** Output of a run's command, then its outcome. */
  follow(bead: string, signal: AbortSignal): AsyncGenerator<SseFrame> {
    const { orderDispatcher, orderHistory } = this.peers
    if (orderDispatcher.runs.find(bead)) return this.#frames(bead, orderDispatcher.follow(bead, signal))
    return this.#recordedFrames(orderHistory.entry(bead), signal)
  }

  /** Closes open tracking beads of runs that are over or that no one knows. */
  async sweep(caller: Caller, { older_than_s = DEFAULT_STALE_S }: OrderTrackingSweep): Promise<OrderTrackingSwept> {
    return { closed: await this.peers.orderDispatcher.sweep(older_than_s * 1000, actorOf(caller)) }
  }

  /** Lets the orders of a city that an earlier gc had open start on their own. */
  async approve(caller: Caller, { all }: OrderApprove): Promise<OrdersApproved> {
    if (!all) throw new AppError('invalid-request', 'orders are approved together: all must be true')
    const { store } = this.context
    const { orderApproval, orderLibrary } = this.peers
    return store.write((tx) => {
      const waited = orderApproval.approve(tx)
      return { approved: waited ? orderLibrary.current.filter(({ enabled }) => enabled).length : 0 }
    }, actorOf(caller))
  }

  async #check(order: Order): Promise<OrderCheckResponse> {
    const { name, scopedName, rig, trigger } = order
    const { orderDispatcher } = this.peers
    const last = orderDispatcher.runs.latest(scopedName)
    const isTimed = trigger.kind === 'cooldown' || trigger.kind === 'cron'
    return {
      ...{ name, scoped_name: scopedName, ...(rig !== undefined && { rig }) },
      ...this.#withHold(order, await orderDispatcher.check(order)),
      ...(last && isTimed && { last_run: toTimestamp(last.createdAt) }),
      ...(last?.outcome && { last_run_outcome: last.outcome }),
    }
  }

  async *#frames(bead: string, progress: AsyncIterable<OrderProgress>): AsyncGenerator<SseFrame> {
    let isFollowed = false
    for await (const each of progress) {
      const text = each.kind === 'output' ? each.text : isFollowed ? '' : printed(each.output)
      isFollowed ||= each.kind === 'output'
      if (text !== '') yield toFrame({ type: 'output', text })
      if (each.kind === 'ended') yield toFrame({ type: 'ended', run: this.peers.orderHistory.entry(bead) })
    }
  }

  /** Update of a run's bead that another program recorded; the run ends when the bead is closed. */
  async *#recordedFrames(run: OrderHistoryEntry, signal: AbortSignal): AsyncGenerator<SseFrame> {
    const { log } = this.context
    const { orderHistory } = this.peers
    const { bead_id: bead } = run
    const ended = Promise.withResolvers<boolean>()
    const unsubscribe = log.subscribe(({ type, subject }) => {
      if (subject === bead && (type === 'bead.closed' || type === 'bead.deleted')) ended.resolve(type === 'bead.closed')
    })
    signal.addEventListener('abort', () => ended.resolve(false), { once: true })
    try {
      const { output } = orderHistory.detail(bead, {})
      if (output !== '') yield toFrame({ type: 'output', text: output })
      const isOver = orderHistory.entry(bead).duration_ms !== undefined || (!signal.aborted && (await ended.promise))
      if (isOver) yield toFrame({ type: 'ended', run: orderHistory.entry(bead) })
    } finally {
      unsubscribe()
    }
  }

  #last({ scopedName }: Order): Pick<OrderFileResponse, 'last_run' | 'last_run_outcome'> {
    const last = this.peers.orderDispatcher.runs.latest(scopedName)
    if (!last) return {}
    return { last_run: toTimestamp(last.createdAt), ...(last.outcome && { last_run_outcome: last.outcome }) }
  }

  #expect(order: Order): OrderCheck {
    const { due, reason } = this.peers.orderDispatcher.expect(order)
    return this.#withHold(order, { due, reason })
  }

  /** Adds what keeps an order that is due from being started. */
  #withHold(order: Order, { due, reason }: OrderCheck): OrderCheck {
    const hold = due ? this.peers.orderDispatcher.holdOf(order) : undefined
    return { due, reason: hold === undefined ? reason : `${reason}; not started: ${hold}` }
  }

  /** The first enabled order of a name or scoped name. */
  #enabled(name: string): Order {
    const { current } = this.peers.orderLibrary
    const named = current.filter((order) => order.scopedName === name || order.name === name)
    const order = named.find(({ enabled }) => enabled)
    if (order) return order
    const hint = named.length > 0 ? `: it is disabled; gc order enable ${name}` : ''
    throw new AppError('order-not-found', `not_found: order not found: ${name}${hint}`)
  }
}

const toFrame = (data: Static<typeof OrderOutputFrame> | Static<typeof OrderEndedFrame>): SseFrame => ({
  ...{ event: data.type, data },
})
