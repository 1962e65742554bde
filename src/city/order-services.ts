import { HostedCommands } from '../agents/commands/hosted-commands.ts'
import { programEnvironment } from '../agents/lifecycle/environment.ts'
import { OrderDispatcher, type OrderDispatcherOptions } from '../orchestration/orders/dispatch/dispatcher.ts'
import type { CityDependencies } from './dependencies.ts'

type OrderServicesOptions = CityDependencies & Omit<OrderDispatcherOptions, 'commands' | 'environment'>

/** What runs the orders of a city. */
export function buildOrders(options: OrderServicesOptions) {
  const { name: city, host } = options
  return {
    orderDispatcher: new OrderDispatcher({
      ...options,
      commands: {
        orders: new HostedCommands({ city, kind: 'order', host }),
        conditions: new HostedCommands({ city, kind: 'condition', host }),
      },
      environment: () => programEnvironment({ ...options, city }),
    }),
  }
}
