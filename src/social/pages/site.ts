import type { Server } from 'bun'
import { Elysia, NotFoundError } from 'elysia'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { exchangeId } from '../../core/ids.ts'
import type { RequestHandler } from '../../http/app.ts'
import { BodyReader } from '../../http/body.ts'
import { at, methodsOf, refuseDoubles } from '../../http/paths.ts'
import type { FailedRequest, SocketData } from '../../http/plane-options.ts'
import { toAppError } from '../../http/problem.ts'
import { nothingHere, refused, told } from './lost.ts'
import type { PageRoute } from './visit.ts'

export interface SiteOptions {
  readonly routes: readonly PageRoute[]
  readonly deadlines: Deadlines
  /** What our addresses begin with, as this request reached us; throws when it did not mean us. */
  baseOf(request: Request): string
  /** Notes where a request comes from. */
  note(request: Request, server: Server<SocketData>): void
  /** Throws when a visitor asks too often. */
  admit(request: Request): void
  report(error: unknown, occasion: FailedRequest): void
}

/** No script, nothing from elsewhere, in nobody's frame; forms lead here only. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** The longest form, in bytes, and how long one may take to arrive, in milliseconds. */
const LONGEST_FORM = 16 * 1024
const PATIENCE = 5_000

/** The pages for people: their own router, guard and errors. */
export function createSite(options: SiteOptions): RequestHandler {
  refuseDoubles(options.routes)
  const reader = new BodyReader({ deadlines: options.deadlines, limit: LONGEST_FORM, patience: PATIENCE })
  const methods = methodsOf(options.routes)
  const app = new Elysia({ normalize: false, strictPath: true, sucrose: { gcTime: null } })
  app.onError(({ error, request }) =>
    answered(error instanceof NotFoundError ? lost(request, methods) : error, request, options),
  )
  for (const route of options.routes) {
    const { path, names } = at(route.path)
    const run = async ({ request, params }: { request: Request; params: Record<string, string> }) => {
      options.admit(request)
      const base = options.baseOf(request)
      const form = await formOf(route, request, reader, base)
      const found = Object.fromEntries(names.map(([name, key]) => [name, params[key] ?? '']))
      return await route.show({ request, params: found, query: new URL(request.url).searchParams, form, base })
    }
    app.route(route.method, path, run, { parse: 'none' })
  }
  return {
    async fetch(request, server) {
      options.note(request, server)
      return dressed(await app.fetch(request))
    },
    stop() {},
  }
}

/** The fields of a form; only one of our own pages may send it. */
async function formOf(
  { method }: PageRoute,
  request: Request,
  reader: BodyReader,
  base: string,
): Promise<URLSearchParams> {
  if (method === 'GET') return new URLSearchParams()
  if (request.headers.get('origin') !== base) {
    throw new AppError(
      'forbidden',
      'this form was not sent from a page of ours; open the page again and send it from there',
    )
  }
  const media = (request.headers.get('content-type') ?? '').split(';', 1)[0]
  if (media !== 'application/x-www-form-urlencoded') throw new AppError('invalid-request', 'this is no form of ours')
  return new URLSearchParams(new TextDecoder().decode(await reader.bytes(request)))
}

function lost(request: Request, methods: ReturnType<typeof methodsOf>): AppError {
  const allowed = methods(new URL(request.url).pathname)
  if (!allowed) return nothingHere()
  return new AppError('method-not-allowed', `this address takes ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  })
}

function answered(error: unknown, request: Request, { report }: SiteOptions): Response {
  const refusal = toAppError(error)
  if (refusal !== error)
    report(error, { id: exchangeId(), method: request.method, path: new URL(request.url).pathname })
  const wantsPage = request.method !== 'GET' || (request.headers.get('accept') ?? '').includes('text/html')
  return wantsPage ? refused(refusal) : told(refusal)
}

function dressed(response: Response): Response {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value)
  return response
}
