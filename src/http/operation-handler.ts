import { nextTick } from '../core/event-loop.ts'
import type { PullSource } from '../core/pull-source.ts'
import { searchOf } from './authority.ts'
import type { BlockingQuery } from './blocking-query.ts'
import { type Caller, nameOf } from './caller.ts'
import { ActiveExchange, type ActiveRequests } from './exchange.ts'
import { unauthenticated, unauthorized } from './guard.ts'
import { type Idempotency, isRepeatable } from './idempotency.ts'
import { type AccessPolicy, checkAccess, type DetailedNeed, isLogged, needOf } from './needs.ts'
import type { RouterPath } from './paths.ts'
import type { CountResponse } from './request-metrics.ts'
import { decodeParams, RequestValidator, type SuccessKind, successKindOf } from './request-validator.ts'
import {
  addVary,
  assertFits,
  compressFor,
  type JsonReplacer,
  JsonRows,
  lateText,
  noUpgrade,
  ResponseBody,
  type ResponseContent,
  type ResponseWriter,
  Turns,
  tagResponse,
  toText,
} from './respond/index.ts'
import type { Connection, MediaBody, Route } from './route.ts'
import { type SecretFilter, strikeFrames, strikeMedia, visibleAnswer } from './secret-filter.ts'
import { type SseFrame, type SseFrames, STREAM_HEADERS } from './sse.ts'

/** Head of a response; Elysia's `set`. */
export interface ResponseHead {
  status?: number | string
  headers: Record<string, string | number>
}

/** Parts of Elysia's context that an operation uses. */
export interface OperationContext {
  readonly request: Request
  readonly params: Readonly<Record<string, string | null>>
  readonly set: ResponseHead
  readonly caller: Caller
}

/** Services shared by the operations of a plane. */
export interface PlaneServices {
  readonly activeRequests: ActiveRequests
  readonly idempotency: Idempotency
  readonly access: AccessPolicy | undefined
  /** Logs a change that not every session may make. */
  recordChange(exchange: ActiveExchange, summary: string): void
  beginRead(params: Readonly<Record<string, string>>): void
  index(params: Readonly<Record<string, string>>): number | undefined
  /** Keeps the connection of a request while nothing is sent, however long that is. */
  disableTimeout(request: Request): void
  /** Ends the connection again when nothing is sent or taken for long. */
  restoreTimeout(request: Request): void
  /** Waits until an event newer than `index` is recorded, or for `ms`. */
  waitForEvent(params: ActiveExchange['params'], index: number, ms: number, exchange: ActiveExchange): Promise<void>
  stream(exchange: ActiveExchange, frames: PullSource<SseFrame>): ReadableStream<Uint8Array>
  readonly writer: ResponseWriter
  /** Replacer of values in this response; undefined without one. */
  replacerFor(request: Request): JsonReplacer | undefined
  /** Cache headers of a public read. */
  cacheControlOf(caller: Caller, request: Request): string | undefined
  readonly compresses: boolean
  /** Filter of secrets in responses to a caller; undefined for one who may read everything. */
  filterFor(caller: Caller): SecretFilter | undefined
  /** Sends a large body to anyone who made the request. */
  send(body: ResponseBody, request: Request): ReadableStream<Uint8Array>
  /** Sends what is made while it is read. */
  sendStream(stream: ReadableStream<Uint8Array>, request: Request): ReadableStream<Uint8Array>
  /** Turns the request into a WebSocket; false when it is not one. */
  upgrade(request: Request, connection: Connection, headers: Record<string, string>): boolean
  /** Writes an error: sets status and headers, returns the body. */
  writeError(error: unknown, request: Request, reply: ResponseHead): string
}

/** A read that holds the loop for longer takes turns with others, in milliseconds. */
const SLOW_MS = 0.05

/** Handles one operation: validates the request, waits if asked to, calls the handler, and writes its result. */
export class OperationHandler {
  readonly #declared: RequestValidator
  readonly #outcome: SuccessKind
  readonly #index: boolean
  readonly #age: boolean
  readonly #repeatable: boolean
  readonly #answer: { isList: boolean; isConfiguration: boolean }
  /** Head of a successful response. */
  readonly #success: { status: number; isEmpty: boolean }
  readonly #reads: boolean
  readonly #need: DetailedNeed
  readonly #isLogged: boolean
  /** True if the last response to it was large, or took long: the next may as well. */
  #wasLarge = false
  #wasSlow = false
  readonly #sharedAnswers = new SharedAnswers()

  constructor(
    private readonly route: Route,
    private readonly at: RouterPath,
    private readonly services: PlaneServices,
    private readonly countResponse: CountResponse,
  ) {
    this.#declared = new RequestValidator(route)
    this.#outcome = successKindOf(route.spec.ok)
    this.#index = route.spec.index === true
    this.#age = this.#index || route.spec.age === true
    this.#reads = route.method === 'GET'
    this.#need = needOf(route)
    this.#isLogged = isLogged(this.#need, route.method)
    const json = this.#outcome.kind === 'json' ? this.#outcome : undefined
    this.#answer = { isList: json?.isList === true, isConfiguration: route.spec.configuration === true }
    const usual = this.#outcome.kind === 'socket' ? 101 : 200
    this.#success = { status: json?.status ?? usual, isEmpty: json?.empty === true }
    this.#repeatable = isRepeatable(route)
  }

  /**
   * Returns what Elysia sends, immediately where the handler is synchronous, and then throws its error. Elysia does not
   * see the rejection of a promise that it does not await, so a late error is written here.
   */
  handle(context: OperationContext, body: unknown): unknown {
    const { request, set } = context
    const exchange = this.#exchange(context, body)
    try {
      const response = this.#respond(exchange, set)
      if (!(response instanceof Promise)) return this.#counted(response, set)
      return response.then(
        (late) => asLate(this.#counted(late, set), request, set),
        (error) => {
          exchange.end()
          return this.fail(error, request, set)
        },
      )
    } catch (error) {
      exchange.end()
      throw error
    }
  }

  /** Writes and counts an error. */
  fail(error: unknown, request: Request, reply: ResponseHead): string {
    const body = this.services.writeError(error, request, reply)
    this.countResponse(Number(reply.status))
    return body
  }

  #counted<Body>(response: Body, { status = this.#success.status }: ResponseHead): Body {
    this.countResponse(Number(status))
    return response
  }

  #exchange({ request, params: pathParams, set, caller }: OperationContext, body: unknown): ActiveExchange {
    const isSocket = this.#outcome.kind === 'socket'
    if (caller === unauthenticated && !isSocket) throw unauthorized('only a socket may be opened without a token')
    const params = decodeParams(this.at.names, pathParams)
    const query = this.#declared.query(searchOf(request.url))
    const id = String(set.headers['x-gc-request-id'])
    const checked = this.#declared.body(body, request)
    const { access } = this.services
    if (access) checkAccess(this.#need, { caller, params, query, body: checked }, this.route.spec.summary, access)
    if (isSocket && request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw noUpgrade()
    return new ActiveExchange(request, id, caller, params, query, checked, this.services.activeRequests)
  }

  #respond(exchange: ActiveExchange, reply: ResponseHead): unknown {
    const waiting = this.route.spec.blocking && this.#declared.blockingQuery(searchOf(exchange.request.url))
    if (waiting) return this.#respondAfter(waiting, exchange, reply)
    if (this.#wasSlow || this.#wasLarge) return this.#respondInTurn(exchange, reply)
    return this.#respondNow(exchange, reply)
  }

  /** Slow responses are made a few in a tick of the loop, so that a quick one waits for these at most. */
  async #respondInTurn(exchange: ActiveExchange, reply: ResponseHead): Promise<unknown> {
    const { turns } = this.services.writer
    await turns.next()
    const started = performance.now()
    try {
      return this.#respondNow(exchange, reply)
    } finally {
      turns.end(performance.now() - started)
    }
  }

  #respondNow(exchange: ActiveExchange, reply: ResponseHead): unknown {
    if (!this.#reads) return this.#respondWith(this.#value(exchange), exchange, reply)
    const started = performance.now()
    const response = this.#respondWith(this.#value(exchange), exchange, reply)
    this.#wasSlow = performance.now() - started > SLOW_MS
    return response
  }

  #respondWith(value: unknown, exchange: ActiveExchange, reply: ResponseHead): unknown {
    if (!(value instanceof Promise)) return this.#write(exchange, reply, value)
    return value.then((late) => this.#write(exchange, reply, late))
  }

  /** Responds once there is news, with what all get who ask this and are woken by it. */
  async #respondAfter({ index, ms }: BlockingQuery, exchange: ActiveExchange, reply: ResponseHead): Promise<unknown> {
    await this.services.waitForEvent(exchange.params, index, ms, exchange)
    this.services.restoreTimeout(exchange.request)
    const asker = this.route.spec.blocking === 'by-caller' ? nameOf(exchange.caller) : ''
    const question = JSON.stringify([exchange.params, exchange.query, asker, !this.services.filterFor(exchange.caller)])
    const answer = await this.#sharedAnswers.get(question, async () => {
      return { content: await this.#content(exchange, await this.#call(exchange)), index: exchange.index }
    })
    exchange.index = answer.index
    return this.#send(exchange, reply, answer.content)
  }

  #value(exchange: ActiveExchange): unknown {
    if (this.route.spec.longRunning) this.services.disableTimeout(exchange.request)
    const key = this.#repeatable ? exchange.request.headers.get('idempotency-key') : null
    if (key) return this.services.idempotency.run(exchange, key, this.route)
    return this.#call(exchange)
  }

  /**
   * Calls the handler. What a GET reads before it first waits, it reads in one transaction; its index is that of before,
   * so that who waits for the next event misses none.
   */
  #call(exchange: ActiveExchange): unknown {
    if (!this.#reads) return this.route.handle(exchange)
    this.services.beginRead(exchange.params)
    if (this.#index) exchange.index = this.services.index(exchange.params)
    return this.route.handle(exchange)
  }

  #write(exchange: ActiveExchange, reply: ResponseHead, value: unknown): unknown {
    const outcome = this.#outcome
    if (this.#isLogged && !exchange.isRepeated) this.services.recordChange(exchange, this.route.spec.summary)
    if (outcome.kind === 'json') return this.#writeJson(exchange, reply, value)
    if (outcome.kind === 'stream') return this.#writeStream(exchange, reply, value as SseFrames)
    if (outcome.kind === 'socket') return this.#open(exchange, reply, value as Connection)
    return this.#writeMedia(exchange, reply, value as MediaBody, outcome.media)
  }

  #writeHead(exchange: ActiveExchange, reply: ResponseHead, status?: number): void {
    const { headers } = reply
    if (this.#index) headers['x-gc-index'] = String(exchange.index ?? this.services.index(exchange.params) ?? 0)
    if (this.#age) headers['x-gc-cache-age-s'] = '0'
    const { explicitResponse } = exchange
    if (explicitResponse) Object.assign(headers, explicitResponse.headers)
    const code = explicitResponse?.status ?? status
    if (code !== undefined) reply.status = code
  }

  #writeJson(exchange: ActiveExchange, reply: ResponseHead, value: unknown): unknown {
    const content = this.#content(exchange, value)
    if (!(content instanceof Promise)) return this.#send(exchange, reply, content)
    return content.then((late) => this.#send(exchange, reply, late))
  }

  /** A result as it is sent. A GET that finds no room for a large one waits, and is then handled again. */
  #content(exchange: ActiveExchange, result: unknown): ResponseContent | Promise<ResponseContent> {
    const { writer } = this.services
    const value = this.#visible(exchange, result)
    if (value instanceof JsonRows) return writer.render(value, exchange)
    const text = toText(value, this.services.replacerFor(exchange.request))
    if (!this.#reads) return writer.content(text)
    assertFits(text.length, 'this', 'ask for less of it by a limit, or for one of its parts')
    return writer.tryContent(text) ?? this.#contentWithRoom(exchange, text.length)
  }

  /** A result as its caller may see it. */
  #visible({ caller }: ActiveExchange, result: unknown): unknown {
    return visibleAnswer(result, { ...this.#answer, filter: this.services.filterFor(caller) })
  }

  async #contentWithRoom(exchange: ActiveExchange, length: number): Promise<ResponseContent> {
    const { writer } = this.services
    const reservation = await writer.budget.reserve(length, exchange)
    try {
      const value = this.#visible(exchange, await this.#call(exchange))
      return writer.content(toText(value, this.services.replacerFor(exchange.request)), reservation)
    } catch (error) {
      reservation.release()
      throw error
    }
  }

  #send(exchange: ActiveExchange, reply: ResponseHead, content: ResponseContent): unknown {
    const { status, isEmpty } = this.#success
    this.#writeHead(exchange, reply, status)
    if (!isEmpty) reply.headers['content-type'] = 'application/json'
    exchange.end()
    this.#wasLarge = this.#reads && typeof content !== 'string'
    const { request } = exchange
    const isKnown = this.route.spec.publicRead === true && this.#tag(exchange, reply, content)
    if (isKnown) reply.status = 304
    const bytes = this.#reads && !isKnown && this.services.compresses && compressFor(request, reply.headers, content)
    if (bytes) {
      if (typeof content !== 'string') content.release()
      return new Response(bytes)
    }
    if (typeof content === 'string' && !isKnown) return isEmpty ? new Response(null) : content
    if (typeof content !== 'string' && !isKnown && request.method !== 'HEAD' && !request.signal.aborted) {
      return new Response(this.services.send(content, request))
    }
    if (typeof content !== 'string') content.release()
    return new Response(null, isKnown ? { status: 304 } : {})
  }

  /** Tags the answer to a public read; whether its reader has it already. */
  #tag({ caller, request }: ActiveExchange, { headers }: ResponseHead, content: ResponseContent): boolean {
    const cacheControl = this.services.cacheControlOf(caller, request)
    if (cacheControl !== undefined) addVary(headers, 'Authorization')
    return tagResponse(request, headers, content, cacheControl)
  }

  #writeMedia(exchange: ActiveExchange, reply: ResponseHead, result: MediaBody, media: string): Response {
    const value = strikeMedia(result, this.services.filterFor(exchange.caller), media)
    reply.headers['content-type'] ??= media
    this.#writeHead(exchange, reply)
    exchange.end()
    if (!(value instanceof ReadableStream)) return new Response(value)
    if (exchange.request.method !== 'HEAD') return new Response(this.services.sendStream(value, exchange.request))
    void value.cancel()
    return new Response(null)
  }

  #writeStream(exchange: ActiveExchange, reply: ResponseHead, value: SseFrames): Response {
    this.#writeHead(exchange, reply)
    Object.assign(reply.headers, STREAM_HEADERS)
    const frames = strikeFrames(value, this.services.filterFor(exchange.caller))
    if (exchange.request.method !== 'HEAD') return new Response(this.services.stream(exchange, frames))
    frames.close()
    exchange.end()
    return new Response(null)
  }

  #open(exchange: ActiveExchange, reply: ResponseHead, connection: Connection): Response {
    this.#writeHead(exchange, reply)
    exchange.end()
    if (!this.services.upgrade(exchange.request, connection, textsOf(reply.headers))) throw noUpgrade()
    return new Response(null)
  }
}

/** Headers as texts. */
const textsOf = (headers: ResponseHead['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/**
 * Puts a late text in the form in which Bun sends it quickly: with its head, which Elysia would copy. A HEAD is
 * answered with the length of the text.
 */
function asLate(response: unknown, { method }: Request, reply: ResponseHead): unknown {
  if (typeof response !== 'string' || method === 'HEAD') return response
  const body = lateText(response)
  if (typeof body === 'string') return body
  const late = new Response(body, { status: Number(reply.status ?? 200), headers: textsOf(reply.headers) })
  reply.headers = {}
  reply.status = 200
  return late
}

/** A rendered response with the number of the last event that it knows of. */
interface Answer {
  readonly content: ResponseContent
  readonly index: number | undefined
}

interface SharedAnswer {
  readers: number
  readonly answer: Promise<Answer>
}

/** Maximum readers that get a shared response in one tick. */
const READERS_PER_TICK = 64

/** Computes equal requests that were woken together once, after the last of them was woken. */
class SharedAnswers {
  readonly #open = new Map<string, SharedAnswer>()
  readonly #turns = new Turns(READERS_PER_TICK)

  async get(key: string, create: () => Promise<Answer>): Promise<Answer> {
    const shared = this.#open.get(key) ?? this.#begin(key, create)
    shared.readers++
    const answer = await shared.answer
    await this.#turns.next()
    return answer
  }

  #begin(key: string, create: () => Promise<Answer>): SharedAnswer {
    const begin = async () => {
      await nextTick()
      this.#open.delete(key)
      const answer = await create()
      if (answer.content instanceof ResponseBody) answer.content.hold(shared.readers - 1)
      return answer
    }
    const shared: SharedAnswer = { readers: 0, answer: begin() }
    this.#open.set(key, shared)
    return shared
  }
}
