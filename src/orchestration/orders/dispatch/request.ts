import type { Actor } from '../../../core/actor.ts'
import type { Tx } from '../../../core/store/index.ts'
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
