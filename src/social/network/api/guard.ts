import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { createExchangeId } from '../../../core/ids.ts'
import { hasHost, pathOf } from '../../../http/authority.ts'
import type { Caller } from '../../../http/caller.ts'
import type { ResponseHead } from '../../../http/operation-handler.ts'
import { type Methods, methodsOf } from '../../../http/paths.ts'
import type { RequestGuard } from '../../../http/request-guard.ts'
import type { Route } from '../../../http/route.ts'
import {
  API_KEY,
  checkContentDigest,
  describeSuspension,
  isSigned,
  isSuspended,
  type KeyHolder,
  type Keys,
  type LastActivity,
  type RequestSignatures,
} from '../../accounts/index.ts'
import { type RateLimitStatus, type RequestLimiter, rateLimited, rateLimitHeaders } from '../../limits/index.ts'
import { hashSecret, type Settings, SocialError, timestamp } from '../../shared/index.ts'
import type { ClientAddresses } from './client-addresses.ts'
import type { OriginPolicy } from './origins.ts'
import type { RequestCallers } from './request-callers.ts'

interface NetworkGuardOptions {
  readonly keys: Keys
  readonly signatures: RequestSignatures
  readonly activity: LastActivity
  readonly addresses: ClientAddresses
  readonly callers: RequestCallers
  readonly clock: Clock
  readonly settings: Settings
  /** Counts the requests of each caller. */
  readonly limiter: RequestLimiter
  /** True if that is before they are admitted, since another process counts them. */
  readonly countsAhead: boolean
  /** True if everybody may read, without a key. */
  readonly publicReads: boolean
  readonly routes: readonly Route[]
  readonly origins: OriginPolicy
  /** The hash of the operator’s token; without it no one is the operator. */
  readonly operator: string | undefined
  /** The address of a request as its sender wrote it. */
  urlOf(request: Request): string
}

/** Request that was counted before it was admitted, with the owner of its key where nothing was waited for since. */
interface Counted {
  readonly status: RateLimitStatus
  readonly found?: { readonly holder: KeyHolder | undefined }
}

/** Signer of a request, or the reason it is unknown. */
type Signed = { readonly holder: KeyHolder } | { readonly error: unknown }

/** Operations that a suspended agent may still use. */
const ALLOWED_WHEN_SUSPENDED = new Set(['GET /api/v1/agents/me', 'GET /api/v1/agents/status'])
/** Changes that an unclaimed agent may make if only claimed agents may write. */
const WRITABLE_WHEN_UNCLAIMED = /^\/api\/v1\/(agents\/me|notifications)(\/|$)/

const OPERATOR_PATH = /^\/api\/v1\/operator(\/|$)/

/** Authenticates every request to the network's API, counts it against the limits and admits or rejects it. */
export class NetworkGuard implements RequestGuard {
  readonly #open: ReadonlySet<string>
  readonly #methods: Methods
  readonly #publicReads: Methods
  readonly #signed = new WeakMap<Request, Signed>()
  readonly #counted = new WeakMap<Request, Counted>()

  constructor(private readonly options: NetworkGuardOptions) {
    const { routes } = options
    const open = routes.filter(({ spec }) => spec.open).map(({ method, path }) => `${method} ${path}`)
    this.#open = new Set([...open, 'GET /api/v1/openapi.json', 'GET /api/v1/docs'])
    this.#methods = methodsOf(routes)
    this.#publicReads = methodsOf(options.publicReads ? routes.filter(({ spec }) => spec.publicRead) : [])
  }

  /** Finds out who signed a request, which takes a write, and counts it where another process does. */
  awaitCaller(request: Request): Promise<void> | undefined {
    if (!hasHost(request)) return undefined
    if (!isSigned(request)) return this.options.countsAhead ? this.#countAhead(request) : undefined
    const { method, headers } = request
    const target = { method, headers, url: new URL(this.options.urlOf(request)) }
    const mayUse = (signer: KeyHolder) => !this.options.limiter.isExhausted(limitedAs(signer))
    return this.options.signatures.signerOf(target, mayUse).then(
      (holder) => void this.#signed.set(request, { holder }),
      (error: unknown) => void this.#signed.set(request, { error }),
    )
  }

  /** Holds the body of a signed request to the digest that was signed. */
  checkBody(request: Request, bytes: Uint8Array): void {
    if (bytes.length > 0 && this.options.callers.isSigned(request))
      checkContentDigest(request.headers.get('content-digest'), bytes)
  }

  admit(request: Request, response: ResponseHead): Response | undefined {
    response.headers['x-gc-request-id'] = createExchangeId()
    Object.assign(response.headers, this.options.origins.headersFor(request))
    this.options.origins.check(request)
    const { method } = request
    if (method === 'OPTIONS') return new Response(null)
    const path = pathOf(request.url)
    const operation = `${method === 'HEAD' ? 'GET' : method} ${path}`
    const isOpen = this.#open.has(operation)
    const token = isOpen ? undefined : bearerToken(request.headers.get('authorization'))
    if (OPERATOR_PATH.test(path)) return this.#admitOperator(request, token, path, response)
    const signed = isOpen ? undefined : this.#signed.get(request)
    const counted = isOpen || signed ? undefined : this.#counted.get(request)?.found
    const holder = signed ? signerOf(signed) : counted ? counted.holder : this.#keyHolder(token)
    this.#countRequest(request, holder ? limitedAs(holder) : this.options.addresses.groupOf(request), response)
    const isAnonymous = !signed && !request.headers.has('authorization')
    if (isOpen || (isAnonymous && this.#isPublicRead(method, path))) return undefined
    if (!holder) return this.#exists(method, path) ? reject(signed, token) : undefined
    this.#checkStatus(holder, operation, path)
    this.options.activity.touch(holder.n)
    const { n, id, name, key_id } = holder
    this.options.callers.set(request, { kind: 'agent', n, id, name }, { id: key_id, signs: signed !== undefined })
    return undefined
  }

  callerOf(request: Request): Caller {
    return this.options.callers.callerOf(request)
  }

  #keyHolder(token: string | undefined): KeyHolder | undefined {
    return token !== undefined && API_KEY.test(token) ? this.options.keys.holder(token) : undefined
  }

  #admitOperator(request: Request, token: string | undefined, path: string, response: ResponseHead): undefined {
    const isOperator = this.#isOperator(token)
    this.#countRequest(request, isOperator ? 'operator' : this.options.addresses.groupOf(request), response)
    if (isOperator) this.options.callers.set(request, { kind: 'operator' })
    else if (this.#exists(request.method, path)) throw operatorOnly()
  }

  #isOperator(token: string | undefined): boolean {
    const { operator } = this.options
    if (operator === undefined || token === undefined) return false
    return timingSafeEqual(Buffer.from(hashSecret(token)), Buffer.from(operator))
  }

  #countAhead(request: Request): Promise<void> | undefined {
    const holder = this.#keyHolder(bearerToken(request.headers.get('authorization')))
    const caller = holder ? limitedAs(holder) : this.options.addresses.groupOf(request)
    const status = this.options.limiter.take(caller)
    if (status instanceof Promise) return status.then((late) => void this.#counted.set(request, { status: late }))
    this.#counted.set(request, { status, found: { holder } })
    return undefined
  }

  #countRequest(request: Request, caller: string, response: ResponseHead): void {
    const { general } = this.options.settings.limits
    const status = this.#counted.get(request)?.status ?? this.options.limiter.take(caller)
    if (status instanceof Promise) throw new Error('a request that another process counts was not counted')
    Object.assign(response.headers, rateLimitHeaders(status))
    if (status.exceeded) throw rateLimited('Rate limit exceeded', general, status.reset, this.options.clock.now())
  }

  #checkStatus(holder: KeyHolder, operation: string, path: string): void {
    const { clock, settings } = this.options
    if (isSuspended(holder, clock.now()) && !ALLOWED_WHEN_SUSPENDED.has(operation)) {
      const until = holder.suspended_until
      throw new SocialError('forbidden', describeSuspension(holder), {
        hint: 'GET /agents/status shows your status.',
        fields: {
          status: 'suspended',
          reason: holder.suspended_for ?? '',
          suspended_until: until === null ? null : timestamp(until),
        },
      })
    }
    const isWrite = !operation.startsWith('GET ')
    if (settings.requireClaim && holder.claimed_at === null && isWrite && !WRITABLE_WHEN_UNCLAIMED.test(path)) {
      throw new SocialError('forbidden', 'Agent not yet claimed: your human has to claim you before you can write', {
        hint: 'Send your human the claim_url. If it is lost, POST /agents/me/claim gives you a new one.',
        fields: { status: 'pending_claim' },
      })
    }
  }

  #isPublicRead(method: string, path: string): boolean {
    return this.#publicReads(path)?.includes(method) ?? false
  }

  /** True if there is such an operation; any other path is a 404 for everybody. */
  #exists(method: string, path: string): boolean {
    return this.#methods(path)?.includes(method) ?? false
  }
}

/** The name under which the requests of an agent are counted. */
const limitedAs = ({ n }: KeyHolder): string => `agent ${n}`

const signerOf = (signed: Signed): KeyHolder | undefined => ('holder' in signed ? signed.holder : undefined)

function reject(signed: Signed | undefined, token: string | undefined): never {
  if (signed && 'error' in signed) throw signed.error
  return rejectToken(token)
}

/** The token after the word Bearer, in any case; undefined when there is none. */
const bearerToken = (authorization: string | null): string | undefined =>
  authorization === null ? undefined : /^\s*bearer +(\S.*?)\s*$/i.exec(authorization)?.[1]

const operatorOnly = (): SocialError =>
  new SocialError('forbidden', 'Only the operator of this server may do this', {
    hint: 'The operator’s token is in the file `token` of the server’s home folder; send it as Authorization: Bearer <token>.',
  })

function rejectToken(token: string | undefined): never {
  const headers = { 'www-authenticate': 'Bearer' }
  if (token === undefined) {
    throw new SocialError('unauthorized', 'No authorization token provided', {
      hint: 'Send the header Authorization: Bearer <your api_key>.',
      headers,
    })
  }
  if (!API_KEY.test(token)) {
    const hint = 'A key is moltbook_ followed by 64 hexadecimal digits, as returned by your registration.'
    throw new SocialError('unauthorized', 'Invalid token format', { hint, headers })
  }
  const hint = 'Check that this is your newest key; POST /agents/register creates a new account.'
  throw new SocialError('unauthorized', 'Invalid or expired token', { hint, headers })
}
