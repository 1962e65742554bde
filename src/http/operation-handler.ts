import { AppError } from '../core/errors.ts'
import { type PullSource, toPullSource } from '../core/pull-source.ts'
import type { Caller } from './caller.ts'
import { ActiveExchange, type ActiveRequests } from './exchange.ts'
import { unauthenticated, unauthorized } from './guard.ts'
import { IDEMPOTENCY_KEY, type Idempotency } from './idempotency.ts'
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

/** What every operation of a plane is answered with. */
export interface PlaneServices {
  readonly activeRequests: ActiveRequests
  readonly idempotency: Idempotency
  callerOf(request: Request): Caller
  beginRead(params: Readonly<Record<string, string>>): void
  index(params: Readonly<Record<string, string>>): number | undefined
  /** Keeps the connection of a request while nothing is sent, however long that is. */
  disableTimeout(request: Request): void
  /** Waits until an event newer than `index` is recorded, or for `ms`. */
  waitForEvent(params: ActiveExchange['params'], index: number, ms: number, turn: ActiveExchange): Promise<void>
  stream(turn: ActiveExchange, frames: PullSource<SseFrame>): ReadableStream<Uint8Array>
  /** Turns the request into a WebSocket; false when it is not one. */
  upgrade(request: Request, connection: Connection, headers: Record<string, string>): boolean
  /** Says why it was turned down: sets status and headers, returns the body. */
  writeError(error: unknown, request: Request, reply: ResponseHead): string
}

/** Answers one operation: validates, waits where asked to, calls its handler, and writes what it returned. */
export class OperationHandler {
  readonly #declared: RequestValidator
  readonly #outcome: SuccessKind
  readonly #index: boolean
  readonly #age: boolean
  readonly #repeatable: boolean
  readonly #reads: boolean

  constructor(
    private readonly route: Route,
    private readonly at: RouterPath,
    private readonly desk: PlaneServices,
  ) {
    this.#declared = new RequestValidator(route)
    this.#outcome = successKindOf(route.spec.ok)
    this.#index = route.spec.index === true
    this.#age = this.#index || route.spec.age === true
    this.#reads = route.method === 'GET'
    this.#repeatable = route.spec.headers?.[IDEMPOTENCY_KEY] !== undefined
  }

  /** What Elysia sends. Synchronous where the handler is. */
  handle(request: Request, found: Record<string, string | null>, reply: ResponseHead, body: unknown): unknown {
    let turn: ActiveExchange | undefined
    try {
      const begun = this.#turn(request, found, reply, body)
      turn = begun
      const value = this.#value(begun)
      if (!(value instanceof Promise)) return this.#write(begun, reply, value)
      return value
        .then((late) => this.#write(begun, reply, late))
        .catch((error) => this.#refuse(error, request, reply, begun))
    } catch (error) {
      return this.#refuse(error, request, reply, turn)
    }
  }

  #turn(request: Request, found: Record<string, string | null>, reply: ResponseHead, body: unknown): ActiveExchange {
    const caller = this.desk.callerOf(request)
    const isSocket = this.#outcome.kind === 'socket'
    if (caller === unauthenticated && !isSocket) throw unauthorized('only a socket may be opened without a token')
    const params = decodeParams(this.at.names, found)
    const search = searchOf(request.url)
    const query = this.#declared.query(search)
    const id = String(reply.headers['x-gc-request-id'])
    const checked = this.#declared.body(body)
    if (isSocket && request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw noUpgrade()
    return new ActiveExchange(request, id, caller, params, query, checked, this.desk.activeRequests)
  }

  #value(turn: ActiveExchange): unknown {
    if (this.route.spec.longRunning) this.desk.disableTimeout(turn.request)
    const key = this.#repeatable ? turn.request.headers.get('idempotency-key') : null
    if (key) return this.desk.idempotency.run(turn, key, () => this.route.handle(turn))
    const waiting = this.#declared.blockingQuery(searchOf(turn.request.url))
    if (!waiting) return this.#call(turn)
    return this.desk.waitForEvent(turn.params, waiting.index, waiting.ms, turn).then(() => this.#call(turn))
  }

  /** Calls the handler; what a GET reads before it first waits, it reads in one transaction. */
  #call(turn: ActiveExchange): unknown {
    if (this.#reads) this.desk.beginRead(turn.params)
    return this.route.handle(turn)
  }

  #write(turn: ActiveExchange, reply: ResponseHead, value: unknown): unknown {
    if (this.#index) reply.headers['x-gc-index'] = String(this.desk.index(turn.params) ?? 0)
    if (this.#age) reply.headers['x-gc-cache-age-s'] = '0'
    const replied = turn.explicitResponse
    if (replied) Object.assign(reply.headers, replied.headers)
    const written = this.#written(turn, reply, value)
    if (replied?.status !== undefined) reply.status = replied.status
    if (this.#outcome.kind !== 'stream') turn.end()
    return written
  }

  #written(turn: ActiveExchange, reply: ResponseHead, value: unknown): unknown {
    const outcome = this.#outcome
    if (outcome.kind === 'json') return writeJson(reply, value, outcome)
    if (outcome.kind === 'stream') return this.#writeStream(turn, reply, value as SseFrames)
    if (outcome.kind === 'socket') return this.#open(turn, reply, value as Connection)
    reply.headers['content-type'] ??= outcome.media
    return new Response(value as ConstructorParameters<typeof Response>[0])
  }

  #writeStream(turn: ActiveExchange, reply: ResponseHead, value: SseFrames): Response {
    Object.assign(reply.headers, STREAM_HEADERS)
    const frames = 'take' in value ? value : toPullSource(value)
    if (turn.request.method !== 'HEAD') return new Response(this.desk.stream(turn, frames))
    frames.close()
    turn.end()
    return new Response(null)
  }

  #open(turn: ActiveExchange, reply: ResponseHead, connection: Connection): Response {
    const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]))
    if (!this.desk.upgrade(turn.request, connection, headers)) throw noUpgrade()
    return new Response(null)
  }

  #refuse(error: unknown, request: Request, reply: ResponseHead, turn?: ActiveExchange): string {
    turn?.end()
    return this.desk.writeError(error, request, reply)
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

/** The text after the `?`. */
function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

const noUpgrade = (): AppError =>
  new AppError('invalid-request', 'this address speaks WebSocket: connect with an upgrade', {
    status: 426,
    headers: { upgrade: 'websocket' },
  })
