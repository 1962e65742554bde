import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, SupervisorOutage, Unreachable } from './errors.ts'
import type { Timers } from './follow.ts'
import type { Access } from './home.ts'
import { mayHaveArrived } from './reason.ts'

/** Behaviour of a client while its supervisor restarts. */
export interface BridgeOptions {
  readonly timers: Timers
  /** Maximum time the supervisor may be away. */
  readonly maxOutageMs: number
  /** Current address of the supervisor, which may change on a restart. */
  locate(): Access
}

const MIN_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 500

/**
 * Repeats a call while the supervisor is away or its city is not open, with a back-off that grows; throws
 * `SupervisorOutage` when that lasts too long. Any other error is thrown unchanged.
 */
export async function bridgeRestart<T>(
  call: (access: Access) => Promise<T>,
  { timers, maxOutageMs, locate }: BridgeOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  const start = performance.now()
  for (let tries = 0; ; tries++) {
    try {
      return await call(locate())
    } catch (error) {
      if (signal?.aborted || !isOutage(error, tries > 0)) throw error
      const left = maxOutageMs - (performance.now() - start)
      if (left <= 0) throw new SupervisorOutage(maxOutageMs / 1000, error)
      const backoff = Math.min(MIN_BACKOFF_MS * 2 ** tries, MAX_BACKOFF_MS)
      await pause(Math.min(Math.max(backoff, requestedMs(error)), left), timers, signal)
    }
  }
}

/** The time for which a person's command retries after a lost answer. */
const MAX_LOST_MS = 1_000

/** Repeats a call whose answer was lost or that the server could not take; throws the last error unchanged. */
export async function repeatLost<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const start = performance.now()
  for (let tries = 0; ; tries++) {
    try {
      return await call()
    } catch (error) {
      const isLost = tries === 0 ? isLostAnswer(error) : isOutage(error, true)
      const wait = MIN_BACKOFF_MS * 2 ** tries
      if (signal?.aborted || !isLost || performance.now() - start + wait > MAX_LOST_MS) throw error
      await sleep(wait)
    }
  }
}

/** True if a request may have arrived though there is no answer to it. */
const isLostAnswer = (error: unknown): boolean =>
  error instanceof Unreachable ? mayHaveArrived(error.reason) : error instanceof ApiError && error.status === 503

/** True if a call failed because the supervisor restarts; a repeated one may also meet its own first attempt. */
const isOutage = (error: unknown, isRepeated: boolean): boolean =>
  error instanceof Unreachable ||
  (error instanceof ApiError && (error.status === 503 || (isRepeated && error.code === 'idempotency-in-flight')))

/** Time the server asks to wait. */
const requestedMs = (error: unknown): number => (error instanceof ApiError ? error.retryAfterMs : 0)

function pause(ms: number, timers: Timers, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = timers.after(ms, resolve)
  signal?.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => timer.cancel())
}
