import type { WebhookConfig, WebhookVerifyConfig } from '../../config/webhooks/webhook.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { HookRequest } from './admission/perimeter.ts'
import { Rejection } from './admission/rejection.ts'
import { type Environment, secretOf, variable } from './admission/secrets.ts'
import type { SampleBody } from './sample-body.ts'
import { signHmac } from './verify/hmac.ts'

interface SignOptions {
  readonly id: string
  readonly event: string | undefined
  readonly url: string
  readonly env: Environment
  readonly clock: Clock
}

/** A delivery as the sender would make it, signed with the secret of the webhook; only for schemes that share one. */
export function signedRequest(webhook: WebhookConfig, sample: SampleBody, options: SignOptions): HookRequest {
  const { verify } = webhook
  const { event, id, url, env, clock } = options
  const body = Buffer.from(sample.text)
  const eventHeader = verify.eventHeader ?? (verify.scheme === 'github-hmac-sha256' ? 'x-github-event' : undefined)
  const dedupHeader = verify.dedupHeader ?? (verify.scheme === 'github-hmac-sha256' ? 'x-github-delivery' : undefined)
  const source = verify.allowedCidrs[0]?.split('/')[0] ?? '127.0.0.1'
  const headers = {
    ...{ 'content-type': sample.type, 'x-gc-request': 'true', 'x-forwarded-for': source },
    ...(event !== undefined && eventHeader !== undefined && { [eventHeader]: event }),
    ...(dedupHeader !== undefined && { [dedupHeader]: id }),
    ...credentials(verify, env, body, clock.now()),
  }
  const request = new Request(url, { method: 'POST', headers, body })
  return { request, peer: source, isPublic: false, isReadOnly: false }
}

function credentials(verify: WebhookVerifyConfig, env: Environment, body: Uint8Array, now: number) {
  if (verify.scheme === 'jwt-jwks' || verify.scheme === 'discord-ed25519') {
    throw new AppError(
      'validation-failed',
      `only the sender can sign a delivery by ${verify.scheme}: let it send one, or see with a dry run which rule fits`,
    )
  }
  try {
    return {
      ...(verify.bearerEnv !== undefined && { authorization: `Bearer ${variable(verify.bearerEnv, env)}` }),
      ...signHmac(body, verify, secretOf(verify, env), now),
    }
  } catch (error) {
    if (error instanceof Rejection) throw new AppError('conflict-wrong-state', error.message)
    throw error
  }
}
