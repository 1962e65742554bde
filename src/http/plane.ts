import type { Server } from 'bun'
import { type Context, Elysia, NotFoundError, ParseError } from 'elysia'
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
import { malformedHost } from './guard.ts'
import { Idempotency } from './idempotency.ts'
import { OperationHandler, type PlaneServices, type ResponseHead } from './operation-handler.ts'
import { assertUniqueOperations, type Methods, methodsOf, toRouterPath } from './paths.ts'
import type { DocsPage, PlaneOptions, SocketData } from './plane-options.ts'
import { type RequestGuard, StandardGuard } from './request-guard.ts'
import { RequestMetrics } from './request-metrics.ts'
import { bodyKindOf } from './request-validator.ts'
import { type ProblemFormat, ResponseWriter, StaticText, syncHook, toAppError } from './respond/index.ts'
import type { Route } from './route.ts'
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
  const app = new Elysia({ normalize: false, strictPath: true, sucrose: { gcTime: null } })
  const methods = methodsOf([
    ...options.routes,
    ...[...DOCUMENT_PATHS.map((path) => dialect.prefix + path), ...pages.map(({ path }) => path)].map((path) => ({
      method: 'GET' as const,
      path,
    })),
  ])
  app.onRequest(syncHook('({ request, set }) => early', ({ request, set }) => gate.admit(request, set)))
  const countRejection = metrics.counter('none', 'any')
  app.onError(({ error, request, set }) => {
    const body =
      error instanceof NotFoundError
        ? writeNotFound(request, set, methods, dialect.problems)
        : services.writeError(error instanceof ParseError ? error.cause : error, request, set)
    countRejection(Number(set.status))
    return body
  })
  mountDocument(app, document, dialect.prefix)
  const findPage = pageFinder(pages)
  const reader = createBodyReader(options, gate)
  const tagOf = tagger(options.routes, dialect.prefix)
  const largeBodies = new LargeBodies(reader.limit)
  for (const route of options.routes) {
    const countResponse = metrics.counter(tagOf(route), route.method)
    const handler = new OperationHandler(route, toRouterPath(route.path), services, countResponse)
    if (!isLarge(route)) mount(app, route, handler, reader)
    else mountLarge(app, route, handler, (request) => reader.bytes(request, route.spec.maxBodyBytes), largeBodies)
  }
  return {
    document,
    fetch(request, from) {
      server = from
      if (!hasHost(request)) return rejectHost(request, services)
      const page = findPage(request)
      if (page) return page
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

/** Paths of a plane besides its operations. */
const DOCUMENT_PATHS = ['/openapi.json', '/docs']

/** A reader asks again each time: another version of the program has another document. */
const DOCUMENT_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache' }

/** Serves the document, for programs and for people; each is made when the first asks. */
function mountDocument(app: Elysia, document: () => Record<string, unknown>, prefix: string): void {
  const text = memoize(() => new StaticText(JSON.stringify(document())))
  const page = memoize(() => new StaticText(docsPage(document(), prefix)))
  app.get(`${prefix}/openapi.json`, ({ request }) => text().respond(request, DOCUMENT_HEADERS))
  app.get(`${prefix}/docs`, ({ request }) => page().respond(request, DOCS_HEADERS))
}

/** Finds the pages beside the operations. They are the same for every reader, so they need no token. */
function pageFinder(pages: readonly DocsPage[]): (request: Request) => Response | undefined {
  const texts = new Map(pages.map(({ path, html }) => [path, memoize(() => new StaticText(html()))]))
  return (request) => {
    const text =
      texts.size > 0 && (request.method === 'GET' || request.method === 'HEAD') && texts.get(pathOf(request.url))
    return text ? text().respond(request, DOCS_HEADERS) : undefined
  }
}

function mount(app: Elysia, route: Route, answer: OperationHandler, reader: BodyReader): void {
  const { path } = toRouterPath(route.path)
  const intake = bodyKindOf(route.spec.body)
  if (intake === 'none') {
    const handler = ({ request, params, set }: Context) => answer.handle(request, params, set, undefined)
    app.route(route.method, path, syncHook('({ request, params, set }) => response', handler))
    return
  }
  const read = (request: Request) =>
    intake === 'bytes' ? reader.bytes(request) : reader.json(request, route.spec.maxBodyBytes)
  app.route(
    route.method,
    path,
    ({ request, params, set, body }) => answer.handle(request, params, set, bodyValueOf(body)),
    {
      parse: async ({ request }) => new ParsedBody(await read(request)),
    },
  )
}

/** True if an operation takes files: one of those at a time is read. */
const isLarge = ({ spec }: Route): boolean => spec.maxBodyBytes !== undefined && bodyKindOf(spec.body) === 'bytes'

/** Mounts an operation that takes files. */
function mountLarge(
  app: Elysia,
  { method, path }: Route,
  answer: OperationHandler,
  read: (request: Request) => Promise<Uint8Array>,
  bodies: LargeBodies,
): void {
  const releases = new WeakMap<Request, () => void>()
  app.route(
    method,
    toRouterPath(path).path,
    async ({ request, params, set, body }) => {
      try {
        return await answer.handle(request, params, set, bodyValueOf(body))
      } finally {
        releases.get(request)?.()
      }
    },
    {
      parse: async ({ request }) => {
        const release = bodies.admit(request)
        releases.set(request, release)
        try {
          return new ParsedBody(await read(request))
        } catch (error) {
          release()
          throw error
        }
      },
    },
  )
}

/** A body that was read: Elysia reads again what is undefined. */
class ParsedBody {
  constructor(readonly value: unknown) {}
}

const bodyValueOf = (body: unknown): unknown => (body instanceof ParsedBody ? body.value : undefined)

/** A request whose URL cannot be read does not come as far as the router. */
function rejectHost(request: Request, services: PlaneServices): Response {
  const reply: ResponseHead = { headers: { 'x-gc-request-id': createExchangeId() } }
  const body = services.writeError(malformedHost(), request, reply)
  const headers = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Response(body, { status: Number(reply.status), headers })
}

/** An address that is not ours, or not with this method. */
function writeNotFound(request: Request, reply: ResponseHead, methods: Methods, problems: ProblemFormat): string {
  const allowed = methods(pathOf(request.url))
  const { media, body } = problems.notFound(request, allowed)
  reply.headers['content-type'] = media
  reply.status = allowed ? 405 : 404
  if (allowed) reply.headers.allow = allowed.join(', ')
  return body
}

/** Lets one body at a time be longer than others may be: it stays in memory until its request is answered. */
class LargeBodies {
  #isTaken = false

  constructor(
    /** Maximum time any body may be, in bytes. */
    private readonly limit: number,
  ) {}

  /** Admits the body of a request; returns what runs once the request is answered. Throws while another is under way. */
  admit(request: Request): () => void {
    const announced = request.headers.get('content-length')
    if (announced !== null && Number(announced) <= this.limit) return () => {}
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
    callerOf: (request) => gate.callerOf(request),
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
