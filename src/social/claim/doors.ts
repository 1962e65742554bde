import { AppError } from '../../core/errors.ts'
import { sent } from '../pages/replies.ts'
import type { Visit } from '../pages/visit.ts'
import { cookie, cookieOf } from './cookies.ts'
import { checkSeal, freshWord, type Guest, type Guests } from './guests.ts'
import { notSignedIn, type Provider } from './provider.ts'
import type { SignIns } from './sign-ins.ts'

/** The only pages of ours that signing in leads to. */
const ONWARD = /^\/(me|claim\/[A-Za-z0-9_-]{1,120})$/

/** Where to go on after signing in; never another site. */
export const onwardOf = (asked: string | null): string => (asked !== null && ONWARD.test(asked) ? asked : '/me')

/** How people come in and go out. */
export class Doors {
  constructor(
    readonly providers: readonly Provider[],
    private readonly guests: Guests,
    private readonly signIns: SignIns,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Who looks at this page; undefined for somebody who is not signed in. */
  guest({ request, base }: Visit): Guest | undefined {
    return this.guests.known(cookieOf(request, 'session', base))
  }

  /** Who sends this form; throws when it is nobody signed in, or no form of theirs. */
  sender(visit: Visit): Guest {
    const guest = this.guest(visit)
    if (!guest) throw new AppError('forbidden', 'you are not signed in any more; open the page again and sign in')
    checkSeal(guest, visit.form)
    return guest
  }

  labelOf({ person }: Guest): string {
    return this.providers.find(({ key }) => key === person.provider)?.settings.label ?? ''
  }

  /** Sends a visitor to a provider. */
  async leave({ request, params: { provider = '' }, query, base }: Visit): Promise<Response> {
    const at = this.#need(provider)
    const { url, errand } = await at.leave(redirectOf(at, base)).catch((error) => this.#failed(at, error))
    const browser = this.#browser(request, base) ?? freshWord()
    this.signIns.begin(provider, browser, errand, onwardOf(query.get('to')))
    return sent(url, [cookie('signin', browser, base, 600)])
  }

  /** Takes a visitor back from a provider, signed in when all is right. */
  async return({ request, params: { provider = '' }, query, base }: Visit): Promise<Response> {
    const at = this.#need(provider)
    const { errand, to } = this.signIns.take(provider, this.#browser(request, base), query.get('state') ?? '')
    const person = await at.return(query, errand, redirectOf(at, base)).catch((error) => this.#failed(at, error))
    const word = await this.guests.enter(person, cookieOf(request, 'session', base))
    return sent(to, [cookie('session', word, base)])
  }

  async signOut(visit: Visit): Promise<Response> {
    this.sender(visit)
    await this.guests.leave(cookieOf(visit.request, 'session', visit.base) ?? '')
    return sent('/', [cookie('session', '', visit.base, 0)])
  }

  #browser(request: Request, base: string): string | undefined {
    const word = cookieOf(request, 'signin', base)
    return word !== undefined && /^[A-Za-z0-9_-]{43}$/.test(word) ? word : undefined
  }

  #need(id: string): Provider {
    const provider = this.providers.find(({ settings }) => settings.id === id)
    if (!provider) throw new AppError('invalid-request', 'nobody signs in that way here', { status: 404 })
    return provider
  }

  #failed({ settings }: Provider, error: unknown): never {
    this.report(error)
    throw notSignedIn(settings.label, error)
  }
}

/** Each provider has an address of its own to come back to, so that none can answer for another. */
const redirectOf = ({ settings }: Provider, base: string): string => `${base}/sign-in/${settings.id}/return`
