import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import { AppError } from '../core/errors.ts'
import type { RequestHandler } from '../http/app.ts'
import { isLoopback } from '../http/guard.ts'
import type { FailedRequest } from '../http/plane-options.ts'
import { Doors } from './claim/doors.ts'
import { Guests } from './claim/guests.ts'
import { Owners } from './claim/owners.ts'
import { Provider, type ProviderSettings } from './claim/provider.ts'
import { claimRoutes } from './claim/routes.ts'
import { SignIns } from './claim/sign-ins.ts'
import { joiningRoutes } from './joining/joining.ts'
import type { Network } from './network.ts'
import { baseOf } from './pages/arrival.ts'
import { Reads } from './pages/reads.ts'
import { pageRoutes } from './pages/routes.ts'
import { createSite } from './pages/site.ts'
import type { PageRoute } from './pages/visit.ts'
import { Traffic } from './plane/traffic.ts'
import { Visitors } from './plane/visitors.ts'

export interface PeopleOptions {
  readonly network: Network
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Names of this server beside those of this machine. */
  readonly hosts: readonly string[]
  /** Where people prove who they are; with none, the operator approves claims. */
  readonly providers: readonly ProviderSettings[]
  report(error: unknown, occasion?: FailedRequest): void
}

/** Pages one address may look at in a minute; this machine's own are free unless a proxy stands before us. */
const VISITS = { count: 300, window: 60_000 }

/** Everything people see of the network. */
export function createPeople(options: PeopleOptions): RequestHandler {
  const { network, clock, deadlines, hosts, report } = options
  const { baseUrl, proxied } = network.settings
  const visitors = new Visitors(proxied)
  const traffic = new Traffic(clock, VISITS)
  return createSite({
    routes: routesOf(options),
    deadlines,
    baseOf: (request) => baseOf(request, { baseUrl, hosts }),
    note: (request, server) => visitors.note(request, request, server),
    admit(request) {
      if (!proxied && isLoopback(visitors.addressOf(request))) return
      const { over, reset } = traffic.take(visitors.groupOf(request))
      if (over) throw tooOften(Math.max(1, Math.ceil((reset - clock.now()) / 1000)))
    },
    report,
  })
}

function routesOf({ network, clock, deadlines, providers: settings, report }: PeopleOptions): PageRoute[] {
  const { store, agents, suspensions, keys, claims } = network
  const providers = settings.map((one) => new Provider(one, clock, deadlines))
  const guests = new Guests(store, clock, new Set(providers.map(({ key }) => key)))
  const doors = new Doors(providers, guests, new SignIns(clock), report)
  const owners = new Owners(store, agents, suspensions, keys, claims)
  return [
    ...pageRoutes(new Reads(network), clock),
    ...joiningRoutes({ ...network.settings, hasProviders: providers.length > 0 }),
    ...claimRoutes({ doors, claims, owners, clock }),
  ]
}

const tooOften = (wait: number): AppError =>
  new AppError('rate-limited', `that was too much at once; come back in ${wait} seconds`, {
    headers: { 'retry-after': String(wait) },
  })
