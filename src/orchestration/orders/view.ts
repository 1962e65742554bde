import { join } from 'node:path'
import type { OrderOutput } from './dispatch/order-runs.ts'
import type { OrderCheck } from './dispatch/request.ts'
import type { Order } from './order.ts'
import type { OrderFileResponse, OrderResponse } from './schema.ts'

/** An order as the wire shows it: texts as they are written, and the limits that are active. */
export function toOrderResponse({
  name,
  scopedName,
  rig,
  description,
  action,
  trigger,
  ...order
}: Order): OrderResponse {
  const { interval, schedule, check, on, timeout, checkTimeout } = order.declared
  return {
    ...{ name, scoped_name: scopedName, type: action.kind, enabled: order.enabled },
    ...{ timeout_ms: order.timeout, capture_output: action.kind === 'exec' },
    ...(description !== '' && { description }),
    ...{ trigger: trigger.kind, gate: trigger.kind },
    ...(interval !== undefined && { interval }),
    ...(schedule !== undefined && { schedule }),
    ...(check !== undefined && { check }),
    ...(on !== undefined && { on }),
    ...(action.kind === 'exec' && { exec: action.command }),
    ...(action.kind === 'formula' && { formula: action.formula }),
    ...(action.kind === 'formula' && action.pool !== undefined && { pool: action.pool }),
    ...(timeout !== undefined && { timeout }),
    ...(checkTimeout !== undefined && { check_timeout: checkTimeout }),
    ...(trigger.kind === 'condition' && { check_timeout_ms: trigger.timeout }),
    ...(rig !== undefined && { rig }),
    ...(action.kind === 'exec' && Object.keys(action.env).length > 0 && { env: { ...action.env } }),
  }
}

/** The same with its file, and whether it is due. */
export const toOrderFile = (order: Order, check: OrderCheck): OrderFileResponse => ({
  ...toOrderResponse(order),
  ...check,
  ...{ source: order.file, formula_layer: join(order.layer, 'formulas'), params: { ...order.params } },
  ...(order.trigger.kind === 'cron' && { tz: order.trigger.zone }),
})

/** The place of an order's beads: `rig:name`, or `city:name`. */
export const storeRefOf = (rig: string | undefined, city: string): string => (rig ? `rig:${rig}` : `city:${city}`)

/** Output of a run in its details: standard output, and after a line break standard error, as the known system joins them. */
export const joined = ({ stdout, stderr }: Pick<OrderOutput, 'stdout' | 'stderr'>): string =>
  stderr === '' ? stdout : `${stdout}\n${stderr}`

/** Output of a command as a stream shows it: standard output, then standard error on a line of its own. */
export function printed(output: Pick<OrderOutput, 'stdout' | 'stderr'> | undefined): string {
  const { stdout = '', stderr = '' } = output ?? {}
  return stdout === '' || stdout.endsWith('\n') || stderr === '' ? stdout + stderr : `${stdout}\n${stderr}`
}
