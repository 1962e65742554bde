import { defineEvent, NoPayload } from '../../../core/events/index.ts'

export const OrderFired = defineEvent('order.fired', NoPayload, 'An order was started.')
export const OrderCompleted = defineEvent('order.completed', NoPayload, 'The run of an order succeeded.')
export const OrderFailed = defineEvent('order.failed', NoPayload, 'The run of an order failed; the message says why.')
