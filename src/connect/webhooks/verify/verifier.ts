import { createHash } from 'node:crypto'
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import type { WebhookVerifyConfig } from '../../../config/webhooks/index.ts'
import { errorMessage } from '../../../core/errors.ts'
import { operatorFault, verifyFailed } from '../admission/rejection.ts'
import { type Environment, secretOf } from '../admission/secrets.ts'
import { verifyDiscord } from './discord.ts'
import { verifyHmac } from './hmac.ts'
import { requiredHeader, type SignedDelivery, type Verified } from './signed.ts'

/** Verifies deliveries by whatever scheme their webhook names. */
export class Verifier {
  readonly #jwt = new JwtVerifier()

  constructor(private readonly env: Environment) {}

  /** Throws a rejection unless the sender proved who it is. */
  async verify(delivery: SignedDelivery, verify: WebhookVerifyConfig, now: number): Promise<Verified> {
    if (verify.scheme === 'jwt-jwks') return this.#jwt.verify(delivery, verify, now)
    const secret = secretOf(verify, this.env)
    if (verify.scheme === 'discord-ed25519') verifyDiscord(delivery, verify, secret, now)
    else verifyHmac(delivery, verify, secret, now)
    return {}
  }

  /** Forgets what belongs to webhooks that are gone. */
  retain(all: readonly WebhookVerifyConfig[]): void {
    this.#jwt.retain(new Set(all.flatMap(({ jwksUrl }) => jwksUrl ?? [])))
  }
}

type KeySet = ReturnType<typeof createRemoteJWKSet>

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Maximum clock difference to the issuer, and maximum lifetime of a token. */
const TOLERANCE_S = 30
const MAX_LIFETIME_MS = 86_400_000

const FETCH_TIMEOUT_MS = 5_000
const MAX_KEYS_BYTES = 256 * 1024

/** Verifies tokens by the keys that their issuers publish; keys are fetched when one is missing, twice a minute at most. */
class JwtVerifier {
  readonly #keys = new Map<string, KeySet>()

  /** Throws unless the issuer signed a token for the audience that is good now. A token says nothing of the body. */
  async verify(delivery: SignedDelivery, verify: WebhookVerifyConfig, now: number): Promise<Verified> {
    const { issuer = '', audience = '', jwksUrl = '' } = verify
    const header = requiredHeader(delivery, verify.signatureHeader ?? 'authorization')
    const token = header.replace(/^bearer +/i, '').trim()
    const { payload } = await jwtVerify(token, this.#keySet(jwksUrl), {
      ...{ issuer, audience, algorithms: ALGORITHMS, requiredClaims: ['exp'] },
      ...{ clockTolerance: TOLERANCE_S, currentDate: new Date(now) },
    }).catch((error: unknown) => {
      throw isOfToken(error) ? verifyFailed(errorMessage(error)) : operatorFault(`${jwksUrl}: ${errorMessage(error)}`)
    })
    return verifiedBy(payload, token, delivery.body, now)
  }

  /** Forgets the keys of addresses that no webhook names any more. */
  retain(addresses: ReadonlySet<string>): void {
    for (const address of this.#keys.keys()) if (!addresses.has(address)) this.#keys.delete(address)
  }

  #keySet(address: string): KeySet {
    const existing = this.#keys.get(address)
    if (existing) return existing
    const options = { timeoutDuration: FETCH_TIMEOUT_MS, [customFetch]: fetchKeys }
    const keys = createRemoteJWKSet(new URL(address), options)
    this.#keys.set(address, keys)
    return keys
  }
}

/** True if the token is invalid, as opposed to keys that cannot be fetched. */
const isOfToken = (error: unknown): boolean =>
  error instanceof errors.JWTClaimValidationFailed ||
  error instanceof errors.JWTExpired ||
  error instanceof errors.JWTInvalid ||
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JOSEAlgNotAllowed ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys

/** Without an id of its own, a token is identified together with its body: some senders use one for many deliveries. */
function verifiedBy({ jti, exp = 0 }: JWTPayload, token: string, body: Uint8Array, now: number): Verified {
  const expiresAt = exp * 1000
  if (expiresAt - now > MAX_LIFETIME_MS) throw verifyFailed('the token is good for more than a day')
  const id = jti ?? createHash('sha256').update(token).update('\n').update(body).digest('hex')
  return { id, expiresAt: expiresAt + TOLERANCE_S * 1000 }
}

/** Fetches keys, following no redirect and reading no more than keys take. */
async function fetchKeys(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_KEYS_BYTES) throw new Error('the keys are too long')
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), { status: response.status, headers: response.headers })
}
