import type { ServiceConfig } from '../../../config/services/service.ts'
import { AppError } from '../../../core/errors.ts'
import { isLoopback } from '../../../http/authority.ts'
import type { Caller } from '../../../http/caller.ts'
import { checkRequest, type GuardSettings, unauthenticated, unauthorized } from '../../../http/guard.ts'
import { type AccessPolicy, checkAccess } from '../../../http/needs.ts'
import { RequestFacts } from '../../../http/request-guard.ts'

/** A request to a service on the address of the API. */
interface ServiceRequest {
  readonly request: Request
  readonly city: string
  readonly publishMode: ServiceConfig['publishMode']
  /** The address at the other end of the connection. */
  readonly peer: string | undefined
}

/**
 * Throws unless the request may go to the service. A private one is for programs of this machine, and for those that say
 * with `X-GC-Request` that no page sent them; a direct one judges its callers itself.
 */
export function admit(
  { request, city, publishMode, peer }: ServiceRequest,
  guard: GuardSettings,
  access: AccessPolicy,
): void {
  const facts = new RequestFacts(request.method === 'OPTIONS' ? 'POST' : request.method, request.headers)
  if (publishMode === 'direct') {
    const { method, host, authorization, upgrade } = facts
    const open = { method, host, authorization, upgrade, origin: null, mark: 'direct' }
    checkCaller(checkRequest(open, { ...guard, readOnly: false }), request, city, access)
    return
  }
  const isHere = peer !== undefined && isLoopback(peer)
  if (!isHere && !facts.mark) throw nothingHere()
  checkCaller(checkRequest(facts, guard), request, city, access)
}

function checkCaller(caller: Caller, { method }: Request, city: string, access: AccessPolicy): void {
  if (caller === unauthenticated) throw unauthorized('this server requires a token: send Authorization: Bearer <token>')
  const needs = method === 'GET' || method === 'HEAD' ? 'read' : 'work'
  const request = { caller, params: { cityName: city }, query: {}, body: {} }
  checkAccess({ needs }, request, 'Call a service', access)
}

/** What is answered for a service that there is not, and for one that is not for whoever asks. */
export const nothingHere = (): AppError =>
  new AppError(
    'service-not-found',
    'not_found: there is no service at this address; gc service list names those that are',
  )
