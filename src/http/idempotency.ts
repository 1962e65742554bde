import type { AnsweredWrite, RepeatableRequest } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { type BodyDigest, type Replay, type ReplayKey, Replays, type StoredReplay } from '../core/replays/index.ts'
import { byKey } from '../core/text/index.ts'
import { pathOf } from './authority.ts'
import { type Caller, nameOf } from './caller.ts'
import type { ActiveExchange } from './exchange.ts'
import { successKindOf } from './request-validator.ts'
import { RenderedJson } from './respond/index.ts'
import type { Route } from './route.ts'

/** The header with which a request that changes something can be repeated. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'

/** True if an operation takes the header: it changes something, and its answer is JSON. */
export const isRepeatable = ({ method, spec }: Route): boolean =>
  method !== 'GET' && spec.repeat !== 'again' && successKindOf(spec.ok).kind === 'json'

/** A longer answer is kept with the ids of its resources, where the operation says how to read them. */
const MAX_ANSWER = 16 * 1024

/** Store of the responses to an address; undefined if there is nothing at it. */
export type FindReplays = (params: ActiveExchange['params'], route: Route) => Replays | undefined

/**
 * Requests that carry an `Idempotency-Key`: the same one sent again gets the first one's answer and does nothing, also
 * after a crash. The answer is kept in the write that makes the change; a request that was rejected leaves nothing behind.
 */
export class Idempotency {
  /** Digests of the bodies of requests that are under way. */
  readonly #running = new Map<string, BodyDigest>()

  constructor(
    private readonly findReplays: FindReplays,
    private readonly report: (error: unknown, exchange: ActiveExchange) => void,
  ) {}

  /** Runs the operation, or gives what it gave the first time this key was sent. */
  run(exchange: ActiveExchange, key: string, route: Route): unknown {
    const replays = this.findReplays(exchange.params, route)
    if (!replays) return route.handle(exchange)
    const { method } = route
    const parts = { caller: nameOf(exchange.caller), method, path: pathOf(exchange.request.url), key }
    const first = new KeyedRequest(exchange, route, replays, replays.keyOf(parts))
    const scope = Buffer.from(first.key.scope).toString('base64')
    const running = this.#running.get(scope)
    if (running) throw isSame(running, first.print) ? inFlight() : mismatch()
    const stored = replays.find(first.key)
    if (stored === 'expired') throw expired()
    if (stored && !isSame(stored.print, first.print)) throw mismatch()
    if (stored && stored.replay.kind !== 'begun') return repeated(exchange, route, stored.replay)
    this.#running.set(scope, first.print)
    return this.#first(exchange, first.after(stored)).finally(() => this.#running.delete(scope))
  }

  async #first(exchange: ActiveExchange, first: KeyedRequest): Promise<unknown> {
    exchange.caller = withRequest(exchange.caller, first)
    try {
      const answer = await first.work()
      await first.finish(answer).catch((error) => this.report(error, exchange))
      return answer
    } catch (error) {
      await first.fail(error).catch((failed) => this.report(failed, exchange))
      throw error
    }
  }
}

/** One request with a key, while its operation runs. */
class KeyedRequest implements RepeatableRequest {
  readonly print: BodyDigest
  readonly #isEmpty: boolean
  #isRetry = false
  /** The last value that a write stored, committed or not. */
  #putting: Replay | undefined
  /** Stored of it, once that is committed. */
  #kept: Replay | undefined
  #isOver = false

  constructor(
    private readonly exchange: ActiveExchange,
    private readonly route: Route,
    private readonly replays: Replays,
    public key: ReplayKey,
  ) {
    this.print = Replays.print(bodyText(exchange.body))
    const success = successKindOf(route.spec.ok)
    this.#isEmpty = success.kind === 'json' && success.empty
  }

  /** Nothing of it is recorded with its caller. */
  toJSON(): undefined {
    return undefined
  }

  get isRetry(): boolean {
    return this.#isRetry
  }

  /** This request, where `stored` is an attempt that was interrupted. */
  after(stored: StoredReplay | undefined): this {
    if (!stored) return this
    this.#isRetry = true
    this.key = stored.key
    return this
  }

  async work(): Promise<unknown> {
    const { repeat } = this.route.spec
    if (typeof repeat === 'object' && 'outside' in repeat) {
      if (this.#isRetry) throw unknownOutcome(repeat.outside)
      await this.begin()
    }
    return this.route.handle(this.exchange)
  }

  async begin(): Promise<void> {
    await this.replays.begin(this.key, this.print)
    this.#kept ??= { kind: 'begun' }
  }

  keep(store: object, write: AnsweredWrite, answer: unknown): void {
    if (this.#isOver || store !== this.replays.store) return
    const replay = this.#replayOf(answer)
    const isAnswered = this.#putting !== undefined && this.#putting.kind !== 'begun'
    if (replay.kind === 'begun' && isAnswered) return
    this.#putting = replay
    this.replays.put(write, this.key, this.print, replay)
    write.after(() => {
      this.#kept = replay
    })
  }

  /** Keeps an answer that no write of the store returned unchanged. */
  async finish(answer: unknown): Promise<void> {
    this.#isOver = true
    const replay = this.#replayOf(answer)
    if (!isSameReplay(this.#kept, replay)) await this.replays.add(this.key, this.print, replay)
  }

  /** Releases the key of a request that was rejected, unless an earlier attempt may have had an effect. */
  async fail(error: unknown): Promise<void> {
    this.#isOver = true
    const isDone = this.#kept !== undefined && this.#kept.kind !== 'begun'
    if (this.#kept && !this.#isRetry && !(isDone && !(error instanceof AppError))) await this.replays.forget(this.key)
  }

  #replayOf(answer: unknown): Replay {
    const { repeat } = this.route.spec
    const isAnswer = this.#isEmpty ? answer === undefined : typeof answer === 'object' && answer !== null
    if (!isAnswer) return { kind: 'begun' }
    if (typeof repeat === 'object' && 'secret' in repeat) return { kind: 'secret', id: idAt(answer, repeat.id) }
    const { status, headers = {} } = this.exchange.explicitResponse ?? {}
    const lasting = Object.entries(headers).filter(([name]) => !/^(x-ratelimit|ratelimit|retry-after)/i.test(name))
    const head = { status, headers: Object.fromEntries(lasting) }
    const text = JSON.stringify(answer ?? null)
    if (typeof repeat === 'object' && 'read' in repeat && text.length > MAX_ANSWER)
      return { kind: 'resource', text: JSON.stringify(withIds(answer, repeat.part)), head }
    return { kind: 'answer', text, head }
  }
}

/** The caller of a keyed request: what it changes is answered under that key. */
const withRequest = (caller: Caller, request: RepeatableRequest): Caller =>
  Object.create(caller, { request: { value: request, enumerable: true } })

function repeated(exchange: ActiveExchange, { spec }: Route, replay: Exclude<Replay, { kind: 'begun' }>): unknown {
  const { repeat } = spec
  if (replay.kind === 'secret') {
    const then = typeof repeat === 'object' && 'secret' in repeat ? repeat.secret : 'revoke it'
    throw secretGiven(then.replace('{id}', replay.id))
  }
  exchange.isRepeated = true
  const { status, headers } = replay.head
  if (status !== undefined) exchange.response.status = status
  Object.assign(exchange.response.headers, headers)
  const kept: unknown = JSON.parse(replay.text)
  if (replay.kind === 'answer') return kept
  if (typeof repeat !== 'object' || !('read' in repeat)) throw new TypeError(`${spec.id} reads no answer again`)
  const { query, body, caller } = exchange
  const from = { query, body, caller, params: { cityName: '', ...exchange.params } }
  return withResources(kept, repeat.part, (id) => repeat.read(from, id))
}

/** An answer with ids in place of the resources in it. */
const withIds = (answer: unknown, part: string | undefined): unknown => {
  if (part !== undefined) return { ...Object(answer), [part]: withIds(Object(answer)[part], undefined) }
  return Array.isArray(answer) ? answer.map((each) => idAt(each, 'id')) : idAt(answer, 'id')
}

/** The answer again. */
async function withResources(kept: unknown, part: string | undefined, read: (id: string) => unknown): Promise<unknown> {
  if (part !== undefined) return { ...Object(kept), [part]: await withResources(Object(kept)[part], undefined, read) }
  if (Array.isArray(kept)) return Promise.all(kept.map((id) => withResources(id, undefined, read)))
  const resource = await read(String(kept))
  return resource instanceof RenderedJson ? resource.value : resource
}

const idAt = (answer: unknown, path: string): string =>
  String(path.split('.').reduce((value: unknown, name) => Object(value)[name], answer) ?? '')

const isSame = (one: BodyDigest, other: BodyDigest): boolean => Buffer.compare(one, other) === 0

const isSameReplay = (one: Replay | undefined, other: Replay): boolean => Bun.deepEquals(one, other)

const mismatch = (): AppError =>
  new AppError(
    'idempotency-mismatch',
    'idempotency_mismatch: this Idempotency-Key was sent with another body; use a new key',
  )

const inFlight = (): AppError =>
  new AppError(
    'idempotency-in-flight',
    'in_flight: the first request with this Idempotency-Key is still under way; try again',
  )

const expired = (): AppError =>
  new AppError(
    'idempotency-expired',
    'this Idempotency-Key is so old that its request may be forgotten; look at what it changed, then use a new key',
  )

/** The error for a repeated request whose first attempt was interrupted, and whose effect cannot be found out. */
export const unknownOutcome = (look: string): AppError =>
  new AppError(
    'idempotency-unknown',
    `the first request with this Idempotency-Key was interrupted, and it is unknown whether it took effect; ${look}, then use a new key`,
  )

const secretGiven = (then: string): AppError =>
  new AppError(
    'idempotency-secret',
    `the first request with this Idempotency-Key was answered with a secret, which is not kept; ${then}`,
  )

/** A body as it is digested. */
const bodyText = (body: unknown): string | Uint8Array =>
  body instanceof Uint8Array ? body : (JSON.stringify(canonical(body)) ?? '')

/** The same for bodies that mean the same: the order of keys, and lists, objects and strings that are empty, do not count. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map((item) => canonical(item) ?? null) : undefined
  if (value === null || value === '') return undefined
  if (typeof value !== 'object') return value
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, canonical(inner)] as const)
    .filter(([, inner]) => inner !== undefined)
    .sort(byKey)
  return entries.length > 0 ? entries : undefined
}
