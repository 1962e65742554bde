import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { hashSecret } from '../../shared/index.ts'
import type { AuthorizationRequest } from './provider.ts'

/** A visitor who was sent to a provider and has not come back yet. */
export interface PendingSignIn {
  readonly provider: string
  readonly request: AuthorizationRequest
  /** The hash of the cookie that the visitor's browser keeps. */
  readonly browser: string
  /** The page of ours to continue with. */
  readonly returnTo: string
  readonly expiresAt: number
}

const MAX_DURATION = 10 * 60_000
/** Beyond so many at a time, the oldest are dropped. */
const MAX_PENDING = 20_000

/** Sign-ins under way, each of which can be completed once. In memory: after a restart people begin again. */
export class PendingSignIns {
  readonly #byState = new Map<string, PendingSignIn>()

  constructor(private readonly clock: Clock) {}

  add(provider: string, browser: string, request: AuthorizationRequest, returnTo: string): void {
    const now = this.clock.monotonic()
    for (const [state, { expiresAt }] of this.#byState) {
      if (expiresAt > now && this.#byState.size < MAX_PENDING) break
      this.#byState.delete(state)
    }
    const expiresAt = now + MAX_DURATION
    this.#byState.set(request.state, { provider, request, browser: hashSecret(browser), returnTo, expiresAt })
  }

  /** Removes and returns the sign-in with this state; throws unless the same browser began it with the same provider. */
  take(provider: string, browser: string | undefined, state: string): PendingSignIn {
    const pending = this.#byState.get(state)
    this.#byState.delete(state)
    const isValid = pending && pending.expiresAt > this.clock.monotonic() && pending.provider === provider
    if (!isValid || browser === undefined || !isSameHash(pending.browser, hashSecret(browser))) {
      throw new AppError(
        'forbidden',
        'this sign-in was not started in this browser, or was used already; go back and start again',
      )
    }
    return pending
  }
}

const isSameHash = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))
