import { timingSafeEqual } from 'node:crypto'
import type { CityTokens } from '../city/tokens.ts'
import type { Deadlines } from '../core/deadlines.ts'
import { AppError } from '../core/errors.ts'
import { hashToken, TOKEN_PREFIX } from '../core/text/index.ts'
import type { Caller } from '../http/caller.ts'
import type { TokenKind } from '../http/tokens.ts'
import type { Cities } from './cities.ts'
import type { ClosedCity } from './city-entry.ts'
import type { People } from './people/index.ts'
import type { TokenRegistry } from './token-registry.ts'

interface CallersOptions {
  operatorToken: string
  /** The account that the supervisor runs under. */
  account: string | undefined
  people: Pick<People, 'callerOf'>
  cities: Pick<Cities, 'listClosed' | 'isLoading' | 'isStopping' | 'whenChanged'> & {
    listRunning(): readonly { tokens: Pick<CityTokens, 'caller'> }[]
  }
  tokens: Pick<TokenRegistry, 'find'>
  /** Tokens of processes that the supervisor runs for no city. */
  processTokens: Pick<TokenKind, 'caller'>
  deadlines: Deadlines
}

/** Time a request waits for the city of its token to open. */
const MAX_WAIT_MS = 5_000
/** Maximum waiting requests; further ones must retry immediately. */
const MAX_WAITING = 1_000

/** Holder of a token: a caller, none, or one of these closed cities. */
type Holder = Caller | 'nobody' | readonly ClosedCity[]

const isCaller = (holder: Holder): holder is Caller => typeof holder === 'object' && 'kind' in holder
const isLoading = ({ error }: ClosedCity): boolean => error === undefined

/** Resolves a token to its caller: the operator, a person, or a process that a city started. */
export class Callers {
  readonly #operator: Buffer
  readonly #operatorCaller: Caller
  #waiting = 0

  constructor(private readonly options: CallersOptions) {
    this.#operator = Buffer.from(hashToken(options.operatorToken))
    this.#operatorCaller = { kind: 'operator', ...(options.account !== undefined && { person: options.account }) }
  }

  /**
   * The caller a token belongs to; undefined when it is unknown or has ended, and only then. Throws 503 while that
   * cannot be told, because the token's city is not open.
   */
  resolve(token: string): Caller | undefined {
    const holder = this.#holderOf(token)
    if (isCaller(holder)) return holder
    if (holder === 'nobody') return undefined
    throw this.options.cities.isStopping ? stopping() : unavailable(holder)
  }

  /** Waits for the city that a token may belong to while it is being loaded; undefined when there is nothing to wait for. */
  settle(token: () => string | undefined): Promise<void> | undefined {
    const { cities } = this.options
    if (cities.isStopping || !cities.isLoading) return undefined
    const shown = token()
    if (shown === undefined || this.#waiting >= MAX_WAITING || !this.#isUnsettled(shown)) return undefined
    return this.#wait(shown)
  }

  async #wait(token: string): Promise<void> {
    const { cities, deadlines } = this.options
    const late = Promise.withResolvers<'late'>()
    const deadline = deadlines.after(MAX_WAIT_MS, () => late.resolve('late'))
    this.#waiting++
    try {
      while (this.#isUnsettled(token)) {
        if ((await Promise.race([cities.whenChanged(), late.promise])) === 'late') return
      }
    } finally {
      this.#waiting--
      deadline.cancel()
    }
  }

  #isUnsettled(token: string): boolean {
    const holder = this.#holderOf(token)
    return typeof holder === 'object' && !isCaller(holder) && !this.options.cities.isStopping && holder.some(isLoading)
  }

  #holderOf(token: string): Holder {
    const hash = hashToken(token)
    if (timingSafeEqual(Buffer.from(hash), this.#operator)) return this.#operatorCaller
    if (token.startsWith(TOKEN_PREFIX.person)) return this.options.people.callerOf(hash) ?? 'nobody'
    if (!token.startsWith(TOKEN_PREFIX.session)) return 'nobody'
    const { cities, tokens, processTokens } = this.options
    if (cities.isStopping) return []
    const own = processTokens.caller(hash)
    if (own !== undefined) return own === 'ended' ? 'nobody' : own
    let hasEnded = false
    for (const city of cities.listRunning()) {
      const caller = city.tokens.caller(hash)
      if (caller === 'ended') hasEnded = true
      else if (caller) return caller
    }
    const closed = cities.listClosed()
    if (closed.length === 0) return 'nobody'
    const registered = tokens.find(hash)
    const holders = closed.filter(({ name }) => registered.some(({ city, isLive }) => isLive && city === name))
    if (holders.length > 0) return holders
    return hasEnded || registered.length > 0 ? 'nobody' : closed
  }
}

const stopping = (): AppError =>
  new AppError('service-unavailable', 'the supervisor is stopping; try again when it runs again', {
    headers: { 'retry-after': '1' },
  })

function unavailable(cities: readonly ClosedCity[]): AppError {
  const names = cities.map(({ name }) => name).join(', ')
  if (cities.some(isLoading)) {
    return new AppError('service-unavailable', `the city of this token is still being loaded (${names}); try again`, {
      headers: { 'retry-after': '1' },
    })
  }
  const reasons = cities.map(({ name, error }) => `${name}: ${error}`).join('; ')
  return new AppError(
    'service-unavailable',
    `the city of this token cannot be loaded (${reasons}); the session continues once that is fixed`,
    { headers: { 'retry-after': '5', 'x-gc-city-failed': names } },
  )
}
