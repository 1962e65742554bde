import type { Server } from 'bun'
import { Elysia, NotFoundError } from 'elysia'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { createExchangeId } from '../../core/ids.ts'
import type { RequestHandler } from '../../http/app.ts'
import { pathOf } from '../../http/authority.ts'
import { BodyReader } from '../../http/body.ts'
import { html } from '../../http/html.ts'
import { assertUniqueOperations, toRouterPath } from '../../http/paths.ts'
import type { FailedRequest, SocketData } from '../../http/plane-options.ts'
import { boundResponse, type ResponseWriter, toAppError } from '../../http/respond/index.ts'
import { allowedMethods, ROUTER } from '../../http/router.ts'
import { GONE_TIMEOUT_S } from '../../http/timeouts.ts'
import { htmlResponse, layout, type PageRoute, singleLine } from '../html/index.ts'

export interface SiteOptions {
  readonly routes: readonly PageRoute[]
  readonly deadlines: Deadlines
  /** The base of our URLs for a request; throws when the request is for another host. */
  baseUrlOf(request: Request): string
  /** Called first for every request. */
  onRequest(request: Request, server: Server<SocketData>): void
  /** Sender of a request, for limits. */
  visitorOf(request: Request): string
  /** Throws when a client sends too many requests. */
  checkLimit(request: Request): Promise<void>
  /** Lets the reads of this turn of the loop share one transaction. */
  beginRead(): void
  report(error: unknown, request: FailedRequest): void
  readonly writer: ResponseWriter
}

/** No scripts, nothing from other origins, no framing; forms are sent here only. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** The maximum size of a form, in bytes. */
const MAX_FORM_BYTES = 16 * 1024
/** Maximum time a form may take to arrive, in milliseconds. */
const FORM_TIMEOUT = 5_000

/** The website: a router of its own, with its own checks and errors. */
export function createSite(options: SiteOptions): RequestHandler {
  assertUniqueOperations(options.routes)
  const reader = new BodyReader({ deadlines: options.deadlines, limit: MAX_FORM_BYTES, timeoutMs: FORM_TIMEOUT })
  const app = new Elysia(ROUTER)
  app.onError(({ error, request }) =>
    errorResponse(error instanceof NotFoundError ? notFound(request, app.router) : error, request, options),
  )
  for (const route of options.routes) {
    const { path, names } = toRouterPath(route.path)
    const handle = async ({ request, params }: { request: Request; params: Record<string, string> }) => {
      await options.checkLimit(request)
      const base = options.baseUrlOf(request)
      const form = await readForm(route, request, reader, base)
      const pathParams = Object.fromEntries(names.map(([name, key]) => [name, params[key] ?? '']))
      const query = new URL(request.url).searchParams
      const visitor = options.visitorOf(request)
      if (route.method === 'GET') options.beginRead()
      return await route.handle({ request, params: pathParams, query, form, base, visitor })
    }
    app.route(route.method, path, handle, { parse: 'none' })
  }
  return {
    async fetch(request, server) {
      options.onRequest(request, server)
      const disconnect = () => server.timeout(request, GONE_TIMEOUT_S)
      const respond = async () => boundResponse(await app.fetch(request), request, options.writer, disconnect)
      return withSecurityHeaders(await respond().catch((error) => errorResponse(error, request, options)))
    },
    stop() {},
  }
}

/** Reads the fields of a form; only our own pages may send one. */
async function readForm(
  { method }: PageRoute,
  request: Request,
  reader: BodyReader,
  base: string,
): Promise<URLSearchParams> {
  if (method === 'GET') return new URLSearchParams()
  if (request.headers.get('origin') !== base) {
    throw new AppError(
      'forbidden',
      'this form was not sent from a page of this server; open the page again and send it from there',
    )
  }
  const media = (request.headers.get('content-type') ?? '').split(';', 1)[0]
  if (media !== 'application/x-www-form-urlencoded')
    throw new AppError('invalid-request', 'this is not a form of this server')
  return new URLSearchParams(new TextDecoder().decode(await reader.bytes(request)))
}

function notFound({ url }: Request, router: Elysia['router']): AppError {
  const allowed = allowedMethods(router, pathOf(url))
  if (!allowed) return pageNotFound()
  return new AppError('method-not-allowed', `this address takes ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  })
}

function errorResponse(error: unknown, request: Request, { report }: SiteOptions): Response {
  const appError = toAppError(error)
  if (appError !== error) report(error, { id: createExchangeId(), method: request.method, path: pathOf(request.url) })
  const wantsPage = request.method !== 'GET' || (request.headers.get('accept') ?? '').includes('text/html')
  return wantsPage ? errorPage(appError) : errorJson(appError)
}

function withSecurityHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value)
  return response
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Not possible',
  413: 'Too large',
  421: 'Wrong server',
  429: 'Too many requests',
  503: 'Try again later',
}

/** The page for an error. */
function errorPage(error: AppError): Response {
  const status = error.status === 422 ? 400 : error.status
  const title = TITLES[status] ?? 'Something went wrong'
  const message = singleLine(error.message)
  const reason = status === 500 ? 'This is our fault. The error was logged. Try again later.' : sentence(message)
  const main = html`<h1>${title}</h1><p class="apart">${reason}</p><p class="apart"><a class="button" href="/">Go to the front page</a></p>`
  const response = htmlResponse(layout({ title, main }), { status })
  for (const [name, value] of Object.entries(error.headers)) response.headers.set(name, value)
  return response
}

/** The same for programs, in the format of the API. */
const errorJson = ({ status, message, headers }: AppError): Response =>
  Response.json({ success: false, error: sentence(message), hint: null }, { status, headers })

const pageNotFound = (): AppError => new AppError('invalid-request', 'This page does not exist.', { status: 404 })

const sentence = (text: string): string => {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}
