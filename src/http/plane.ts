import type { Server } from 'bun'
import { type Context, Elysia, NotFoundError, ParseError } from 'elysia'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import type { Replays } from '../core/replays.ts'
import { Answer, type Reply } from './answer.ts'
import { BodyReader } from './body.ts'
import { deskOf } from './desk.ts'
import { type Dialect, supervisorDialect } from './dialect.ts'
import { docsPage } from './docs.ts'
import { documentOf, type Info } from './document.ts'
import { Entry, type Gate } from './entry.ts'
import { Lives } from './exchange.ts'
import type { GuardSettings } from './guard.ts'
import { IDEMPOTENCY_KEY } from './idempotency.ts'
import { intakeOf } from './operation.ts'
import { at, type Methods, methodsOf, refuseDoubles } from './paths.ts'
import type { Problems } from './problem.ts'
import type { Connection, Route } from './route.ts'

/** Which exchange something happened in, for the log. */
export interface Occasion {
  id: string
  method: string
  path: string
}

/**
 * Resolves when an event newer than `index` is recorded or an answer may differ without one, when `ms` have passed, or
 * when the signal aborts.
 */
export type Until = (
  params: Readonly<Record<string, string>>,
  index: number,
  ms: number,
  signal: AbortSignal,
) => Promise<void>

export interface PlaneOptions {
  readonly info: Info
  readonly routes: readonly Route[]
  /** Who may go on: what the supervisor's guard is told, or a gate of the plane's own. */
  readonly guard: GuardSettings | Gate
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Hears of faults of ours: what was thrown, and in which exchange. */
  report(error: unknown, occasion: Occasion): void
  /** The number of the last durable event of what the parameters name: `X-GC-Index`. */
  index?(params: Readonly<Record<string, string>>): number | undefined
  readonly until?: Until
  /** Where answers are kept for those who repeat a request with its `Idempotency-Key`; needed when a route takes one. */
  replays?(params: Readonly<Record<string, string>>): Replays | undefined
  /** The longest body, in bytes. */
  readonly bodyLimit?: number
  /** How long a body may take to arrive, in milliseconds. */
  readonly bodyPatience?: number
  /** Between the heartbeats of a stream, in milliseconds. */
  readonly heartbeat?: number
  /** How long a stream's reader may leave what was sent unread, in milliseconds. */
  readonly streamPatience?: number
  readonly dialect?: Dialect
}

/** What a WebSocket carries with it: what happens on it. */
export interface Link {
  readonly connection: Connection
}

/** One side of the server: a router with its own guard, errors and document. */
export interface Plane {
  fetch(request: Request, server: Server<Link>): Response | Promise<Response>
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
  const gate = 'receive' in guard ? guard : new Entry(guard)
  const document = once(() => documentOf(options.info, options.routes, dialect))
  let server: Server<Link> | undefined
  const desk = deskOf({ options, problems: dialect.problems, lives, gate, server: () => server })
  const app = new Elysia({ normalize: false, strictPath: true, sucrose: { gcTime: null } })
  const methods = methodsOf([
    ...options.routes,
    ...OWN.map((path) => ({ method: 'GET' as const, path: dialect.prefix + path })),
  ])
  app.onRequest(asValue('({ request, set }) => early', ({ request, set }) => gate.receive(request, set)))
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
    app.route(route.method, path, asValue('({ request, params, set }) => answer', handler))
    return
  }
  const read = (request: Request) => (intake === 'bytes' ? reader.bytes(request) : reader.json(request))
  app.route(route.method, path, ({ request, params, set, body }) => answer.run(request, params, set, held(body)), {
    parse: async ({ request }) => new Held(await read(request)),
  })
}

/**
 * A hook whose value Elysia takes as it comes. It compiles by the text of a hook, which a minifier rewrites, and awaits
 * one that ends in a call: a turn of the loop for every answer, which costs more than most answers do.
 */
const asValue = <Hook extends (...given: never[]) => unknown>(text: string, hook: Hook): Hook =>
  Object.assign(hook, { toString: () => text })

/** A body that was read: Elysia reads again what is undefined. */
class Held {
  constructor(readonly value: unknown) {}
}

const held = (body: unknown): unknown => (body instanceof Held ? body.value : undefined)

/** An address that is not ours, or not with this method. */
function lost(request: Request, reply: Reply, methods: Methods, problems: Problems): string {
  const allowed = methods(new URL(request.url).pathname)
  const { media, body } = problems.lost(request, allowed)
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
