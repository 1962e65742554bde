import type { Method } from '../../http/route.ts'

/** A request for a page. */
export interface SiteRequest {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The fields of the form; empty for a GET. */
  readonly form: URLSearchParams
  /** Sender for limits: a group of addresses. */
  readonly visitor: string
  /** The base of our URLs for this request: `https://host`. */
  readonly base: string
}

/** A page: its method, its path and its handler. */
export interface PageRoute {
  readonly method: Method
  readonly path: string
  handle(request: SiteRequest): Response | Promise<Response>
}

/** Declares a page. */
export function page(operation: `${'GET' | 'POST'} /${string}`, handle: PageRoute['handle']): PageRoute {
  const [method, path = '/'] = operation.split(' ', 2)
  return { method: method === 'POST' ? 'POST' : 'GET', path, handle }
}
