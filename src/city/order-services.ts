import { HostedCommands } from '../agents/commands/hosted-commands.ts'
import { programEnvironment } from '../agents/lifecycle/environment.ts'
import type { Config } from '../config/config.ts'
import { OrderControl } from '../orchestration/orders/control.ts'
import { OrderDispatcher, type OrderDispatcherOptions } from '../orchestration/orders/dispatch/dispatcher.ts'
import { OrderHistory } from '../orchestration/orders/history/history.ts'
import { Orders } from '../orchestration/orders/orders.ts'
import type { BeadReader } from '../work/beads/reader.ts'
import type { CityDependencies } from './dependencies.ts'

type OrderServicesOptions = CityDependencies &
  Omit<OrderDispatcherOptions, 'commands' | 'environment'> & { config: Config; beadReader: BeadReader }

/** What runs the orders of a city, and what clients see of them. */
export function buildOrders(options: OrderServicesOptions) {
  const { name: city, host } = options
  const orderDispatcher = new OrderDispatcher({
    ...options,
    commands: {
      orders: new HostedCommands({ city, kind: 'order', host }),
      conditions: new HostedCommands({ city, kind: 'condition', host }),
    },
    environment: () => programEnvironment({ ...options, city }),
  })
  const orderHistory = new OrderHistory({ ...options, orderRuns: orderDispatcher.runs })
  return {
    orderDispatcher,
    orderHistory,
    orders: new Orders(options),
    orderControl: new OrderControl({ ...options, orderDispatcher, orderHistory }),
  }
}
