import type { WebhookVerifyConfig } from '../../config/webhooks/webhook.ts'
import { type Payload, textOf, valueAt } from './payload.ts'

/** Senders say a word or two. */
const MAX_LENGTH = 200

/** What happened at the sender, in its own word: of a header, or of the payload where Slack and Discord say it. */
export function eventTypeOf(
  { scheme, eventHeader }: WebhookVerifyConfig,
  headers: Headers,
  payload: Payload,
): string | undefined {
  const header = eventHeader ?? (scheme === 'github-hmac-sha256' ? 'x-github-event' : undefined)
  const text = header === undefined ? inPayload(scheme, payload) : (headers.get(header) ?? '')
  return text === '' ? undefined : text.slice(0, MAX_LENGTH)
}

function inPayload(scheme: WebhookVerifyConfig['scheme'], payload: Payload): string {
  if (scheme === 'slack-v0') return textOf(valueAt(payload, 'event.type')) || textOf(payload.type ?? payload.command)
  return scheme === 'discord-ed25519' ? textOf(payload.type) : ''
}
