import type { Method } from '../../http/route.ts'

/** One request for a page. */
export interface Visit {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The fields of the form that was sent; empty for a page that is only looked at. */
  readonly form: URLSearchParams
  /** What our own addresses begin with, as this visitor reaches us: `https://host`. */
  readonly base: string
}

/** A page: where it is, and what makes it. */
export interface PageRoute {
  readonly method: Method
  readonly path: string
  show(visit: Visit): Response | Promise<Response>
}

/** Declares a page. */
export function page(operation: `${'GET' | 'POST'} /${string}`, show: PageRoute['show']): PageRoute {
  const [method, path = '/'] = operation.split(' ', 2)
  return { method: method === 'POST' ? 'POST' : 'GET', path, show }
}
