import type { WebhookScheme } from '../../config/webhooks/webhook.ts'
import type { Payload } from './payload.ts'

const DISCORD_PING = 1

/** Slack checks so, now and then, whether the certificate of the address of a command is good. */
const isCertificateCheck = (scheme: WebhookScheme, payload: Payload): boolean =>
  scheme === 'slack-v0' && payload.ssl_check === '1'

/** What a service expects that asks, with a valid signature, whether anybody is here; undefined for a real delivery. */
export function handshakeOf(scheme: WebhookScheme, payload: Payload): Readonly<Record<string, unknown>> | undefined {
  if (scheme === 'discord-ed25519' && payload.type === DISCORD_PING) return { type: DISCORD_PING }
  if (scheme === 'slack-v0' && payload.type === 'url_verification' && typeof payload.challenge === 'string') {
    return { challenge: payload.challenge }
  }
  if (isCertificateCheck(scheme, payload)) return {}
  return undefined
}
