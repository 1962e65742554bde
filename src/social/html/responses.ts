import type { Markup } from '../../http/html.ts'

/** For what is the same for everybody: a proxy may keep it, and show it a little longer while it fetches it again. */
export const PUBLIC_CACHE = 'public, max-age=10, stale-while-revalidate=60'

interface HtmlOptions {
  status?: number
  /** True if the page is for one person only, and must not be cached. */
  isPrivate?: boolean
  cookies?: readonly string[]
}

/** An HTML page. */
export function htmlResponse(
  body: Markup,
  { status = 200, isPrivate = false, cookies = [] }: HtmlOptions = {},
): Response {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8' })
  headers.set('cache-control', isPrivate || status >= 400 ? 'no-store' : PUBLIC_CACHE)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(body.text, { status, headers })
}

/** Redirects to another page with GET. */
export function redirect(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** Leads to the address that a page has for good. */
export const movedTo = (location: string): Response =>
  new Response(null, { status: 301, headers: { location, 'cache-control': PUBLIC_CACHE } })

/** A file that is not HTML. */
export const textResponse = (type: string, body: string, cache = PUBLIC_CACHE): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': cache } })
