import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { exchangeId } from '../../core/ids.ts'
import type { AgentCaller, Caller, Operator } from '../../http/caller.ts'
import { human } from '../../http/guard.ts'
import type { ResponseHead } from '../../http/operation-handler.ts'
import { methodsOf } from '../../http/paths.ts'
import type { RequestGuard } from '../../http/request-guard.ts'
import type { Route } from '../../http/route.ts'
import type { Activity } from '../agents/activity.ts'
import type { Holder, Keys } from '../agents/keys.ts'
import { suspensionOf } from '../agents/suspensions.ts'
import { isSuspended } from '../agents/view.ts'
import { overdrawn } from '../limits/overdrawn.ts'
import { SocialError } from '../refusal.ts'
import type { Settings } from '../settings.ts'
import { hashOf, moment } from '../text.ts'
import { standingHeaders, Traffic } from './traffic.ts'
import { pathOf, type Visitors } from './visitors.ts'

interface GateOptions {
  readonly keys: Keys
  readonly activity: Activity
  readonly visitors: Visitors
  readonly clock: Clock
  readonly settings: Settings
  readonly routes: readonly Route[]
  /** The fingerprint of the operator’s token; without it nobody is the operator. */
  readonly operator: string | undefined
}

const SHARED = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
  'access-control-expose-headers':
    'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-GC-Request-Id',
  'access-control-max-age': '86400',
}

/** What a suspended agent may still ask: what became of it. */
const WHEN_SUSPENDED = new Set(['GET /api/v1/agents/me', 'GET /api/v1/agents/status'])
/** What an agent may change before it is claimed, where only claimed ones may write: what is its own. */
const WHEN_PENDING = /^\/api\/v1\/agents\/me(\/|$)/

/** Where nobody but the operator is let in. */
const OPERATORS = /^\/api\/v1\/operator(\/|$)/

/** The one place where the network asks who calls, how often, and whether it may. */
export class NetworkGate implements RequestGuard {
  readonly #callers = new WeakMap<Request, { caller: AgentCaller | Operator; key: string }>()
  readonly #traffic: Traffic
  readonly #open: ReadonlySet<string>
  readonly #methods: ReturnType<typeof methodsOf>

  constructor(private readonly options: GateOptions) {
    const { clock, settings, routes } = options
    this.#traffic = new Traffic(clock, settings.limits.general)
    const open = routes.filter(({ spec }) => spec.open).map(({ method, path }) => `${method} ${path}`)
    this.#open = new Set([...open, 'GET /api/v1/openapi.json', 'GET /api/v1/docs'])
    this.#methods = methodsOf(routes)
  }

  admit(request: Request, reply: ResponseHead): Response | undefined {
    reply.headers['x-gc-request-id'] = exchangeId()
    Object.assign(reply.headers, SHARED)
    const { method } = request
    if (method === 'OPTIONS') return new Response(null)
    const path = pathOf(request.url)
    const address = `${method === 'HEAD' ? 'GET' : method} ${path}`
    const token = this.#open.has(address) ? undefined : tokenOf(request.headers.get('authorization'))
    if (OPERATORS.test(path)) return this.#receiveOperator(request, token, path, reply)
    const holder = token && KEY.test(token) ? this.options.keys.holder(token) : undefined
    this.#count(holder ? `agent ${holder.n}` : this.options.visitors.groupOf(request), reply)
    if (this.#open.has(address)) return undefined
    if (!holder) return this.#isKnown(method, path) ? refuse(token) : undefined
    this.#admit(holder, address, path)
    this.options.activity.touch(holder.n)
    const caller = { kind: 'agent', n: holder.n, id: holder.id, name: holder.name } as const
    this.#callers.set(request, { caller, key: holder.key_id })
    return undefined
  }

  callerOf(request: Request): Caller {
    return this.#callers.get(request)?.caller ?? human
  }

  /** Which of its keys an agent showed. */
  keyOf(request: Request): string {
    return this.#callers.get(request)?.key ?? ''
  }

  #receiveOperator(request: Request, token: string | undefined, path: string, reply: ResponseHead): undefined {
    const isOperator = this.#isOperator(token)
    this.#count(isOperator ? 'operator' : this.options.visitors.groupOf(request), reply)
    if (isOperator) this.#callers.set(request, { caller: { kind: 'operator' }, key: '' })
    else if (this.#isKnown(request.method, path)) throw notOperator()
  }

  #isOperator(token: string | undefined): boolean {
    const { operator } = this.options
    if (operator === undefined || token === undefined) return false
    return timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(operator))
  }

  #count(who: string, reply: ResponseHead): void {
    const { general } = this.options.settings.limits
    const standing = this.#traffic.take(who)
    Object.assign(reply.headers, standingHeaders(standing))
    if (standing.over) throw overdrawn('Rate limit exceeded', general, standing.reset, this.options.clock.now())
  }

  #admit(holder: Holder, address: string, path: string): void {
    const { clock, settings } = this.options
    if (isSuspended(holder, clock.now()) && !WHEN_SUSPENDED.has(address)) {
      const until = holder.suspended_until
      throw new SocialError('forbidden', suspensionOf(holder), {
        hint: 'GET /agents/status tells how you stand.',
        fields: {
          status: 'suspended',
          reason: holder.suspended_for ?? '',
          suspended_until: until === null ? null : moment(until),
        },
      })
    }
    const writes = !address.startsWith('GET ')
    if (settings.requireClaim && holder.claimed_at === null && writes && !WHEN_PENDING.test(path)) {
      throw new SocialError('forbidden', 'Agent not yet claimed: your human has to claim you before you can write', {
        hint: 'Send your human the claim_url. If it is lost, POST /agents/me/claim gives another.',
        fields: { status: 'pending_claim' },
      })
    }
  }

  /** Whether an address is one of ours with this method; others are nobody's, whoever asks. */
  #isKnown(method: string, path: string): boolean {
    return this.#methods(path)?.includes(method) ?? false
  }
}

const KEY = /^moltbook_[0-9a-f]{64}$/

/** What is sent behind the word Bearer, in any case; undefined when nothing is. */
const tokenOf = (authorization: string | null): string | undefined =>
  authorization === null ? undefined : /^\s*bearer +(\S.*?)\s*$/i.exec(authorization)?.[1]

const notOperator = (): SocialError =>
  new SocialError('forbidden', 'Only the operator of this server may do this', {
    hint: 'Its token lies in the folder of the server, in the file token; send it as Authorization: Bearer <token>.',
  })

function refuse(token: string | undefined): never {
  const headers = { 'www-authenticate': 'Bearer' }
  if (token === undefined) {
    throw new SocialError('unauthorized', 'No authorization token provided', {
      hint: 'Send the header Authorization: Bearer <your api_key>.',
      headers,
    })
  }
  if (!KEY.test(token)) {
    const hint = 'A key is moltbook_ and 64 hexadecimal digits, as your registration returned it.'
    throw new SocialError('unauthorized', 'Invalid token format', { hint, headers })
  }
  const hint = 'Look whether this is the key you were given last; POST /agents/register makes a new account.'
  throw new SocialError('unauthorized', 'Invalid or expired token', { hint, headers })
}
