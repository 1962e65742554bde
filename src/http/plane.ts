import type { Server } from 'bun'
import { Elysia, NotFoundError, ParseError } from 'elysia'
import { AppError } from '../core/errors.ts'
import { createExchangeId } from '../core/ids.ts'
import { memoize } from '../core/memoize.ts'
import type { PullSource } from '../core/pull-source.ts'
import { actorOf } from './actor-of.ts'
import { hasHost, pathOf } from './authority.ts'
import { BodyReader } from './body.ts'
import type { Caller } from './caller.ts'
import { supervisorDialect } from './dialect.ts'
import { docsPage } from './docs.ts'
import { DOCS_HEADERS } from './docs-shell.ts'
import { documentOf, tagger } from './document.ts'
import { type ActiveExchange, ActiveRequests } from './exchange.ts'
import { human, malformedHost } from './guard.ts'
import { Idempotency } from './idempotency.ts'
import { type OperationContext, OperationHandler, type PlaneServices, type ResponseHead } from './operation-handler.ts'
import { assertUniqueOperations, toRouterPath } from './paths.ts'
import type { DocsPage, PlaneOptions, SocketData } from './plane-options.ts'
import { type RequestGuard, StandardGuard } from './request-guard.ts'
import { RequestMetrics } from './request-metrics.ts'
import { bodyKindOf } from './request-validator.ts'
import { type ProblemFormat, ResponseWriter, StaticText, toAppError } from './respond/index.ts'
import type { Route } from './route.ts'
import { allowedMethods, ROUTER } from './router.ts'
import { createSseStream, type SseFrame } from './sse.ts'
import { GONE_TIMEOUT_S, IDLE_TIMEOUT_S } from './timeouts.ts'

/** One side of the server: a router with its own guard, errors and document. */
export interface Plane {
  fetch(request: Request, server: Server<SocketData>): Response | Promise<Response>
  /** Its OpenAPI document. */
  document(): Record<string, unknown>
  /** Ends the streams and waits that are open. */
  stop(): void
  /** Ends those of some callers, whose credential has ended. */
  endRequestsOf(isOver: (caller: Caller) => boolean): void
}

/** Builds a side of the server out of its routes. */
export function createPlane(options: PlaneOptions): Plane {
  assertUniqueOperations(options.routes)
  const activeRequests = new ActiveRequests()
  const { guard, dialect = supervisorDialect, metrics = new RequestMetrics(), pages = [] } = options
  const gate = 'admit' in guard ? guard : new StandardGuard(guard)
  const document = memoize(() => documentOf(options, dialect))
  let server: Server<SocketData> | undefined
  const services = createPlaneServices({
    options,
    problems: dialect.problems,
    activeRequests,
    guard: gate,
    metrics,
    server: () => server,
  })
  const open = new Pages(pages)
  const countRejection = metrics.counter('none', 'any')
  const app = new Elysia(ROUTER)
    .use(guarded(gate, open))
    .onError(({ error, request, set }) => {
      const body =
        error instanceof NotFoundError
          ? writeNotFound(request, set, allowedMethods(app.router, pathOf(request.url), open), dialect.problems)
          : services.writeError(error instanceof ParseError ? error.cause : error, request, set)
      countRejection(Number(set.status))
      return body
    })
    .use(documents(document, dialect.prefix))
    .use(operations({ ...options, metrics }, gate, services, dialect.prefix))
  return {
    document,
    fetch(request, from) {
      server = from
      const settled = gate.awaitCaller?.(request)
      return settled ? settled.then(() => app.fetch(request)) : app.fetch(request)
    },
    stop: () => activeRequests.stop(),
    endRequestsOf: (isOver) => activeRequests.endOf(isOver),
  }
}

const createBodyReader = (
  { deadlines, bodyLimit = 1024 * 1024, bodyTimeoutMs = 5_000 }: PlaneOptions,
  guard: RequestGuard,
): BodyReader =>
  new BodyReader({
    ...{ deadlines, limit: bodyLimit, timeoutMs: bodyTimeoutMs },
    check: (request, bytes) => guard.checkBody?.(request, bytes),
  })

/** A reader asks again each time: another version of the program has another document. */
const DOCUMENT_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache' }

/** The document, for programs and for people; each is made when the first asks. */
function documents(document: () => Record<string, unknown>, prefix: string) {
  const text = memoize(() => new StaticText(JSON.stringify(document())))
  const page = memoize(() => new StaticText(docsPage(document(), prefix)))
  return new Elysia(ROUTER)
    .get(`${prefix}/openapi.json`, ({ request }) => text().respond(request, DOCUMENT_HEADERS))
    .get(`${prefix}/docs`, ({ request }) => page().respond(request, DOCS_HEADERS))
}

/** The pages beside the operations. Every reader sees the same, so they need no token. */
class Pages {
  readonly #texts: ReadonlyMap<string, () => StaticText>

  constructor(pages: readonly DocsPage[]) {
    this.#texts = new Map(pages.map(({ path, html }) => [path, memoize(() => new StaticText(html()))]))
  }

  has(path: string): boolean {
    return this.#texts.has(path)
  }

  respond(request: Request): Response | undefined {
    if (this.#texts.size === 0 || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined
    return this.#texts.get(pathOf(request.url))?.().respond(request, DOCS_HEADERS)
  }
}

/*
 * Elysia reads the source of a hook, as the minifier leaves it, and awaits the hook if a call follows `return`, `=>` or the
 * first brace. Awaiting costs a read up to 13 % of its processor time. The hooks that every request passes therefore
 * begin with a variable and return one. The test of the minified plane checks this.
 */

/** Sends the pages, and holds every other request to the guard. */
const guarded = (guard: RequestGuard, pages: Pages) =>
  new Elysia(ROUTER).onRequest(({ request, set }) => {
    const early = admit(request, set, guard, pages)
    if (early) return early
    return undefined
  })

function admit(request: Request, reply: ResponseHead, guard: RequestGuard, pages: Pages): Response | undefined {
  if (hasHost(request)) return pages.respond(request) ?? guard.admit(request, reply)
  reply.headers['x-gc-request-id'] = createExchangeId()
  throw malformedHost()
}

const HUMAN = { caller: human }

/** Derives the caller of a request from what the guard found. */
const callers = (guard: RequestGuard) =>
  new Elysia(ROUTER).derive({ as: 'scoped' }, ({ request }): { caller: Caller } => {
    const caller = guard.callerOf(request)
    if (caller === human) return HUMAN
    return { caller }
  })

/** The operations of a plane. */
function operations(options: PlaneOptions, guard: RequestGuard, services: PlaneServices, prefix: string) {
  const { metrics = new RequestMetrics(), routes } = options
  const tagOf = tagger(routes, prefix)
  const bodies = new Bodies(createBodyReader(options, guard))
  const app = new Elysia(ROUTER).use(callers(guard))
  for (const route of routes) {
    const at = toRouterPath(route.path)
    const operation = new OperationHandler(route, at, services, metrics.counter(tagOf(route), route.method))
    const parse = bodies.parserOf(route)
    if (!parse) {
      app.route(route.method, at.path, ({ request, params, set, caller }) => {
        let response: unknown
        try {
          response = operation.handle({ request, params, set, caller }, undefined)
        } catch (error) {
          response = operation.fail(error, request, set)
        }
        return response
      })
      continue
    }
    const handle = async ({ request, params, set, caller, body }: OperationContext & { body: unknown }) => {
      const { value, release } = body instanceof ParsedBody ? body : NO_BODY
      try {
        return await operation.handle({ request, params, set, caller }, value)
      } catch (error) {
        return operation.fail(error, request, set)
      } finally {
        release()
      }
    }
    app.route(route.method, at.path, handle, { parse: ({ request }) => parse(request) })
  }
  return app
}

/** A body that was read: Elysia reads again what is undefined. */
class ParsedBody {
  constructor(
    readonly value: unknown,
    /** Called once the request is answered. */
    readonly release: () => void = () => {},
  ) {}
}

const NO_BODY = new ParsedBody(undefined)

/** Reads the bodies of a plane. One at a time may be longer than others: it stays in memory until its request is answered. */
class Bodies {
  #isTaken = false

  constructor(private readonly reader: BodyReader) {}

  /** The parser of an operation; undefined if that takes no body. */
  parserOf({ spec: { body, maxBodyBytes } }: Route): ((request: Request) => Promise<ParsedBody>) | undefined {
    const kind = bodyKindOf(body)
    if (kind === 'none') return undefined
    if (kind === 'json') return async (request) => new ParsedBody(await this.reader.json(request, maxBodyBytes))
    if (maxBodyBytes === undefined) return async (request) => new ParsedBody(await this.reader.bytes(request))
    return (request) => this.#parseLarge(request, maxBodyBytes)
  }

  /** Reads a body that may be large. Throws while another is under way. */
  async #parseLarge(request: Request, maximum: number): Promise<ParsedBody> {
    const release = this.#admit(request)
    try {
      return new ParsedBody(await this.reader.bytes(request, maximum), release)
    } catch (error) {
      release()
      throw error
    }
  }

  #admit(request: Request): () => void {
    const announced = request.headers.get('content-length')
    if (announced !== null && Number(announced) <= this.reader.limit) return () => {}
    if (this.#isTaken) throw busy()
    this.#isTaken = true
    return () => {
      this.#isTaken = false
    }
  }
}

const busy = (): AppError =>
  new AppError('service-unavailable', 'another request with a large body is under way; send this one again after it', {
    headers: { 'retry-after': '2' },
  })

/** An address that is not ours, or not with this method. */
function writeNotFound(
  request: Request,
  reply: ResponseHead,
  allowed: readonly string[] | undefined,
  problems: ProblemFormat,
): string {
  const { media, body } = problems.notFound(request, allowed)
  reply.headers['content-type'] = media
  reply.status = allowed ? 405 : 404
  if (allowed) reply.headers.allow = allowed.join(', ')
  return body
}

/** Maximum seconds that the connection of a stalled reader stays open. */
const STALLED_TIMEOUT_S = 10

/** Dependencies of the operations of a plane. */
interface PlaneServicesOptions {
  options: PlaneOptions
  problems: ProblemFormat
  activeRequests: ActiveRequests
  guard: RequestGuard
  metrics: RequestMetrics
  /** The server that requests come from; undefined until the first. */
  server(): Server<SocketData> | undefined
}

/** A stream of frames that ends with its exchange, and is counted while it is open. */
function createStream(
  { options, metrics, server }: PlaneServicesOptions,
  exchange: ActiveExchange,
  frames: PullSource<SseFrame>,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const { clock, deadlines, heartbeatMs: heartbeat, stallTimeoutMs } = options
  const { request, signal } = exchange
  const endStream = metrics.beginStream()
  return createSseStream(frames, {
    ...{ clock, deadlines, signal, heartbeat, stallTimeoutMs, report },
    onStalled: () => server()?.timeout(request, STALLED_TIMEOUT_S),
    onEnd() {
      endStream()
      exchange.end()
    },
  })
}

/** Services shared by the operations of a plane. */
function createPlaneServices(parts: PlaneServicesOptions): PlaneServices {
  const { options, problems, activeRequests, guard: gate, server } = parts
  const { deadlines, stallTimeoutMs } = options
  const report = (error: unknown, { method, url }: Request, id: string) =>
    options.report(error, { id, method, path: pathOf(url) })
  const setTimeout = (request: Request, seconds: number) =>
    server()?.timeout(options.originalOf?.(request) ?? request, seconds)
  const hold = (request: Request) => setTimeout(request, 0)
  const disconnect = (request: Request) => () => setTimeout(request, GONE_TIMEOUT_S)
  const writer = options.writer ?? new ResponseWriter({ deadlines, stallTimeoutMs })
  return {
    activeRequests,
    disableTimeout: hold,
    restoreTimeout: (request) => void server()?.timeout(request, IDLE_TIMEOUT_S),
    idempotency: new Idempotency(
      (params, route) => options.replays?.(params, route),
      (error, { request, id }) => report(error, request, id),
    ),
    access: options.access,
    recordChange: ({ id, caller, request: { method, url } }, summary) =>
      options.onChange?.({ id, actor: actorOf(caller).name, summary, method, path: new URL(url).pathname }),
    beginRead: (params) => void options.beginRead?.(params),
    index: (params) => options.index?.(params),
    waitForEvent(params, index, ms, exchange) {
      hold(exchange.request)
      return options.waitForEvent?.(params, index, ms, exchange.signal) ?? Promise.resolve()
    },
    writer,
    replacerFor: (request) => options.replacerFor?.(request),
    cacheControlOf: (caller, request) => options.cacheControlOf?.(caller, request),
    compresses: options.compresses === true,
    filterFor: (caller) => options.filterFor?.(caller),
    send(body, request) {
      hold(request)
      return writer.send(body, disconnect(request))
    },
    sendStream(stream, request) {
      hold(request)
      return writer.stream(stream.values(), disconnect(request))
    },
    stream(exchange, frames) {
      hold(exchange.request)
      return createStream(parts, exchange, frames, (error) => report(error, exchange.request, exchange.id))
    },
    upgrade: (request, connection, headers) => server()?.upgrade(request, { data: { connection }, headers }) ?? false,
    writeError(error, request, reply) {
      const appError = toAppError(error)
      if (appError !== error) report(error, request, String(reply.headers['x-gc-request-id']))
      reply.status = problems.status(appError)
      Object.assign(reply.headers, appError.headers, { 'content-type': problems.media })
      const body = JSON.stringify(problems.body(appError))
      return options.filterFor?.(gate.callerOf(request))?.strike(body) ?? body
    },
  }
}
