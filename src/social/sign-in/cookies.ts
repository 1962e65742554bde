/** The cookies of the pages: the session of who is signed in, and the mark of a browser that is signing in. */
export type CookieKind = 'session' | 'signin'

/** Over https, `__Host-` keeps every other host from setting the cookie. */
const nameOf = (kind: CookieKind, base: string): string => `${base.startsWith('https:') ? '__Host-' : ''}gc-${kind}`

export function readCookie(request: Request, kind: CookieKind, base: string): string | undefined {
  const name = nameOf(kind, base)
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** A `Set-Cookie` header: hidden from scripts, and not sent with forms or frames of other sites. */
export function setCookie(kind: CookieKind, value: string, base: string, maxAgeSeconds?: number): string {
  const secure = base.startsWith('https:') ? '; Secure' : ''
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${nameOf(kind, base)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`
}
