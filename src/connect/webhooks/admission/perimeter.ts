import type { WebhookConfig } from '../../../config/webhooks/index.ts'
import { forwardedAddress, parseAddress } from '../../../core/addresses.ts'
import { isSameSecret } from '../../../core/digest.ts'
import { Networks } from '../../../core/networks.ts'
import { isLoopback } from '../../../http/authority.ts'
import { bearerTokenOf } from '../../../http/guard.ts'
import { Rejection } from './rejection.ts'
import { type Environment, variable } from './secrets.ts'

/** A request for a webhook, and how it came. */
export interface HookRequest {
  readonly request: Request
  /** The address at the other end of the connection; undefined when it is not known. */
  readonly peer: string | undefined
  /** True if it came to an address that other machines reach on purpose: nothing there counts as loopback. */
  readonly isPublic: boolean
  /** True if the server takes no changes. */
  readonly isReadOnly: boolean
}

/** Response for every webhook that the caller may not see. */
export const NOTHING_HERE = 'there is no webhook at this address'

/** Throws a rejection for a request that must not come as far as the body. */
export function checkPerimeter(webhook: WebhookConfig, hook: HookRequest, env: Environment): void {
  const { name, verify, isBehindProxy } = webhook
  const source = sourceOf(hook, isBehindProxy)
  if (!isReachable(webhook, hook, source)) {
    const message = `${source ?? 'an unknown address'} may not reach this webhook, which is ${webhook.visibility}`
    throw new Rejection('perimeter_denied', 404, message, NOTHING_HERE)
  }
  if (hook.isReadOnly) {
    const answer = 'this server takes no changes; it was started read-only'
    throw new Rejection('read_only', 403, answer, answer)
  }
  if (hook.request.method !== 'POST') throw new MethodNotAllowed()
  if (verify.allowedCidrs.length > 0 && !(source && new Networks(verify.allowedCidrs).includes(source))) {
    const message = `${source ?? 'an unknown address'} is in none of the networks of allowed_cidrs`
    throw new Rejection('perimeter_denied', 403, message, `deliveries to ${name} are not taken from this address`)
  }
  if (verify.bearerEnv !== undefined) checkBearer(variable(verify.bearerEnv, env), hook.request)
}

/** Every delivery is a POST; anything else is a mistake of anyone who set up the sender, and no event. */
export class MethodNotAllowed extends Error {}

function sourceOf({ request, peer }: HookRequest, isBehindProxy: boolean): string | undefined {
  const forwarded = isBehindProxy ? forwardedAddress(request) : undefined
  return parseAddress(forwarded ?? peer ?? '')
}

/** Public webhooks are reached from everywhere, others from this machine or by those who know that they talk to gc. */
function isReachable(
  { visibility }: WebhookConfig,
  { request, isPublic }: HookRequest,
  source: string | undefined,
): boolean {
  if (visibility === 'public') return true
  if (isPublic) return false
  return (source !== undefined && isLoopback(source)) || request.headers.has('x-gc-request')
}

function checkBearer(expected: string, { headers }: Request): void {
  const token = bearerTokenOf(headers.get('authorization') ?? '')
  if (token !== undefined && isSameSecret(token, expected)) return
  const message = token === undefined ? 'the bearer token is missing' : 'the bearer token is another'
  const answer = 'send the bearer token of this webhook in the Authorization header'
  throw new Rejection('perimeter_denied', 401, message, answer, { 'www-authenticate': 'Bearer' })
}
