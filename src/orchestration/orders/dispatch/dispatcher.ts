import type { Actor } from '../../../core/actor.ts'
import type { Tx } from '../../../core/store.ts'
import type { Order } from '../order.ts'
import type { OrderOutput, OrderRunRow } from './order-runs.ts'

/** What began a run: the kind of a trigger, or `run` when a person or program asked for it. */
export type OrderCause = Order['trigger']['kind'] | 'run'

/** What a run is started with. */
export interface DispatchRequest {
  vars: Readonly<Record<string, string>>
  cause: OrderCause
  /** Who wants it, as the events of its beginning show it. */
  actor: Actor
  /** Part of the write that begins the run: what it throws keeps the run from beginning. */
  alongside?(tx: Tx, trackingId: string): void
}

/** How a run goes on: what its command prints, then its end. */
export type OrderProgress =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'ended'; readonly run: OrderRunRow; readonly output: OrderOutput | undefined }

/** Whether an order is due, and why or why not. */
export interface OrderCheck {
  due: boolean
  reason: string
}

/** Starts orders. */
export interface OrderDispatcher {
  /**
   * Starts a run whatever its trigger says and whatever else of it runs; it is on disk when this resolves. Throws
   * `validation-failed` for a required argument that is missing.
   */
  run(order: Order, request: DispatchRequest): Promise<{ trackingId: string }>
  /** Follows a run to its end; one that is over ends at once. Throws `bead-not-found` for what is no run. */
  follow(trackingId: string, signal: AbortSignal): AsyncIterable<OrderProgress>
  /** Whether an order is due now. The check of a condition is run for it, as it would be for a run. */
  check(order: Order): Promise<OrderCheck>
  /** Closes tracking beads older than so many milliseconds whose run is over or not known; returns which. */
  sweep(olderThan: number, actor: Actor): Promise<string[]>
}
