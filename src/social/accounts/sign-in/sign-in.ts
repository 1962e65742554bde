import { AppError } from '../../../core/errors.ts'
import { redirect, type SiteRequest } from '../../html/index.ts'
import type { PendingSignIns } from './pending.ts'
import { type IdentityProvider, type ProviderSettings, signInError } from './provider.ts'
import { checkFormToken, randomCookie, type SignedIn, type SignInSessions } from './sessions.ts'

/** The only pages that signing in leads to. */
const RETURN_PATH = /^\/(me|claim\/[A-Za-z0-9_-]{1,120})$/

/** Path to continue at after signing in; never another site. */
export const returnPath = (path: string | null): string => (path !== null && RETURN_PATH.test(path) ? path : '/me')

/** Signs people in with an identity provider, and out again. */
export class SignIn {
  constructor(
    private readonly providers: readonly IdentityProvider[],
    private readonly sessions: SignInSessions,
    private readonly pending: PendingSignIns,
    private readonly report: (error: unknown) => void,
  ) {}

  /** The providers to choose from. */
  get choices(): readonly ProviderSettings[] {
    return this.providers.map(({ settings }) => settings)
  }

  /** Viewer of a page; undefined if not signed in. */
  signedIn({ request, base }: SiteRequest): SignedIn | undefined {
    return this.sessions.find(readCookie(request, 'session', base))
  }

  /** Sender of a form; throws if not signed in, or if the form is not from their own page. */
  formSender(request: SiteRequest): SignedIn {
    const signedIn = this.signedIn(request)
    if (!signedIn) throw new AppError('forbidden', 'you are no longer signed in; open the page again and sign in')
    checkFormToken(signedIn, request.form)
    return signedIn
  }

  /** The label of the provider that somebody signed in with. */
  providerLabel({ person }: SignedIn): string {
    return this.providers.find(({ key }) => key === person.provider)?.settings.label ?? ''
  }

  /** Sends a visitor to a provider. */
  async begin({ request, params: { provider: id = '' }, query, base }: SiteRequest): Promise<Response> {
    const provider = this.#provider(id)
    const { url, authorization } = await provider
      .authorize(redirectUri(provider, base))
      .catch((error) => this.#fail(provider, error))
    const browser = this.#browserCookie(request, base) ?? randomCookie()
    this.pending.add(id, browser, authorization, returnPath(query.get('to')))
    return redirect(url, [setCookie('signin', browser, base, 600)])
  }

  /** Takes a visitor back from a provider, and signs them in when everything is right. */
  async complete({ request, params: { provider: id = '' }, query, base }: SiteRequest): Promise<Response> {
    const provider = this.#provider(id)
    const pending = this.pending.take(id, this.#browserCookie(request, base), query.get('state') ?? '')
    const person = await provider
      .authenticate(query, pending.request, redirectUri(provider, base))
      .catch((error) => this.#fail(provider, error))
    const cookie = await this.sessions.create(person, readCookie(request, 'session', base))
    return redirect(pending.returnTo, [setCookie('session', cookie, base)])
  }

  async signOut(request: SiteRequest): Promise<Response> {
    this.formSender(request)
    await this.sessions.delete(readCookie(request.request, 'session', request.base) ?? '')
    return redirect('/', [setCookie('session', '', request.base, 0)])
  }

  #browserCookie(request: Request, base: string): string | undefined {
    const cookie = readCookie(request, 'signin', base)
    return cookie !== undefined && /^[A-Za-z0-9_-]{43}$/.test(cookie) ? cookie : undefined
  }

  #provider(id: string): IdentityProvider {
    const provider = this.providers.find(({ settings }) => settings.id === id)
    if (!provider) throw new AppError('invalid-request', 'unknown sign-in method', { status: 404 })
    return provider
  }

  #fail({ settings }: IdentityProvider, error: unknown): never {
    this.report(error)
    throw signInError(settings.label, error)
  }
}

/** Each provider returns to an address of its own, so that none can answer for another. */
const redirectUri = ({ settings }: IdentityProvider, base: string): string => `${base}/sign-in/${settings.id}/return`

/** The cookies of the pages: the session of who is signed in, and the mark of a browser that is signing in. */
type CookieKind = 'session' | 'signin'

/** Over https, `__Host-` keeps every other host from setting the cookie. */
const nameOf = (kind: CookieKind, base: string): string => `${base.startsWith('https:') ? '__Host-' : ''}gc-${kind}`

function readCookie(request: Request, kind: CookieKind, base: string): string | undefined {
  const name = nameOf(kind, base)
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** A `Set-Cookie` header: hidden from scripts, and not sent with forms or frames of other sites. */
function setCookie(kind: CookieKind, value: string, base: string, maxAgeSeconds?: number): string {
  const secure = base.startsWith('https:') ? '; Secure' : ''
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${nameOf(kind, base)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`
}
