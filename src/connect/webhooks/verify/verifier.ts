import type { WebhookVerifyConfig } from '../../../config/webhooks/webhook.ts'
import { type Environment, secretOf } from '../admission/secrets.ts'
import { verifyDiscord } from './discord.ts'
import { verifyHmac } from './hmac.ts'
import { JwtVerifier } from './jwt.ts'
import type { SignedDelivery, Verified } from './signed.ts'

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
