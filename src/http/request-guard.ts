import { createExchangeId } from '../core/ids.ts'
import { hasHost } from './authority.ts'
import type { Caller } from './caller.ts'
import { allowsOrigin, bearerTokenOf, checkRequest, type GuardedRequest, type GuardSettings, human } from './guard.ts'
import type { ResponseHead } from './operation-handler.ts'

/** Checks every request of a plane before it is routed. */
export interface RequestGuard {
  /** Waits a while before a request that cannot be judged yet; undefined when it can be, or does not say to which host it is sent. */
  awaitCaller?(request: Request): Promise<void> | undefined
  /** Throws an error for a request that is not allowed; answers preflights itself. */
  admit(request: Request, reply: ResponseHead): Response | undefined
  /** Throws an error for a body that does not fit the rest of an admitted request. */
  checkBody?(request: Request, bytes: Uint8Array): void
  /** The caller of an admitted request. */
  callerOf(request: Request): Caller
}

/** The guard by settings: it gives each request an id, sets its CORS headers, and admits it or throws. */
export class StandardGuard implements RequestGuard {
  readonly #callers = new WeakMap<Request, Caller>()

  constructor(private readonly settings: GuardSettings) {}

  awaitCaller(request: Request): Promise<void> | undefined {
    return this.settings.settle?.(() => tokenOf(request))
  }

  /** Throws an error for a request that is not allowed; answers preflights itself. */
  admit(request: Request, reply: ResponseHead): Response | undefined {
    const seen = new RequestFacts(request.method, request.headers)
    reply.headers['x-gc-request-id'] = createExchangeId()
    setCorsHeaders(reply.headers, seen.origin, this.settings)
    const caller = checkRequest(seen, this.settings)
    if (caller !== human) this.#callers.set(request, caller)
    return seen.method === 'OPTIONS' ? new Response(null, { status: 204 }) : undefined
  }

  /** The caller of an admitted request. */
  callerOf(request: Request): Caller {
    return this.#callers.get(request) ?? human
  }
}

/** The token of a request that says to which host it is sent. */
const tokenOf = (request: Request): string | undefined =>
  hasHost(request) ? bearerTokenOf(request.headers.get('authorization') ?? '') : undefined

/** A request as the guard sees it; a header that not all need is read when it is used. */
export class RequestFacts implements GuardedRequest {
  readonly origin: string | null

  constructor(
    readonly method: string,
    private readonly headers: Headers,
  ) {
    this.origin = headers.get('origin')
  }

  get host(): string | null {
    return this.headers.get('host')
  }

  get authorization(): string | null {
    return this.headers.get('authorization')
  }

  get mark(): string | null {
    return this.headers.get('x-gc-request')
  }

  get upgrade(): string | null {
    return this.headers.get('upgrade')
  }
}

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-GC-Request',
  'X-GC-City-Write',
  'X-GC-City-Read',
].join(', ')
const EXPOSED = [
  'X-GC-Index',
  'X-GC-Request-Id',
  'X-GC-Cache-Age-S',
  'X-GC-City-Failed',
  'Retry-After',
  'Location',
  'GC-Agent-Status',
  'GC-Session-State',
  'GC-Session-Status',
].join(', ')

/** Writes what a browser needs to let pages of an allowed origin read the response. */
function setCorsHeaders(headers: Record<string, unknown>, origin: string | null, settings: GuardSettings): void {
  headers.vary = 'Origin'
  if (origin === null || !allowsOrigin(origin, settings)) return
  headers['access-control-allow-origin'] = origin
  headers['access-control-allow-methods'] = METHODS
  headers['access-control-allow-headers'] = ALLOWED
  headers['access-control-expose-headers'] = EXPOSED
}
