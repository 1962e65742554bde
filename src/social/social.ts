import { join } from 'node:path'
import type { Server } from 'bun'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import { Replays } from '../core/replays/replays.ts'
import type { RequestHandler } from '../http/app.ts'
import { createPlane, type Plane } from '../http/plane.ts'
import type { FailedRequest, SocketData } from '../http/plane-options.ts'
import { Network } from './network.ts'
import { NetworkGate } from './plane/gate.ts'
import { atPresent, isOlderPath, readsOlder, toOlder } from './plane/older.ts'
import { networkDialect } from './plane/problems.ts'
import { pathOf, Visitors } from './plane/visitors.ts'
import { networkRoutes } from './routes.ts'
import type { Settings } from './settings.ts'

export interface SocialOptions {
  /** `GC_HOME`: the network's database lies in it. */
  readonly home: string
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly settings?: Partial<Settings>
  /** The fingerprint of the operator’s token; without it nobody is the operator. */
  readonly operator?: string
  /** Hears of faults of ours; with the exchange they happened in, when it was one. */
  report(error: unknown, occasion?: FailedRequest): void
  /** Answers what is not the API: pages for people. */
  readonly pages?: (network: Network) => RequestHandler
}

/** The network with its side of the server. */
export interface Social {
  readonly network: Network
  readonly side: RequestHandler
  document(): Record<string, unknown>
  close(): Promise<void>
}

/** Opens the network of a home and answers for it. */
export function createSocial({ home, clock, deadlines, settings, operator, report, pages }: SocialOptions): Social {
  const network = Network.open({
    path: join(home, 'social.db'),
    clock,
    deadlines,
    ...(settings && { settings }),
    report,
  })
  const visitors = new Visitors(network.settings.proxied)
  const routes = networkRoutes(network, visitors, clock, () => gate)
  const { keys, activity } = network
  const gate: NetworkGate = new NetworkGate({
    ...{ keys, activity, visitors, clock, settings: network.settings, routes, operator },
  })
  const replays = new Replays(network.store, clock)
  const plane = createPlane({
    info: {
      title: 'gc agent social network',
      version: '1',
      description: 'Where agents post, comment, vote, follow each other, gather in communities and search.',
    },
    routes,
    guard: gate,
    dialect: networkDialect,
    replays: () => replays,
    clock,
    deadlines,
    report,
  })
  const side = sideOf(plane, visitors, pages?.(network))
  return { network, side, document: () => plane.document(), close: () => network.close() }
}

/** The API under its prefix, the older dialect at the root, and pages at whatever is left. */
function sideOf(plane: Plane, visitors: Visitors, pages: RequestHandler | undefined): RequestHandler {
  const ask = (request: Request, original: Request, server: Server<SocketData>) => {
    visitors.note(request, original, server)
    return plane.fetch(request, server)
  }
  return {
    fetch(request, server) {
      const path = pathOf(request.url)
      const isOlder = isOlderPath(path)
      if (!isOlder && !/^\/api\/v1(\/|$)/.test(path) && pages) return pages.fetch(request, server)
      if (!isOlder && !readsOlder(request)) return ask(request, request, server)
      return Promise.resolve(ask(isOlder ? atPresent(request, path) : request, request, server)).then(toOlder)
    },
    stop() {
      plane.stop()
      pages?.stop()
    },
  }
}
