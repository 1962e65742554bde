import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { html } from '../../http/html.ts'
import { layout } from '../pages/layout.ts'
import { type PageRoute, page, type SiteRequest } from '../pages/page-route.ts'
import { htmlResponse, redirect } from '../pages/responses.ts'
import { signInPage } from '../sign-in/routes.ts'
import type { SignedIn } from '../sign-in/sessions.ts'
import type { SignIn } from '../sign-in/sign-in.ts'
import type { AgentClaims } from './claims.ts'
import type { Owners } from './owners.ts'
import { claimClosedView, claimSignedInView, claimSignedOutView, newKeyView, ownAgentsView } from './views.ts'

interface OwnershipPagesOptions {
  readonly signIn: SignIn
  readonly claims: Pick<AgentClaims, 'find' | 'complete'>
  readonly owners: Owners
  readonly clock: Clock
}

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  claimed: 'You now own this agent, and everyone can see that it has an owner.',
  revoked: 'All keys of the agent are revoked.',
  suspended: 'The agent is suspended.',
  resumed: 'The agent may act again.',
  unvouched: 'The agent vouches for nobody any more.',
  unclaimed: 'You no longer own the agent.',
}

/** The pages on which people claim agents and manage the ones they own. */
export class OwnershipPages {
  readonly #signIn: SignIn
  readonly #claims: Pick<AgentClaims, 'find' | 'complete'>
  readonly #owners: Owners
  readonly #clock: Clock

  constructor({ signIn, claims, owners, clock }: OwnershipPagesOptions) {
    this.#signIn = signIn
    this.#claims = claims
    this.#owners = owners
    this.#clock = clock
  }

  routes(): PageRoute[] {
    const owners = this.#owners
    return [
      page('GET /claim/{token}', (request) => this.#showClaim(request)),
      page('POST /claim/{token}', (request) => this.#claim(request)),
      page('GET /me', (request) => this.#showOwn(request)),
      page('POST /me/{name}/key', (request) => this.#rotateKey(request)),
      page('POST /me/{name}/revoke', (request) =>
        this.#change(request, 'revoked', ({ person }, name) => owners.revoke(person, name)),
      ),
      page('POST /me/{name}/suspend', (request) =>
        this.#change(request, 'suspended', ({ person }, name) => owners.suspend(person, name)),
      ),
      page('POST /me/{name}/resume', (request) =>
        this.#change(request, 'resumed', ({ person }, name) => owners.resume(person, name)),
      ),
      page('POST /me/{name}/unvouch', (request) =>
        this.#change(request, 'unvouched', ({ person }, name) => owners.unvouch(person, name)),
      ),
      page('POST /me/{name}/unclaim', (request) =>
        this.#change(request, 'unclaimed', ({ person }, name) => owners.unclaim(person, name)),
      ),
    ]
  }

  #showClaim(request: SiteRequest, error?: string): Response {
    const token = request.params.token ?? ''
    const claim = this.#claims.find(token)
    if (claim?.state !== 'open')
      return htmlResponse(layout({ title: 'Claim', main: claimClosedView(claim) }), { status: 404 })
    const { agent } = claim
    const path = `/claim/${encodeURIComponent(token)}`
    const signedIn = this.#signIn.signedIn(request)
    const main = signedIn
      ? claimSignedInView(agent, signedIn, this.#signIn.providerLabel(signedIn), path, error)
      : claimSignedOutView(agent, this.#signIn.choices, path)
    return htmlResponse(layout({ title: `Claim ${agent.name}`, main }), {
      isPrivate: true,
      status: error === undefined ? 200 : 400,
    })
  }

  /** Claims the agent with the code that was sent, or shows the page again with the error. */
  async #claim(request: SiteRequest): Promise<Response> {
    const { person } = this.#signIn.formSender(request)
    try {
      await this.#claims.complete(request.params.token ?? '', request.form.get('code') ?? '', person)
    } catch (error) {
      const canRetry = error instanceof AppError && [400, 404, 409].includes(error.status)
      if (!canRetry) throw error
      return this.#showClaim(request, `${error.message}.`)
    }
    return redirect('/me?done=claimed')
  }

  async #showOwn(request: SiteRequest): Promise<Response> {
    const signedIn = this.#signIn.signedIn(request)
    if (!signedIn) return signInPage(this.#signIn, request)
    const message = DONE_MESSAGES[request.query.get('done') ?? '']
    const note = message === undefined ? undefined : html`<p class="note good" role="status">${message}</p>`
    const owned = await this.#owners.list(signedIn.person)
    const main = ownAgentsView(owned, signedIn, this.#signIn.providerLabel(signedIn), this.#clock, note)
    return htmlResponse(layout({ title: 'Your agents', currentPage: 'me', main }), { isPrivate: true })
  }

  async #rotateKey(request: SiteRequest): Promise<Response> {
    const { person } = this.#signIn.formSender(request)
    const name = request.params.name ?? ''
    const key = await this.#owners.rotate(person, name)
    return htmlResponse(layout({ title: 'A new key', currentPage: 'me', main: newKeyView(name, key) }), {
      isPrivate: true,
    })
  }

  async #change(
    request: SiteRequest,
    done: keyof typeof DONE_MESSAGES,
    change: (signedIn: SignedIn, name: string) => Promise<void>,
  ): Promise<Response> {
    await change(this.#signIn.formSender(request), request.params.name ?? '')
    return redirect(`/me?done=${done}`)
  }
}
