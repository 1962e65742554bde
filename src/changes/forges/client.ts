import { type ForgeRequest, type ForgeResponse, NoAnswer, send, TooSoon } from '../../connect/forge-api/index.ts'
import type { Clock } from '../../core/clock.ts'
import { isObject } from '../../core/json.ts'
import { ForgeProblem, type Outcome, type RefusalCause } from './forge.ts'

/** The wait before a request that the forge could not answer yet is repeated. */
const RETRY_MS = 2_000
const MAX_KNOWN = 500
const MAX_TEXT = 500

export interface ForgeClientOptions {
  /** The address of the interface, without a slash at the end. */
  readonly api: string
  readonly token: string
  readonly scheme: 'Bearer' | 'token'
  readonly accept?: string
  readonly clock: Clock
  readonly timeout?: number
}

/** The requests to one repository. What was read once is asked for by its ETag, which costs nothing at a rate limit. */
export class ForgeClient {
  readonly #known = new Map<string, ForgeResponse>()
  /** Until when the forge wants no requests. */
  #rest = 0

  constructor(private readonly options: ForgeClientOptions) {}

  /** The content of a path; undefined if there is none, or the token may not see it. */
  async get(path: string): Promise<unknown> {
    const known = this.#known.get(path)
    const answer = await this.#send(path, known ? { etag: known.etag } : {})
    if (answer.status === 304 && known) return known.value
    if (answer.status === 404) return undefined
    if (answer.status !== 200 || answer.value === undefined) throw problemOf(path, answer)
    this.#remember(path, answer)
    return answer.value
  }

  /** All items of a list in pages of 50; bounded. */
  async list(path: string, itemsOf: (page: unknown) => unknown[] = arrayOf): Promise<unknown[]> {
    const items: unknown[] = []
    for (let page = 1; page <= 10; page++) {
      const sign = path.includes('?') ? '&' : '?'
      const added = itemsOf(await this.get(`${path}${sign}per_page=50&limit=50&page=${page}`))
      items.push(...added)
      if (added.length < 50) break
    }
    return items
  }

  /** Sends what changes something; anyone who calls it judges every status. */
  change(path: string, request: Pick<ForgeRequest, 'method' | 'body'>): Promise<ForgeResponse> {
    return this.#send(path, request)
  }

  /** The same, as an outcome: what went wrong on the way leaves it unknown. */
  async attempt(
    path: string,
    request: Pick<ForgeRequest, 'method' | 'body'>,
    judge: (answer: ForgeResponse) => Outcome,
  ): Promise<Outcome> {
    try {
      return judge(await this.#send(path, request))
    } catch (error) {
      if (error instanceof TooSoon) return { kind: 'retry', reason: error.message, after: error.wait }
      if (error instanceof NoAnswer) return { kind: 'unknown', reason: error.message }
      throw error
    }
  }

  async #send(path: string, request: Partial<ForgeRequest>): Promise<ForgeResponse> {
    const { api, token, scheme, accept, clock, timeout } = this.options
    const now = clock.now()
    if (this.#rest > now) throw new TooSoon(this.#rest - now)
    const address = path.startsWith('/') ? `${api}${path}` : path
    try {
      return await send(address, {
        token,
        scheme,
        now,
        ...(accept && { accept }),
        ...(timeout && { timeout }),
        ...request,
      })
    } catch (error) {
      if (error instanceof TooSoon) this.#rest = clock.now() + error.wait
      throw error
    }
  }

  #remember(path: string, answer: ForgeResponse): void {
    this.#known.delete(path)
    if (answer.etag === '') return
    this.#known.set(path, answer)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** A status that says that the declaration or the token is wrong, or that nothing can be read now. */
export function problemOf(path: string, { status, reason }: ForgeResponse): Error {
  const said = reason === '' ? '' : `: ${reason}`
  if (status >= 300 && status < 400) {
    return new ForgeProblem('the repository has moved; set its new name as repository in [rigs.land.forge]')
  }
  if (status === 401)
    return new ForgeProblem(`the forge does not take the token${said}; add another with \`gc rig token add\``)
  if (status === 403)
    return new ForgeProblem(`the token may not do this${said}; give it access to pull requests and contents`)
  return new NoAnswer(`${path.split('?')[0]} answered ${status}${said}`)
}

export const accepted: Outcome = { kind: 'accepted' }
export const retry = (reason: string, after = RETRY_MS): Outcome => ({ kind: 'retry', reason, after })
export const refused = (cause: RefusalCause, reason: string): Outcome => ({ kind: 'refused', cause, reason })
export const unknown = ({ status, reason }: ForgeResponse): Outcome => ({
  kind: 'unknown',
  reason: `the forge answered ${status}${reason === '' ? ' without a reason' : `: ${reason}`}`,
})

/** Both forges answer with the closed pull request. */
export const judgeClose = (answer: ForgeResponse): Outcome =>
  answer.status === 200 || answer.status === 201
    ? accepted
    : answer.status < 500
      ? refused('permission', answer.reason)
      : unknown(answer)

export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)

export function textAt(value: unknown, ...path: readonly string[]): string {
  const text = at(value, ...path)
  return typeof text === 'string'
    ? text
        .slice(0, MAX_TEXT)
        .replaceAll(/\p{Cc}/gu, ' ')
        .toWellFormed()
    : ''
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const number = at(value, ...path)
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

export const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The statuses in a page of the combined status of a commit. */
export const statusesOf = (page: unknown): unknown[] => arrayOf(at(page, 'statuses'))

/** A commit id; empty for anything else. */
export const shaAt = (value: unknown, ...path: readonly string[]): string => {
  const text = textAt(value, ...path)
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : ''
}

/** A branch as a segment of a path. */
export const segment = (text: string): string => encodeURIComponent(text)
