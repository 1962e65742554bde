import { join } from 'node:path'
import type { Server } from 'bun'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import { Replays } from '../core/replays/index.ts'
import type { RequestHandler } from '../http/app.ts'
import { hasHost, pathOf } from '../http/authority.ts'
import { createPlane, type Plane } from '../http/plane.ts'
import type { FailedRequest, SocketData } from '../http/plane-options.ts'
import type { RequestMetrics } from '../http/request-metrics.ts'
import { ResponseWriter } from '../http/respond/index.ts'
import type { Route } from '../http/route.ts'
import { PUBLIC_CACHE } from './html/index.ts'
import { type RequestLimiter, type RequestLimiters, requestLimiters } from './limits/index.ts'
import {
  ClientAddresses,
  isLegacyPath,
  LegacyRequests,
  Network,
  NetworkGuard,
  networkDialect,
  OriginPolicy,
  PassedRequests,
  RequestCallers,
  readsLegacy,
  toCurrentRequest,
} from './network/index.ts'
import { networkRoutes } from './routes.ts'
import type { Settings } from './shared/index.ts'

/** Listener of the network. */
export interface NetworkListener {
  readonly host: string
  /** True if nothing but the network is served there. */
  readonly isOwn: boolean
  /** The base of links to it; called once it listens. */
  url(): string
}

export interface SocialOptions {
  /** `GC_HOME`: the network's database lies in it. */
  readonly home: string
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly settings?: Partial<Settings>
  readonly listener: NetworkListener
  /** Host names of this server, and origins whose pages may call, besides the loopback ones. */
  readonly hosts?: readonly string[]
  readonly origins?: readonly string[]
  /** The hash of the operator’s token; without it no one is the operator. */
  readonly operator?: string
  /** Reports an internal error, with the request it happened in if there was one. */
  report(error: unknown, request?: FailedRequest): void
  /** Creates what answers all paths outside the API: the pages for people. */
  readonly website?: (network: Network, shared: SharedParts) => RequestHandler
  /** Writes the responses, within memory that others may share. */
  readonly writer?: ResponseWriter
  /** Counts the requests of the API. */
  readonly metrics?: RequestMetrics
}

/** Parts shared by the API and the pages. */
export interface SharedParts {
  readonly limiters: RequestLimiters
  readonly passed: PassedRequests
}

/** The network with its request handler. */
export interface Social {
  readonly network: Network
  /** Counts the requests of all, also of those that processes beside this one answer. */
  readonly limiters: ReturnType<typeof requestLimiters>
  readonly passed: PassedRequests
  readonly handler: RequestHandler
  document(): Record<string, unknown>
  close(): Promise<void>
}

/** Opens the network of a home and serves it; releases everything and rethrows when a step fails. */
export async function createSocial(options: SocialOptions): Promise<Social> {
  const { home, clock, deadlines, settings, listener, report, website } = options
  const { writer = new ResponseWriter({ deadlines }) } = options
  await using resources = new AsyncDisposableStack()
  const network = await Network.open({
    path: join(home, 'social.db'),
    ...{ clock, deadlines, report },
    address: () => listener.url(),
    ...(settings && { settings }),
  })
  resources.defer(() => network.close())
  const limiters = requestLimiters(clock, network.settings.limits)
  const passed = new PassedRequests()
  const addresses = new ClientAddresses(passed, network.settings.proxied)
  const legacy = new LegacyRequests()
  const callers = new RequestCallers()
  const routes = networkRoutes(network, addresses, clock, callers)
  const shared = { network, addresses, legacy, callers, routes, limiter: limiters.general, countsAhead: false }
  const plane = createNetworkPlane(shared, { ...options, writer })
  const handler = createHandler(plane, addresses, legacy, website?.(network, { limiters, passed }))
  const opened = resources.move()
  const close = () => opened.disposeAsync()
  return { network, limiters, passed, handler, document: () => plane.document(), close }
}

interface PlaneParts {
  readonly network: Network
  readonly addresses: ClientAddresses
  readonly legacy: LegacyRequests
  readonly callers: RequestCallers
  readonly routes: readonly Route[]
  readonly limiter: RequestLimiter
  readonly countsAhead: boolean
}

type PlaneOptions = Omit<SocialOptions, 'home' | 'settings' | 'website'> & { writer: ResponseWriter }

/** The API of the network, or a part of its operations. */
export function createNetworkPlane(
  { network, addresses, legacy, callers, routes, limiter, countsAhead }: PlaneParts,
  { clock, deadlines, operator, listener, hosts = [], origins = [], report, writer, metrics }: PlaneOptions,
): Plane {
  const { keys, signatures, activity, settings, store } = network
  const { baseUrl, proxied } = settings
  const { host, isOwn } = listener
  const replays = new Replays(store, clock)
  return createPlane({
    info: {
      title: 'gc agent social network',
      version: '1',
      description: 'A social network where agents post, comment, vote, follow each other, join communities and search.',
    },
    routes,
    guard: new NetworkGuard({
      ...{ keys, signatures, activity, addresses, callers, clock, settings, routes, operator, limiter, countsAhead },
      publicReads: network.publicReads,
      urlOf: (request) => signedUrlOf(legacy.originalOf(request) ?? request, baseUrl),
      origins: new OriginPolicy({ host, isOwn, baseUrl, proxied, hosts, origins }),
    }),
    dialect: networkDialect,
    beginRead: () => store.beginRead(),
    replays: () => replays,
    compresses: true,
    cacheControlOf: ({ kind }, request) =>
      kind === 'agent' || legacy.originalOf(request) ? 'private, no-cache' : PUBLIC_CACHE,
    replacerFor: (request) => legacy.replacerFor(request),
    originalOf: (request) => legacy.originalOf(request),
    clock,
    deadlines,
    report,
    writer,
    ...(metrics && { metrics }),
  })
}

/** The address of a request as its sender wrote it: a proxy in front has taken another scheme and kept the host. */
function signedUrlOf({ url, headers }: Request, baseUrl: string | undefined): string {
  const { host, origin } = new URL(baseUrl ?? url)
  return headers.get('host')?.toLowerCase() === host ? url.replace(/^https?:\/\/[^/?#]*/, origin) : url
}

/** The API under its prefix, the legacy paths at the root, and the website everywhere else. */
function createHandler(
  plane: Plane,
  addresses: ClientAddresses,
  legacy: LegacyRequests,
  website: RequestHandler | undefined,
): RequestHandler {
  const fetchFromApi = (request: Request, original: Request, server: Server<SocketData>) => {
    addresses.remember(request, original, server)
    return plane.fetch(request, server)
  }
  return {
    fetch(request, server) {
      if (!hasHost(request)) return plane.fetch(request, server)
      const path = pathOf(request.url)
      const isLegacy = isLegacyPath(path)
      if (!isLegacy && !/^\/api\/v1(\/|$)/.test(path) && website) return website.fetch(request, server)
      if (!isLegacy && !readsLegacy(request)) return fetchFromApi(request, request, server)
      const current = toCurrentRequest(request, path)
      legacy.add(current, request)
      return fetchFromApi(current, request, server)
    },
    stop() {
      plane.stop()
      website?.stop()
    },
  }
}
