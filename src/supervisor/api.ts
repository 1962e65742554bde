import { Readiness } from '../agents/readiness/index.ts'
import { SessionStreamCommonEvent } from '../agents/sessions/index.ts'
import { eventShapes, knownEvents } from '../city/events/index.ts'
import { ServiceProxy, withServices } from '../connect/services/index.ts'
import { withWebhooks } from '../connect/webhooks/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import type { Store } from '../core/store/index.ts'
import type { RequestHandler } from '../http/app.ts'
import type { GuardSettings } from '../http/guard.ts'
import { notFoundHandler } from '../http/not-found.ts'
import type { ProcessTokens } from '../http/process-tokens.ts'
import { accessPolicy } from './access.ts'
import { allRoutes } from './all-routes.ts'
import type { Cities } from './cities.ts'
import { Metrics } from './metrics.ts'
import type { ServedNetwork } from './served-network.ts'
import { stackOf } from './stack.ts'
import { createSupervisorPlane, type SupervisorPlaneOptions } from './supervisor-plane.ts'
import { wakesCities } from './waking-handler.ts'

export interface ApiOptions extends CityAddressesOptions {
  plane: SupervisorPlaneOptions
  processTokens: ProcessTokens
  network: ServedNetwork
  store: Store
  env: Readonly<Record<string, string | undefined>>
  isReadOnly: boolean
  reportError(error: unknown): void
}

interface Api {
  /** The operations, hooks and services, as callers of the supervisor reach them. */
  readonly main: RequestHandler
  /** Hooks and direct services, as other machines reach them. */
  readonly public: RequestHandler
}

/** Builds what answers for cities. */
export function createApi(options: ApiOptions): Api {
  const { cities, clock, deadlines, processTokens, isReadOnly, env } = options
  const { gc, guard, metrics: requests } = options.plane
  const metrics = new Metrics({
    ...{ cities, store: options.store, deadlines, version: gc.version, requests },
    network: () => options.network,
    report: options.reportError,
  })
  const readiness = new Readiness({ clock, deadlines, env, tokens: processTokens })
  const plane = createSupervisorPlane(options.plane, {
    routes: allRoutes({ gc, readiness, metrics }),
    shapes: [...eventShapes(knownEvents), SessionStreamCommonEvent],
  })
  gc.people.onRemoved((id) => plane.endRequestsOf((caller) => caller.kind === 'person' && caller.id === id))
  const addresses = new CityAddresses(options)
  const hooks = {
    webhooksOf: (city: string) => cities.findRunning(city)?.webhooks,
    isClosed: (city: string) => cities.listClosed().some(({ name }) => name === city),
    isReadOnly,
  }
  return {
    main: wakesCities(cities, guard, withWebhooks({ ...hooks, isPublic: false }, addresses.before(plane, guard))),
    public: wakesCities(
      cities,
      undefined,
      withWebhooks({ ...hooks, isPublic: true }, addresses.before(notFoundHandler)),
    ),
  }
}

interface CityAddressesOptions {
  cities: Cities
  clock: Clock
  deadlines: Deadlines
  report(message: string): void
}

/** The addresses of cities that are not operations: what comes to them is passed on unchanged. */
class CityAddresses {
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
