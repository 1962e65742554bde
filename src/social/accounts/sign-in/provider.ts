import * as oauth from 'oauth4webapi'
import type { Clock } from '../../../core/clock.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import { AppError } from '../../../core/errors.ts'
import { isLoopback } from '../../../http/authority.ts'
import type { Person } from './person.ts'

interface CommonSettings {
  /** Names it in our URLs: `github`. */
  readonly id: string
  /** Label for people: `GitHub`. */
  readonly label: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
}

/** An OpenID provider: it describes itself at its issuer, and a person in a signed token. */
export interface OpenIdSettings extends CommonSettings {
  readonly kind: 'oidc'
  readonly issuer: string
}

/** An OAuth provider whose endpoints are configured; the person is read from their account. */
export interface OAuthSettings extends CommonSettings {
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

/** The secrets of one authorization request, which its response is checked against. */
export interface AuthorizationRequest {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

const HOUR = 3_600_000
/** Seconds by which a provider's clock may be off. */
const CLOCK_TOLERANCE = 60
const TIMEOUT = 10_000
const MAX_NAME_LENGTH = 200

/** An identity provider, with which people sign in. */
export class IdentityProvider {
  readonly #client: oauth.Client
  #discovered: { server: oauth.AuthorizationServer; expiresAt: number } | undefined

  constructor(
    readonly settings: ProviderSettings,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
  ) {
    this.#client = { client_id: settings.clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE }
  }

  /** Separates the people of one provider from those of others. */
  get key(): string {
    return `${this.settings.kind}:${this.settings.issuer}`
  }

  /** The URL at the provider that a visitor is sent to, and the request to keep until they are back. */
  async authorize(redirectUri: string): Promise<{ url: string; authorization: AuthorizationRequest }> {
    const server = await this.#withTimeout((signal) => this.#server(signal))
    const authorization = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    }
    const url = new URL(server.authorization_endpoint ?? '')
    const parameters = {
      client_id: this.settings.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: this.settings.scope ?? (this.settings.kind === 'oidc' ? 'openid profile' : ''),
      state: authorization.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(authorization.verifier),
      code_challenge_method: 'S256',
      ...(this.settings.kind === 'oidc' && { nonce: authorization.nonce }),
    }
    for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value)
    return { url: url.href, authorization }
  }

  /** The person who came back from the provider; throws unless the response belongs to the request. */
  async authenticate(
    search: URLSearchParams,
    authorization: AuthorizationRequest,
    redirectUri: string,
  ): Promise<Person> {
    return this.#withTimeout(async (signal) => {
      const server = await this.#server(signal)
      const params = oauth.validateAuthResponse(server, this.#client, search, authorization.state)
      const options = this.#options(server.token_endpoint, signal)
      const auth = this.#clientAuth(server)
      const response = await oauth.authorizationCodeGrantRequest(
        ...([server, this.#client, auth, params, redirectUri, authorization.verifier] as const),
        options,
      )
      return this.settings.kind === 'oidc'
        ? this.#personOfToken(server, response, authorization, signal)
        : this.#personOfAccount(this.settings, server, response, signal)
    })
  }

  async #personOfToken(
    server: oauth.AuthorizationServer,
    response: Response,
    { nonce }: AuthorizationRequest,
    signal: AbortSignal,
  ): Promise<Person> {
    const token = await oauth.processAuthorizationCodeResponse(server, this.#client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, this.#options(server.jwks_uri, signal))
    const claims = oauth.getValidatedIdTokenClaims(token)
    if (!claims) throw new TypeError('the token has no claims')
    return this.#person(claims.sub, claims.preferred_username ?? claims.name ?? claims.email)
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
    const account = await oauth.protectedResourceRequest(
      ...([token.access_token, 'GET', new URL(userEndpoint), headers, null] as const),
      options,
    )
    if (!account.ok) throw new TypeError(`the account could not be read: ${account.status}`)
    const fields: Record<string, unknown> = { ...Object(await account.json()) }
    return this.#person(fields[subjectField], fields[nameField])
  }

  #person(subject: unknown, name: unknown): Person {
    const id = typeof subject === 'number' ? String(subject) : subject
    if (typeof id !== 'string' || id === '' || id.length > MAX_NAME_LENGTH) {
      throw new TypeError('the provider returned no identity')
    }
    return {
      provider: this.key,
      subject: id,
      ...(typeof name === 'string' && { name: name.slice(0, MAX_NAME_LENGTH) }),
    }
  }

  async #server(signal: AbortSignal): Promise<oauth.AuthorizationServer> {
    const { settings } = this
    if (settings.kind === 'oauth2') {
      const { issuer, authorizationEndpoint, tokenEndpoint } = settings
      return { issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint }
    }
    const now = this.clock.monotonic()
    if (this.#discovered && this.#discovered.expiresAt > now) return this.#discovered.server
    const issuer = new URL(settings.issuer)
    const options = { algorithm: 'oidc' as const, ...this.#options(settings.issuer, signal) }
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
    this.#discovered = { server, expiresAt: now + HOUR }
    return server
  }

  #clientAuth({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer): oauth.ClientAuth {
    const { clientSecret, kind } = this.settings
    const usesPost = methods
      ? methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
      : kind === 'oauth2'
    return usesPost ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret)
  }

  /** Plain http is allowed for providers on this machine only. */
  #options(address: string | undefined, signal: AbortSignal) {
    const insecure = isLoopback(URL.parse(address ?? '')?.hostname.replace(/[[\]]/g, '') ?? '')
    return { signal, [oauth.allowInsecureRequests]: insecure }
  }

  async #withTimeout<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const timeout = this.deadlines.after(TIMEOUT, () => controller.abort(new TypeError('the provider does not answer')))
    try {
      return await work(controller.signal)
    } finally {
      timeout.cancel()
    }
  }
}

/** The error for a visitor whose sign-in failed; its cause is only reported to the operator. */
export function signInError(label: string, error: unknown): AppError {
  if (error instanceof oauth.AuthorizationResponseError) {
    return new AppError(
      'forbidden',
      `${label} did not sign you in (${error.error.slice(0, 60)}); go back and try again`,
    )
  }
  return new AppError('forbidden', `signing in with ${label} failed; go back and start again`)
}
