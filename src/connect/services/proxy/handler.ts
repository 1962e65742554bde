import type { Server } from 'bun'
import type { ServiceConfig } from '../../../config/services/index.ts'
import { AppError } from '../../../core/errors.ts'
import { createExchangeId } from '../../../core/ids.ts'
import type { RequestHandler } from '../../../http/app.ts'
import { hasHost, isLoopback, pathOf } from '../../../http/authority.ts'
import type { Caller } from '../../../http/caller.ts'
import { bearerTokenOf, checkRequest, type GuardSettings, unauthenticated, unauthorized } from '../../../http/guard.ts'
import { type AccessPolicy, checkAccess } from '../../../http/needs.ts'
import { decodeSegment } from '../../../http/paths.ts'
import type { SocketData } from '../../../http/plane-options.ts'
import { RequestFacts } from '../../../http/request-guard.ts'
import { problemDetails, toAppError } from '../../../http/respond/index.ts'
import type { RunningService } from '../running-service.ts'
import type { Services } from '../services.ts'
import type { ServiceProxy } from './proxy.ts'

interface ServiceHandlerOptions {
  proxy: ServiceProxy
  /** The services of a running city; throws when there is no such city, or it does not run. */
  servicesOf(city: string): Pick<Services, 'find'>
  /** Guard of callers; absent on the public listener, which only has direct services. */
  guard?: GuardSettings
  access: AccessPolicy
  report(error: unknown): void
}

/** An address below a service. */
interface ServiceAddress {
  readonly city: string
  readonly name: string
  /** Path and query that the service sees, from `/` on. */
  readonly path: string
}

const MOUNT = /^\/v0\/city\/([^/]+)\/svc\/([^/]+)(?=\/|$)/

/** Passes requests on to services and leaves others to `next`. */
export const withServices = (options: ServiceHandlerOptions, next: RequestHandler): RequestHandler => ({
  fetch(request, server) {
    const address = request.url.includes('/svc/') && hasHost(request) ? parseAddress(request.url) : undefined
    return address ? handle(options, address, request, server) : next.fetch(request, server)
  },
  stop: () => next.stop(),
})

async function handle(
  options: ServiceHandlerOptions,
  { city, name, path }: ServiceAddress,
  request: Request,
  server: Server<SocketData>,
): Promise<Response> {
  try {
    const { guard, access } = options
    await guard?.settle?.(() => bearerTokenOf(request.headers.get('authorization') ?? ''))
    const found = find(options, city, name)
    const { publishMode = 'private' } = found.running?.service ?? {}
    const peer = server.requestIP(request)?.address
    if (guard) admit({ request, city, publishMode, peer }, guard, access)
    else admitPublic(found.running?.service, request)
    const { running } = found
    if (!running) throw found.error
    return await options.proxy.pass({ request, server, city, running, path })
  } catch (error) {
    if (!(error instanceof AppError)) options.report(error)
    return problem(toAppError(error))
  }
}

/** A service, or why there is none: only allowed callers see it. */
function find(
  { servicesOf }: ServiceHandlerOptions,
  city: string,
  name: string,
): { running?: RunningService; error: unknown } {
  try {
    const running = servicesOf(city).find(name)
    return { error: nothingHere(), ...(running && { running }) }
  } catch (error) {
    return { error }
  }
}

/** Other machines learn neither which cities there are nor which services. */
function admitPublic(service: ServiceConfig | undefined, request: Request): void {
  if (service?.publishMode !== 'direct') throw nothingHere()
  if (request.headers.has('upgrade') && !service.allowWebsockets) {
    throw new AppError(
      'forbidden',
      'this service takes no WebSockets from other machines: set allow_websockets in its [service.publication]',
    )
  }
}

/** Undefined for any address that is not below a service. */
function parseAddress(url: string): ServiceAddress | undefined {
  const path = pathOf(url)
  const [mount, city, name] = MOUNT.exec(path) ?? []
  if (mount === undefined || city === undefined || name === undefined) return undefined
  const query = url.indexOf('?')
  const rest = path.slice(mount.length) || '/'
  return { city: decodeSegment(city), name: decodeSegment(name), path: query < 0 ? rest : `${rest}${url.slice(query)}` }
}

const problem = (error: AppError): Response =>
  new Response(JSON.stringify(problemDetails.body(error)), {
    status: error.status,
    headers: { 'content-type': problemDetails.media, 'x-gc-request-id': createExchangeId(), ...error.headers },
  })

/** A request to a service on the address of the API. */
interface ServiceRequest {
  readonly request: Request
  readonly city: string
  readonly publishMode: ServiceConfig['publishMode']
  /** The address at the other end of the connection. */
  readonly peer: string | undefined
}

/**
 * Throws unless the request may go to the service. A private one is for programs of this machine, and for those that say
 * with `X-GC-Request` that no page sent them; a direct one judges its callers itself.
 */
function admit({ request, city, publishMode, peer }: ServiceRequest, guard: GuardSettings, access: AccessPolicy): void {
  const facts = new RequestFacts(request.method === 'OPTIONS' ? 'POST' : request.method, request.headers)
  if (publishMode === 'direct') {
    const { method, host, authorization, upgrade } = facts
    const open = { method, host, authorization, upgrade, origin: null, mark: 'direct' }
    checkCaller(checkRequest(open, { ...guard, readOnly: false }), request, city, access)
    return
  }
  const isHere = peer !== undefined && isLoopback(peer)
  if (!isHere && !facts.mark) throw nothingHere()
  checkCaller(checkRequest(facts, guard), request, city, access)
}

function checkCaller(caller: Caller, { method }: Request, city: string, access: AccessPolicy): void {
  if (caller === unauthenticated) throw unauthorized('this server requires a token: send Authorization: Bearer <token>')
  const needs = method === 'GET' || method === 'HEAD' ? 'read' : 'work'
  const request = { caller, params: { cityName: city }, query: {}, body: {} }
  checkAccess({ needs }, request, 'Call a service', access)
}

/** Response for an unknown service, and for one hidden from the caller. */
const nothingHere = (): AppError =>
  new AppError(
    'service-not-found',
    'not_found: there is no service at this address; gc service list names those that are',
  )
