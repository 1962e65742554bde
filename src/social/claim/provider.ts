import * as oauth from 'oauth4webapi'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { isLoopback } from '../../http/guard.ts'
import type { Person } from '../claims/claims.ts'

interface Common {
  /** Names it in our addresses: `github`. */
  readonly id: string
  /** What people call it: `GitHub`. */
  readonly label: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
}

/** A provider that tells about itself at its issuer, and about a person in a signed token. */
export interface OpenIdSettings extends Common {
  readonly kind: 'oidc'
  readonly issuer: string
}

/** A provider that only lets a person's account be read; where everything is has to be said. */
export interface OAuthSettings extends Common {
  readonly kind: 'oauth2'
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly userEndpoint: string
  /** The field of the account that never changes, and the one a person is called by. */
  readonly subjectField: string
  readonly nameField: string
}

export type ProviderSettings = OpenIdSettings | OAuthSettings

/** What is kept between leaving for a provider and coming back: one visitor's, used once. */
export interface Errand {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

const HOUR = 3_600_000
/** Seconds by which a provider's clock may be off. */
const TOLERANCE = 60
const PATIENCE = 10_000
const LONGEST = 200

/** A provider of identities: where people prove who they are. */
export class Provider {
  readonly #client: oauth.Client
  #known: { server: oauth.AuthorizationServer; until: number } | undefined

  constructor(
    readonly settings: ProviderSettings,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
  ) {
    this.#client = { client_id: settings.clientId, [oauth.clockTolerance]: TOLERANCE }
  }

  /** What stands before the subject of everybody it knows, so that no two providers share a person. */
  get key(): string {
    return `${this.settings.kind}:${this.settings.issuer}`
  }

  /** Where a visitor goes to say who they are, and what has to be kept until they are back. */
  async leave(redirect: string): Promise<{ url: string; errand: Errand }> {
    const server = await this.#within((signal) => this.#server(signal))
    const errand = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    }
    const url = new URL(server.authorization_endpoint ?? '')
    const asked = {
      client_id: this.settings.clientId,
      redirect_uri: redirect,
      response_type: 'code',
      scope: this.settings.scope ?? (this.settings.kind === 'oidc' ? 'openid profile' : ''),
      state: errand.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(errand.verifier),
      code_challenge_method: 'S256',
      ...(this.settings.kind === 'oidc' && { nonce: errand.nonce }),
    }
    for (const [name, value] of Object.entries(asked)) if (value !== '') url.searchParams.set(name, value)
    return { url: url.href, errand }
  }

  /** Who came back, when everything about the way back is right; throws otherwise. */
  async return(search: URLSearchParams, errand: Errand, redirect: string): Promise<Person> {
    return this.#within(async (signal) => {
      const server = await this.#server(signal)
      const params = oauth.validateAuthResponse(server, this.#client, search, errand.state)
      const options = this.#options(server.token_endpoint, signal)
      const secret = this.#secretFor(server)
      const response = await oauth.authorizationCodeGrantRequest(
        ...([server, this.#client, secret, params, redirect, errand.verifier] as const),
        options,
      )
      return this.settings.kind === 'oidc'
        ? this.#personOfToken(server, response, errand, signal)
        : this.#personOfAccount(this.settings, server, response, signal)
    })
  }

  async #personOfToken(
    server: oauth.AuthorizationServer,
    response: Response,
    { nonce }: Errand,
    signal: AbortSignal,
  ): Promise<Person> {
    const token = await oauth.processAuthorizationCodeResponse(server, this.#client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, this.#options(server.jwks_uri, signal))
    const said = oauth.getValidatedIdTokenClaims(token)
    if (!said) throw new TypeError('the token says nothing')
    return this.#person(said.sub, said.preferred_username ?? said.name ?? said.email)
  }

  async #personOfAccount(
    { userEndpoint, subjectField, nameField }: OAuthSettings,
    server: oauth.AuthorizationServer,
    response: Response,
    signal: AbortSignal,
  ): Promise<Person> {
    const token = await oauth.processAuthorizationCodeResponse(server, this.#client, response)
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'gc' })
    const options = this.#options(userEndpoint, signal)
    const answer = await oauth.protectedResourceRequest(
      ...([token.access_token, 'GET', new URL(userEndpoint), headers, null] as const),
      options,
    )
    if (!answer.ok) throw new TypeError(`the account could not be read: ${answer.status}`)
    const account: Record<string, unknown> = { ...Object(await answer.json()) }
    return this.#person(account[subjectField], account[nameField])
  }

  #person(subject: unknown, name: unknown): Person {
    const known = typeof subject === 'number' ? String(subject) : subject
    if (typeof known !== 'string' || known === '' || known.length > LONGEST) {
      throw new TypeError('the provider does not say who this is')
    }
    return { provider: this.key, subject: known, ...(typeof name === 'string' && { name: name.slice(0, LONGEST) }) }
  }

  async #server(signal: AbortSignal): Promise<oauth.AuthorizationServer> {
    const { settings } = this
    if (settings.kind === 'oauth2') {
      const { issuer, authorizationEndpoint, tokenEndpoint } = settings
      return { issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint }
    }
    const now = this.clock.monotonic()
    if (this.#known && this.#known.until > now) return this.#known.server
    const issuer = new URL(settings.issuer)
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...this.#options(settings.issuer, signal) })
    const server = await oauth.processDiscoveryResponse(issuer, found)
    this.#known = { server, until: now + HOUR }
    return server
  }

  #secretFor({ token_endpoint_auth_methods_supported: ways }: oauth.AuthorizationServer): oauth.ClientAuth {
    const { clientSecret, kind } = this.settings
    const posts = ways
      ? ways.includes('client_secret_post') && !ways.includes('client_secret_basic')
      : kind === 'oauth2'
    return posts ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret)
  }

  /** Without encryption nobody is asked but this machine itself. */
  #options(address: string | undefined, signal: AbortSignal) {
    const insecure = isLoopback(URL.parse(address ?? '')?.hostname.replace(/[[\]]/g, '') ?? '')
    return { signal, [oauth.allowInsecureRequests]: insecure }
  }

  async #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const late = this.deadlines.after(PATIENCE, () => controller.abort(new TypeError('the provider does not answer')))
    try {
      return await work(controller.signal)
    } finally {
      late.cancel()
    }
  }
}

/** What a visitor is told when signing in failed; what exactly happened is for the operator. */
export function notSignedIn(label: string, error: unknown): AppError {
  if (error instanceof oauth.AuthorizationResponseError) {
    return new AppError('forbidden', `${label} did not let you in (${error.error.slice(0, 60)}); go back and try again`)
  }
  return new AppError('forbidden', `signing in with ${label} did not work; go back and begin again`)
}
