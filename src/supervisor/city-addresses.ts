import { withServices } from '../connect/services/proxy/handler.ts'
import { ServiceProxy } from '../connect/services/proxy/proxy.ts'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import type { RequestHandler } from '../http/app.ts'
import type { GuardSettings } from '../http/guard.ts'
import { accessPolicy } from './access.ts'
import type { Cities } from './cities.ts'
import { stackOf } from './stack.ts'

interface CityAddressesOptions {
  cities: Pick<Cities, 'findRunning' | 'requireRunning'>
  clock: Clock
  deadlines: Deadlines
  report(message: string): void
}

/** The addresses of cities that are no operations: what comes to them is passed on as it is. */
export class CityAddresses {
  readonly #proxy: ServiceProxy

  constructor(private readonly options: CityAddressesOptions) {
    this.#proxy = new ServiceProxy(options)
  }

  /** Answers at these addresses, and leaves others to `next`; without a guard, as other machines may see them. */
  before(next: RequestHandler, guard?: GuardSettings): RequestHandler {
    const { cities, report } = this.options
    return withServices(
      {
        proxy: this.#proxy,
        servicesOf: (city) => cities.requireRunning(city).services,
        ...(guard && { guard }),
        access: accessPolicy((city) => cities.findRunning(city)),
        report: (error) => report(stackOf(error)),
      },
      next,
    )
  }
}
