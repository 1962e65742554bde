/** What a browser keeps for us: who is signed in, and that it began to sign in. */
export type Kept = 'session' | 'signin'

/** Over https a browser lets nobody but this very host set a cookie of this kind. */
const nameOf = (kept: Kept, base: string): string => `${base.startsWith('https:') ? '__Host-' : ''}gc-${kept}`

export function cookieOf(request: Request, kept: Kept, base: string): string | undefined {
  const name = nameOf(kept, base)
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** Scripts never see it, and no other site's form or frame brings it along. */
export function cookie(kept: Kept, value: string, base: string, seconds?: number): string {
  const secure = base.startsWith('https:') ? '; Secure' : ''
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`
  return `${nameOf(kept, base)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`
}
