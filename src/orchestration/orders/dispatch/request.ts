import type { Actor } from '../../../core/actor.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { Order } from '../order.ts'
import type { OrderOutput, OrderRunRow } from './order-runs.ts'

/** Cause of a run: the kind of a trigger, or `run` for a request by a person or program. */
export type OrderCause = Order['trigger']['kind'] | 'run'

/** Input of a started run. */
export interface DispatchRequest {
  vars: Readonly<Record<string, string>>
  cause: OrderCause
  /** Requester, as shown by the first events. */
  actor: Actor
  /** Part of the write that begins the run: what it throws keeps the run from beginning. */
  alongside?(tx: Tx, trackingId: string): void
}

/** Progress of a run: output of its command, then its end. */
export type OrderProgress =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'ended'; readonly run: OrderRunRow; readonly output: OrderOutput | undefined }

/** True if an order is due, and why or why not. */
export interface OrderCheck {
  due: boolean
  reason: string
}
