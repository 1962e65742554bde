import { join } from 'node:path'
import type { Server } from 'bun'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import type { RequestHandler } from '../http/app.ts'
import { hasHost, pathOf } from '../http/authority.ts'
import { methodsOf } from '../http/paths.ts'
import type { FailedRequest, SocketData } from '../http/plane-options.ts'
import { ResponseWriter } from '../http/respond/index.ts'
import type { Route } from '../http/route.ts'
import { type Activity, isSigned } from './accounts/index.ts'
import { LeasedLimiter, type LeaseSource, type RequestLimit, requestLimits } from './limits/index.ts'
import {
  ClientAddresses,
  isLegacyPath,
  LegacyRequests,
  Network,
  PassedRequests,
  RequestCallers,
  readsLegacy,
  SENDER_HEADER,
  unavailableHandler,
} from './network/index.ts'
import { createReadPages, type ReadPages } from './pages/index.ts'
import { networkRoutes } from './routes.ts'
import type { Settings } from './shared/index.ts'
import { createNetworkPlane } from './social.ts'

/** Facts that the writer sends to a reader. */
export interface ReaderSetup {
  /** `GC_HOME`: the network's database lies in it. */
  readonly home: string
  readonly host: string
  readonly port: number
  /** The base of links. */
  readonly url: string
  /** The socket of the writer. */
  readonly socket: string
  readonly settings: Settings
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly hasProviders: boolean
}

/** The process that writes, as a reader uses it. */
export interface Writer {
  leases(limit: RequestLimit): LeaseSource
  passActivity(activity: Activity): void
}

interface ReaderOptions extends ReaderSetup {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly writer: Writer
  report(error: unknown, request?: FailedRequest): void
}

/** A process beside the writer that answers what only reads, and passes on everything else. */
export interface Reader {
  readonly handler: RequestHandler
  close(): Promise<void>
}

export async function createReader(options: ReaderOptions): Promise<Reader> {
  const { home, url, host, socket, settings, hosts, origins, hasProviders, clock, deadlines, writer, report } = options
  const passActivity = (activity: Activity) => writer.passActivity(activity)
  const path = join(home, 'social.db')
  const network = await Network.openToRead({
    path,
    clock,
    deadlines,
    settings,
    report,
    address: () => url,
    passActivity,
  })
  const limits = requestLimits(settings.limits)
  const limiter = (name: RequestLimit) => new LeasedLimiter(clock, deadlines, limits[name], writer.leases(name))
  const limiters = { general: limiter('general'), pages: limiter('pages'), localPages: limiter('localPages') }
  const passed = new PassedRequests()
  const addresses = new ClientAddresses(passed, settings.proxied)
  const callers = new RequestCallers()
  const all = networkRoutes(network, addresses, clock, callers)
  const [routes, others] = [all.filter(isRead), all.filter((route) => !isRead(route))]
  const responses = new ResponseWriter({ deadlines })
  const common = { clock, deadlines, hosts, report, writer: responses }
  const plane = createNetworkPlane(
    { network, addresses, legacy: new LegacyRequests(), callers, routes, limiter: limiters.general, countsAhead: true },
    { ...common, origins, listener: { host, isOwn: true, url: () => url } },
  )
  const pages = createReadPages({ ...common, network, limiters, passed, hasProviders })
  const [reads, writes] = [methodsOf(routes), methodsOf(others.filter(({ method }) => method === 'GET'))]
  const readsApi = (path: string) => reads(path) !== undefined && writes(path) === undefined
  const handler: RequestHandler = {
    fetch(request, server) {
      const path = hasHost(request) ? pathOf(request.url) : ''
      const target = isPlainRead(request, path) ? targetOf(path, readsApi, pages) : undefined
      if (target === 'pages') return pages.fetch(request, server)
      if (target !== 'api') return passOn(request, server, socket, report)
      addresses.remember(request, request, server)
      return plane.fetch(request, server)
    },
    stop() {
      plane.stop()
      pages.stop()
    },
  }
  return { handler, close: () => network.close() }
}

/** Operations that need a key and write nothing either. */
const KEYED_READS: ReadonlySet<string> = new Set(['getFeed'])

const isRead = ({ spec: { id, publicRead } }: Route): boolean => publicRead === true || KEYED_READS.has(id)

/** True if a request asks for something and brings nothing that must be written down. */
const isPlainRead = (request: Request, path: string): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !isSigned(request) &&
  !isLegacyPath(path) &&
  !readsLegacy(request) &&
  !isSearchOfCommunity(request, path)

/** Such a search takes a thread that writes in large networks. */
const isSearchOfCommunity = ({ url }: Request, path: string): boolean =>
  path.startsWith('/api/v1/search') && /[?&]submolt=/.test(url)

const targetOf = (path: string, readsApi: (path: string) => boolean, pages: ReadPages): 'api' | 'pages' | undefined => {
  if (/^\/api(\/|$)/.test(path)) return readsApi(path) ? 'api' : undefined
  return pages.has(path) ? 'pages' : undefined
}

/** Headers that belong to one connection (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Passes a request to the writer, with the address of its sender. */
async function passOn(
  request: Request,
  server: Server<SocketData>,
  socket: string,
  report: (error: unknown) => void,
): Promise<Response> {
  const headers = withoutConnection(request.headers)
  headers.set(SENDER_HEADER, server.requestIP(request)?.address ?? '')
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  const { method, signal } = request
  const hasBody = request.body !== null && method !== 'GET' && method !== 'HEAD'
  try {
    server.timeout(request, 0)
    const response = await fetch(request.url, {
      ...{ method, headers, signal, unix: socket, redirect: 'manual', decompress: false, keepalive: true },
      ...(hasBody && { body: request.body }),
    })
    return new Response(response.body, { status: response.status, headers: withoutConnection(response.headers) })
  } catch (error) {
    if (!signal.aborted) report(error)
    return unavailableHandler.fetch(request, server)
  }
}

function withoutConnection(all: Headers): Headers {
  const headers = new Headers(all)
  for (const name of CONNECTION_HEADERS) headers.delete(name)
  return headers
}
