import { sha256 } from '../core/digest.ts'
import { AppError } from '../core/errors.ts'
import type { Replay, ReplayKey, Replays } from '../core/replays/index.ts'
import { byKey } from '../core/text/index.ts'
import { pathOf } from './authority.ts'
import { nameOf } from './caller.ts'
import type { ActiveExchange } from './exchange.ts'

/** An operation that declares this header can be repeated with it. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'

/** Where the answers to an address are kept; undefined when there is nothing at it. */
type FindReplays = (params: ActiveExchange['params']) => Replays | undefined

/**
 * Requests that carry an `Idempotency-Key`: the same one sent again gets the first one's answer and does nothing, also
 * after a restart. An answer is kept in the write that makes it where its operation says so, else right after it;
 * a request that failed leaves nothing behind.
 */
export class Idempotency {
  /** Digests of the bodies of requests that are under way. */
  readonly #under = new Map<string, string>()

  constructor(
    private readonly findReplays: FindReplays,
    private readonly report: (error: unknown, exchange: ActiveExchange) => void,
  ) {}

  /** Runs `work`, or gives what it gave the first time this key was sent. */
  run(exchange: ActiveExchange, keyHeader: string, work: () => unknown): unknown {
    const replays = this.findReplays(exchange.params)
    if (!replays) return work()
    const key = keyOf(exchange, keyHeader)
    const digest = digestOf(exchange.body)
    const running = this.#under.get(key.scope)
    const replay = running === undefined ? replays.find(key) : undefined
    if ((running ?? replay?.digest ?? digest) !== digest) throw mismatch()
    if (running !== undefined) throw inFlight()
    if (replay && !('begun' in replay)) return repeated(exchange, replay)
    return this.#first(exchange, { replays, key, digest, isRetry: replay !== undefined }, work)
  }

  #first(exchange: ActiveExchange, { replays, key, digest, isRetry }: FirstRequest, work: () => unknown): unknown {
    let isSaved = false
    let begun = false
    const begin = async () => {
      await replays.begin(key, digest)
      begun = true
    }
    exchange.attempt = { isRetry, begin }
    exchange.saveResponse = (tx, answer) => {
      replays.keep(tx, key, replayOf(digest, exchange, answer))
      isSaved = true
      return answer
    }
    this.#under.set(key.scope, digest)
    const end = () => this.#under.delete(key.scope)
    const finish = async (answer: unknown) => {
      const add = isSaved ? undefined : replays.add(key, replayOf(digest, exchange, answer))
      await add?.catch((error) => this.report(error, exchange))
      return answer
    }
    const fail = async (error: unknown) => {
      if (begun && !isRetry) await replays.forget(key).catch((failed) => this.report(failed, exchange))
      throw error
    }
    return attempt(work).then(finish, fail).finally(end)
  }
}

interface FirstRequest {
  replays: Replays
  key: ReplayKey
  digest: string
  /** Whether an earlier attempt was interrupted. */
  isRetry: boolean
}

const attempt = async (work: () => unknown): Promise<unknown> => work()

const replayOf = (digest: string, { explicitResponse: replied }: ActiveExchange, body: unknown): Replay => ({
  digest,
  body,
  status: replied?.status,
  headers: replied?.headers ?? {},
})

function repeated(exchange: ActiveExchange, { body, status, headers }: Replay): unknown {
  if (status !== undefined) exchange.response.status = status
  Object.assign(exchange.response.headers, headers)
  return body
}

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

/** A key is the caller's own, for one method and address. */
function keyOf({ request, caller }: ActiveExchange, key: string): ReplayKey {
  const name = nameOf(caller)
  return { caller: name, scope: sha256(`${name} ${request.method} ${pathOf(request.url)} ${key}`) }
}

/** The same for bodies that mean the same: the order of keys, and lists, objects and strings that are empty, do not count. */
const digestOf = (body: unknown): string => sha256(JSON.stringify(canonical(body)) ?? '')

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
