import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import type { ProviderSettings } from '../../src/social/accounts/sign-in/provider.ts'

const CLIENT = 'gc-test'
const SECRET = 'a secret that only this test has'

const settingsFor = (issuer: string, id = 'local', label = 'Local'): ProviderSettings => ({
  ...{ id, label, kind: 'oidc', issuer, scope: undefined },
  ...{ clientId: CLIENT, clientSecret: SECRET },
})

/** An OpenID provider on loopback that lets in anyone who types a name, and asks for consent; for one client. */
export async function openProvider() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    issuer,
    settings: (id?: string, label?: string) => settingsFor(issuer, id, label),
    /** Begins to answer, for the site at `url`. */
    serve(url: string, ids: readonly string[] = ['local']): void {
      const provider = new Provider(issuer, {
        clients: [
          {
            ...{ client_id: CLIENT, client_secret: SECRET, grant_types: ['authorization_code'] },
            redirect_uris: ids.map((id) => `${url}/sign-in/${id}/return`),
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
        cookies: { keys: ['for the provider’s own cookies'] },
        claims: { openid: ['sub'], profile: ['preferred_username'] },
        conformIdTokenClaims: false,
        findAccount: (_: unknown, id: string) => ({
          accountId: id,
          claims: () => ({ sub: id, preferred_username: `${id} <b>person</b>` }),
        }),
        ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 60, Session: 60, Grant: 60 },
        pkce: { required: () => true },
      })
      server.on('request', provider.callback())
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Attacks of a malicious provider on a sign-in. */
export interface Forgery {
  /** Changes what the token says. */
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>
  /** Signs with a key that is not the published one. */
  foreignKey?: boolean
  /** Leaves the token without a signature. */
  unsigned?: boolean
  /** Says another issuer on the way back. */
  iss?: string
  /** Sends no token at all. */
  noToken?: boolean
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A provider that lets everyone in as `eve` and does to them what the test says. */
export function openRogueProvider(forgery: Forgery = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const nonces = new Map<string, string>()
  const tokenRequests: URLSearchParams[] = []
  const token = (code: string): string => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: CLIENT, sub: 'eve', iat: now, exp: now + 60, nonce: nonces.get(code) }
    const header = { alg: forgery.unsigned ? 'none' : 'RS256', kid: 'k' }
    const body = `${encoded(header)}.${encoded(forgery.claims?.(claims) ?? claims)}`
    if (forgery.unsigned) return `${body}.`
    const key = forgery.foreignKey ? foreign : privateKey
    return `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/.well-known/openid-configuration') return Response.json(discovery)
      if (pathname === '/jwks')
        return Response.json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] })
      if (pathname === '/auth') {
        const code = crypto.randomUUID()
        nonces.set(code, searchParams.get('nonce') ?? '')
        const back = new URL(searchParams.get('redirect_uri') ?? '')
        const params = { code, state: searchParams.get('state') ?? '', iss: forgery.iss ?? issuer }
        for (const [name, value] of Object.entries(params)) back.searchParams.set(name, value)
        return Response.redirect(back.href)
      }
      const form = new URLSearchParams(await request.text())
      tokenRequests.push(form)
      const id_token = forgery.noToken ? {} : { id_token: token(form.get('code') ?? '') }
      return Response.json({ access_token: 'x', token_type: 'bearer', ...id_token })
    },
  })
  const issuer: string = `http://127.0.0.1:${server.port}`
  const discovery = {
    ...{
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    },
    ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
    ...{ id_token_signing_alg_values_supported: ['RS256'], authorization_response_iss_parameter_supported: true },
  }
  return {
    ...{ issuer, tokenRequests },
    settings: (id = 'rogue', label = 'Rogue') => settingsFor(issuer, id, label),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** A service that is not an OpenID provider: it only lets an account be read, as GitHub does. */
export function openAccounts(account: Record<string, unknown>) {
  const challenges = new Map<string, string>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/authorize') {
        const code = crypto.randomUUID()
        challenges.set(code, searchParams.get('code_challenge') ?? '')
        const back = new URL(searchParams.get('redirect_uri') ?? '')
        back.searchParams.set('code', code)
        back.searchParams.set('state', searchParams.get('state') ?? '')
        return Response.redirect(back.href)
      }
      if (pathname === '/token') {
        const form = new URLSearchParams(await request.text())
        const digest = new Bun.CryptoHasher('sha256').update(form.get('code_verifier') ?? '').digest('base64url')
        const right = form.get('client_secret') === SECRET && challenges.get(form.get('code') ?? '') === digest
        return right
          ? Response.json({ access_token: 'of the account', token_type: 'bearer', scope: '' })
          : Response.json({ error: 'bad_verification_code' })
      }
      return request.headers.get('authorization') === 'Bearer of the account'
        ? Response.json(account)
        : new Response('', { status: 401 })
    },
  })
  const issuer = `http://127.0.0.1:${server.port}`
  const settings: ProviderSettings = {
    ...{ id: 'accounts', label: 'Accounts', kind: 'oauth2', issuer, scope: 'read:user' },
    ...{ clientId: CLIENT, clientSecret: SECRET, authorizationEndpoint: `${issuer}/authorize` },
    ...{ tokenEndpoint: `${issuer}/token`, userEndpoint: `${issuer}/user`, subjectField: 'id', nameField: 'login' },
  }
  return { settings, [Symbol.asyncDispose]: () => server.stop(true) }
}
