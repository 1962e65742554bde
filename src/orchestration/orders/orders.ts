import type { Config } from '../../config/compose/index.ts'
import { switchOrder } from '../../config/orders/index.ts'
import { AppError } from '../../core/errors.ts'
import { answering } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Order } from './order.ts'
import type { OrderLibrary } from './order-library.ts'
import type { OrderListBody, OrderResponse } from './schema.ts'
import { toOrderResponse } from './view.ts'

/** The orders of a city as clients see and switch them. */
export class Orders {
  constructor(
    private readonly config: Pick<Config, 'edit'>,
    private readonly orderLibrary: OrderLibrary,
  ) {}

  /** Orders that are not disabled. */
  list(): OrderListBody {
    const { current } = this.orderLibrary
    return { orders: current.filter(({ enabled }) => enabled).map(toOrderResponse) }
  }

  get(name: string): OrderResponse {
    return toOrderResponse(this.#named(name))
  }

  enable(caller: Caller, name: string): Promise<OKResponseBody> {
    return this.#switch(caller, name, true)
  }

  disable(caller: Caller, name: string): Promise<OKResponseBody> {
    return this.#switch(caller, name, false)
  }

  async #switch(caller: Caller, reference: string, enabled: boolean): Promise<OKResponseBody> {
    const { name, rig, enabled: before } = this.#named(reference)
    const answer = { status: enabled ? 'enabled' : 'disabled' }
    if (enabled !== before) {
      await this.config.edit(answering(caller, answer), (base) => switchOrder(base, { name, rig, enabled }))
    }
    return answer
  }

  #named(name: string): Order {
    return findOrder(this.orderLibrary.current, name)
  }
}

/** An order by its scoped name, or by its name when only one has it. */
export function findOrder(orders: readonly Order[], name: string): Order {
  const exact = orders.find(({ scopedName }) => scopedName === name)
  if (exact) return exact
  const [order, other] = orders.filter((each) => each.name === name)
  if (!order) throw new AppError('order-not-found', `order not found: ${name}`)
  if (!other) return order
  const instances = orders.filter((each) => each.name === name).map(({ scopedName }) => scopedName)
  throw new AppError('ambiguous-reference', `ambiguous order name "${name}": say which of ${instances.join(', ')}`)
}
