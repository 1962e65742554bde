import type { Server } from 'bun'
import { type Context, Elysia, NotFoundError, ParseError } from 'elysia'
import { BodyReader } from './body.ts'
import { supervisorDialect } from './dialect.ts'
import { docsPage } from './docs.ts'
import { documentOf } from './document.ts'
import { Lives } from './exchange.ts'
import { IDEMPOTENCY_KEY } from './idempotency.ts'
import { Answer, type ResponseHead } from './operation-handler.ts'
import { at, type Methods, methodsOf, refuseDoubles } from './paths.ts'
import type { PlaneOptions, SocketData } from './plane-options.ts'
import { deskOf } from './plane-services.ts'
import type { ProblemFormat } from './problem.ts'
import { Entry } from './request-guard.ts'
import { intakeOf } from './request-validator.ts'
import type { Route } from './route.ts'
import { syncHook } from './sync-hook.ts'

/** One side of the server: a router with its own guard, errors and document. */
export interface Plane {
  fetch(request: Request, server: Server<SocketData>): Response | Promise<Response>
  /** Its OpenAPI document. */
  document(): Record<string, unknown>
  /** Ends the streams and waits that are open. */
  stop(): void
}

/** Builds a side of the server out of its routes. */
export function createPlane(options: PlaneOptions): Plane {
  refuseDoubles(options.routes)
  refuseForgetful(options)
  const lives = new Lives()
  const { guard, dialect = supervisorDialect } = options
  const gate = 'admit' in guard ? guard : new Entry(guard)
  const document = once(() => documentOf(options.info, options.routes, dialect, options.reservedCodes))
  let server: Server<SocketData> | undefined
  const desk = deskOf({ options, problems: dialect.problems, lives, gate, server: () => server })
  const app = new Elysia({ normalize: false, strictPath: true, sucrose: { gcTime: null } })
  const methods = methodsOf([
    ...options.routes,
    ...OWN.map((path) => ({ method: 'GET' as const, path: dialect.prefix + path })),
  ])
  app.onRequest(syncHook('({ request, set }) => early', ({ request, set }) => gate.admit(request, set)))
  app.onError(({ error, request, set }) => {
    if (error instanceof NotFoundError) return lost(request, set, methods, dialect.problems)
    return desk.refuse(error instanceof ParseError ? error.cause : error, request, set)
  })
  describe(app, document, dialect.prefix)
  const reader = readerOf(options)
  for (const route of options.routes) mount(app, route, new Answer(route, at(route.path), desk), reader)
  return {
    document,
    fetch(request, from) {
      server = from
      return app.fetch(request)
    },
    stop: () => lives.stop(),
  }
}

/** A route that promises to answer a repeated request as the first needs a place to keep the answer. */
function refuseForgetful({ routes, replays }: PlaneOptions): void {
  const promise = routes.find(({ spec }) => spec.headers?.[IDEMPOTENCY_KEY] !== undefined)
  if (promise && !replays) throw new TypeError(`${promise.spec.id} takes an Idempotency-Key and nothing keeps answers`)
}

const readerOf = ({ deadlines, bodyLimit = 1024 * 1024, bodyPatience = 5_000 }: PlaneOptions): BodyReader =>
  new BodyReader({ deadlines, limit: bodyLimit, patience: bodyPatience })

/** What a plane answers beside its operations. */
const OWN = ['/openapi.json', '/docs']

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Serves the document, for programs and for people; each is made when the first asks. */
function describe(app: Elysia, document: () => Record<string, unknown>, prefix: string): void {
  const text = once(() => JSON.stringify(document()))
  const page = once(() => docsPage(document(), prefix))
  app.get(`${prefix}/openapi.json`, ({ set }) => {
    set.headers['content-type'] = 'application/json'
    return text()
  })
  app.get(`${prefix}/docs`, ({ set }) => {
    Object.assign(set.headers, PAGE_HEADERS)
    return page()
  })
}

function mount(app: Elysia, route: Route, answer: Answer, reader: BodyReader): void {
  const { path } = at(route.path)
  const intake = intakeOf(route.spec.body)
  if (intake === 'none') {
    const handler = ({ request, params, set }: Context) => answer.run(request, params, set, undefined)
    app.route(route.method, path, syncHook('({ request, params, set }) => response', handler))
    return
  }
  const read = (request: Request) => (intake === 'bytes' ? reader.bytes(request) : reader.json(request))
  app.route(route.method, path, ({ request, params, set, body }) => answer.run(request, params, set, held(body)), {
    parse: async ({ request }) => new Held(await read(request)),
  })
}

/** A body that was read: Elysia reads again what is undefined. */
class Held {
  constructor(readonly value: unknown) {}
}

const held = (body: unknown): unknown => (body instanceof Held ? body.value : undefined)

/** An address that is not ours, or not with this method. */
function lost(request: Request, reply: ResponseHead, methods: Methods, problems: ProblemFormat): string {
  const allowed = methods(new URL(request.url).pathname)
  const { media, body } = problems.notFound(request, allowed)
  reply.headers['content-type'] = media
  reply.status = allowed ? 405 : 404
  if (allowed) reply.headers.allow = allowed.join(', ')
  return body
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
