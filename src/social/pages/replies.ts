import type { Markup } from '../../http/html.ts'

/** Looked at by everybody, the same for everybody, and seldom older than this. */
const SHARED = 'public, max-age=10'

interface More {
  status?: number
  /** Whether it is one visitor's own; then nobody keeps it. */
  own?: boolean
  cookies?: readonly string[]
}

/** A page as it is sent. */
export function shown(body: Markup, { status = 200, own = false, cookies = [] }: More = {}): Response {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8' })
  headers.set('cache-control', own || status >= 400 ? 'no-store' : SHARED)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(body.text, { status, headers })
}

/** Sends the visitor to another page. */
export function sent(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** A text that is no page. */
export const text = (type: string, body: string, cache = SHARED): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': cache } })
