import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { hashOf } from '../text.ts'
import type { Errand } from './provider.ts'

/** A visitor on the way to a provider and back. */
export interface SignIn {
  readonly provider: string
  readonly errand: Errand
  /** The fingerprint of what the visitor's browser keeps meanwhile. */
  readonly browser: string
  /** The page of ours to go on with. */
  readonly to: string
  readonly until: number
}

const TERM = 10 * 60_000
/** Beyond so many on their way at once, the first that left are forgotten. */
const MOST = 20_000

/** Who is on the way to a provider: in memory, since after a restart they begin again. Each comes back once. */
export class SignIns {
  readonly #byState = new Map<string, SignIn>()

  constructor(private readonly clock: Clock) {}

  begin(provider: string, browser: string, errand: Errand, to: string): void {
    const now = this.clock.monotonic()
    for (const [state, { until }] of this.#byState) {
      if (until > now && this.#byState.size < MOST) break
      this.#byState.delete(state)
    }
    this.#byState.set(errand.state, { provider, errand, browser: hashOf(browser), to, until: now + TERM })
  }

  /** The one that comes back with this state, in the browser it left with; nobody else, and not again. */
  take(provider: string, browser: string | undefined, state: string): SignIn {
    const found = this.#byState.get(state)
    this.#byState.delete(state)
    const its = found && found.until > this.clock.monotonic() && found.provider === provider
    if (!its || browser === undefined || !timingSafeEqual(Buffer.from(found.browser), Buffer.from(hashOf(browser)))) {
      throw new AppError(
        'forbidden',
        'this way of signing in was not begun here, or is used up; go back and begin again',
      )
    }
    return found
  }
}
