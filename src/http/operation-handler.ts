import { AppError } from '../core/errors.ts'
import { type PullSource, toPullSource } from '../core/pull-source.ts'
import type { Caller } from './caller.ts'
import { ActiveExchange, type ActiveRequests } from './exchange.ts'
import { unauthenticated, unauthorized } from './guard.ts'
import { IDEMPOTENCY_KEY, type Idempotency } from './idempotency.ts'
import { type AccessPolicy, checkAccess, type DetailedNeed, needOf } from './needs.ts'
import type { RouterPath } from './paths.ts'
import { RenderedJson } from './rendered.ts'
import { decodeParams, RequestValidator, type SuccessKind, successKindOf } from './request-validator.ts'
import type { Connection, Route } from './route.ts'
import { type SseFrame, type SseFrames, STREAM_HEADERS } from './sse.ts'

/** What is sent beside the body; Elysia's `set`. */
export interface ResponseHead {
  status?: number | string
  headers: Record<string, string | number>
}

/** What the operations of a plane share. */
export interface PlaneServices {
  readonly activeRequests: ActiveRequests
  readonly idempotency: Idempotency
  readonly access: AccessPolicy | undefined
  callerOf(request: Request): Caller
  beginRead(params: Readonly<Record<string, string>>): void
  index(params: Readonly<Record<string, string>>): number | undefined
  /** Keeps the connection of a request while nothing is sent, however long that is. */
  disableTimeout(request: Request): void
  /** Waits until an event newer than `index` is recorded, or for `ms`. */
  waitForEvent(params: ActiveExchange['params'], index: number, ms: number, exchange: ActiveExchange): Promise<void>
  stream(exchange: ActiveExchange, frames: PullSource<SseFrame>): ReadableStream<Uint8Array>
  /** Turns the request into a WebSocket; false when it is not one. */
  upgrade(request: Request, connection: Connection, headers: Record<string, string>): boolean
  /** Writes an error: sets status and headers, returns the body. */
  writeError(error: unknown, request: Request, reply: ResponseHead): string
}

/** Handles one operation: validates the request, waits if asked to, calls the handler, and writes its result. */
export class OperationHandler {
  readonly #declared: RequestValidator
  readonly #outcome: SuccessKind
  readonly #index: boolean
  readonly #age: boolean
  readonly #repeatable: boolean
  readonly #reads: boolean
  readonly #need: DetailedNeed

  constructor(
    private readonly route: Route,
    private readonly at: RouterPath,
    private readonly services: PlaneServices,
  ) {
    this.#declared = new RequestValidator(route)
    this.#outcome = successKindOf(route.spec.ok)
    this.#index = route.spec.index === true
    this.#age = this.#index || route.spec.age === true
    this.#reads = route.method === 'GET'
    this.#need = needOf(route)
    this.#repeatable = route.spec.headers?.[IDEMPOTENCY_KEY] !== undefined
  }

  /** Returns what Elysia sends; synchronous where the handler is. */
  handle(request: Request, pathParams: Record<string, string | null>, reply: ResponseHead, body: unknown): unknown {
    let exchange: ActiveExchange | undefined
    try {
      const begun = this.#exchange(request, pathParams, reply, body)
      exchange = begun
      const value = this.#value(begun)
      if (!(value instanceof Promise)) return this.#write(begun, reply, value)
      return value
        .then((late) => this.#write(begun, reply, late))
        .catch((error) => this.#writeError(error, request, reply, begun))
    } catch (error) {
      return this.#writeError(error, request, reply, exchange)
    }
  }

  #exchange(
    request: Request,
    pathParams: Record<string, string | null>,
    reply: ResponseHead,
    body: unknown,
  ): ActiveExchange {
    const caller = this.services.callerOf(request)
    const isSocket = this.#outcome.kind === 'socket'
    if (caller === unauthenticated && !isSocket) throw unauthorized('only a socket may be opened without a token')
    const params = decodeParams(this.at.names, pathParams)
    const search = searchOf(request.url)
    const query = this.#declared.query(search)
    const id = String(reply.headers['x-gc-request-id'])
    const checked = this.#declared.body(body)
    const { access } = this.services
    if (access) checkAccess(this.#need, { caller, params, query, body: checked }, this.route.spec.summary, access)
    if (isSocket && request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw noUpgrade()
    return new ActiveExchange(request, id, caller, params, query, checked, this.services.activeRequests)
  }

  #value(exchange: ActiveExchange): unknown {
    if (this.route.spec.longRunning) this.services.disableTimeout(exchange.request)
    const key = this.#repeatable ? exchange.request.headers.get('idempotency-key') : null
    if (key) return this.services.idempotency.run(exchange, key, () => this.route.handle(exchange))
    const waiting = this.#declared.blockingQuery(searchOf(exchange.request.url))
    if (!waiting) return this.#call(exchange)
    return this.services
      .waitForEvent(exchange.params, waiting.index, waiting.ms, exchange)
      .then(() => this.#call(exchange))
  }

  /** Calls the handler; what a GET reads before it first waits, it reads in one transaction. */
  #call(exchange: ActiveExchange): unknown {
    if (this.#reads) this.services.beginRead(exchange.params)
    return this.route.handle(exchange)
  }

  #write(exchange: ActiveExchange, reply: ResponseHead, value: unknown): unknown {
    if (this.#index) reply.headers['x-gc-index'] = String(this.services.index(exchange.params) ?? 0)
    if (this.#age) reply.headers['x-gc-cache-age-s'] = '0'
    const replied = exchange.explicitResponse
    if (replied) Object.assign(reply.headers, replied.headers)
    const written = this.#written(exchange, reply, value)
    if (replied?.status !== undefined) reply.status = replied.status
    if (this.#outcome.kind !== 'stream') exchange.end()
    return written
  }

  #written(exchange: ActiveExchange, reply: ResponseHead, value: unknown): unknown {
    const outcome = this.#outcome
    if (outcome.kind === 'json') return writeJson(reply, value, outcome)
    if (outcome.kind === 'stream') return this.#writeStream(exchange, reply, value as SseFrames)
    if (outcome.kind === 'socket') return this.#open(exchange, reply, value as Connection)
    reply.headers['content-type'] ??= outcome.media
    return new Response(value as ConstructorParameters<typeof Response>[0])
  }

  #writeStream(exchange: ActiveExchange, reply: ResponseHead, value: SseFrames): Response {
    Object.assign(reply.headers, STREAM_HEADERS)
    const frames = 'take' in value ? value : toPullSource(value)
    if (exchange.request.method !== 'HEAD') return new Response(this.services.stream(exchange, frames))
    frames.close()
    exchange.end()
    return new Response(null)
  }

  #open(exchange: ActiveExchange, reply: ResponseHead, connection: Connection): Response {
    const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]))
    if (!this.services.upgrade(exchange.request, connection, headers)) throw noUpgrade()
    return new Response(null)
  }

  #writeError(error: unknown, request: Request, reply: ResponseHead, exchange?: ActiveExchange): string {
    exchange?.end()
    return this.services.writeError(error, request, reply)
  }
}

function writeJson(
  reply: ResponseHead,
  value: unknown,
  { status, empty }: { status: number; empty: boolean },
): unknown {
  reply.status = status
  if (empty) return new Response(null)
  reply.headers['content-type'] = 'application/json'
  return value instanceof RenderedJson ? value.text : JSON.stringify(value)
}

/** The query string, without the `?`. */
function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

const noUpgrade = (): AppError =>
  new AppError('invalid-request', 'this address speaks WebSocket: connect with an upgrade', {
    status: 426,
    headers: { upgrade: 'websocket' },
  })
