import type { ExternalMessages } from '../connect/extmsg/index.ts'
import { type OrderStarter, type StartedOrder, Webhooks } from '../connect/webhooks/index.ts'
import type { CityContext } from '../core/city-context.ts'
import { AppError } from '../core/errors.ts'
import { type Order, type OrderDispatcher, type OrderLibrary, scopedNameOf } from '../orchestration/orders/index.ts'

interface WebhookOrdersOptions {
  orderLibrary: Pick<OrderLibrary, 'current' | 'find'>
  orderDispatcher: Pick<OrderDispatcher, 'run' | 'holdOf'>
}

type WebhookServicesOptions = WebhookOrdersOptions &
  Omit<ConstructorParameters<typeof Webhooks>[1], 'city' | 'orders' | 'conversations'> & {
    context: CityContext
    name: string
    externalMessages: Pick<ExternalMessages, 'inbound'>
  }

/** The webhooks of a city, with what their deliveries start. */
export function buildWebhooks(options: WebhookServicesOptions): Webhooks {
  const { inbound } = options.externalMessages
  return new Webhooks(options.context, {
    ...{ ...options, city: options.name, orders: new WebhookOrders(options) },
    conversations: {
      check: (message) => inbound.check(message),
      receive: (tx, message) => inbound.receive(tx, message).TranscriptEntry !== null,
    },
  })
}

/** The orders of a city as its webhooks start them: those alone that say so by their trigger. */
class WebhookOrders implements OrderStarter {
  constructor(private readonly options: WebhookOrdersOptions) {}

  async start({
    order: name,
    rig,
    vars,
    actor,
    alongside,
  }: Parameters<OrderStarter['start']>[0]): Promise<StartedOrder> {
    const problem = this.problemOf(name, rig)
    const order = this.#find(name, rig)
    if (problem !== undefined || !order)
      throw new AppError('validation-failed', problem ?? `there is no order "${name}"`)
    const facts = {
      ...{ order: order.name, scopedName: order.scopedName },
      ...(order.rig !== undefined && { rig: order.rig }),
    }
    const { orderDispatcher } = this.options
    const hold = orderDispatcher.holdOf(order)
    if (hold !== undefined) throw new AppError('service-unavailable', `the order ${name} is not started now: ${hold}`)
    const { trackingId } = await orderDispatcher.run(order, {
      ...{ vars, cause: 'webhook', actor },
      alongside: (tx, id) => alongside(tx, { ...facts, trackingId: id }),
    })
    return { ...facts, trackingId }
  }

  problemOf(name: string, rig: string | undefined): string | undefined {
    const order = this.#find(name, rig)
    if (!order)
      return `there is no order "${name}"${rig === undefined ? '' : ` in rig ${rig}`}: \`gc order list\` shows them`
    if (order.trigger.kind !== 'webhook') {
      return `the order ${name} has trigger = "${order.trigger.kind}"; only one with trigger = "webhook" is started by a delivery`
    }
    return order.enabled ? undefined : `the order ${name} is disabled; \`gc order enable ${name}\` enables it`
  }

  /** Without a rig, the order of the city, else the first of that name. */
  #find(name: string, rig: string | undefined): Order | undefined {
    const { orderLibrary } = this.options
    const exact = orderLibrary.find(scopedNameOf(name, rig))
    return exact ?? (rig === undefined ? orderLibrary.current.find((order) => order.name === name) : undefined)
  }
}
