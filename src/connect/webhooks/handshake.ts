import type { WebhookScheme } from '../../config/webhooks/webhook.ts'
import type { Payload } from './payload.ts'

const DISCORD_PING = 1

/** What a service expects that asks, with a valid signature, whether anybody is here; undefined for a real delivery. */
export function handshakeOf(scheme: WebhookScheme, payload: Payload): Readonly<Record<string, unknown>> | undefined {
  if (scheme === 'discord-ed25519' && payload.type === DISCORD_PING) return { type: DISCORD_PING }
  if (scheme === 'slack-v0' && payload.type === 'url_verification' && typeof payload.challenge === 'string') {
    return { challenge: payload.challenge }
  }
  return undefined
}
