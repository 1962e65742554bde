import type { Static } from '@sinclair/typebox'
import type { CityContext } from '../../core/city-context.ts'
import { WebhookRejected } from '../events.ts'
import { actorOfWebhook } from './actor.ts'
import type { Rejection } from './admission/rejection.ts'
import { TokenBucket } from './admission/token-bucket.ts'

/** Facts about a rejected delivery. */
export type RejectedDelivery = Omit<Static<typeof WebhookRejected.payload>, 'reason' | 'status'>

/**
 * Number of rejections of one webhook that are recorded: anyone who sends a million must not fill the log with them.
 */
const RECORDED = { perMinute: 30, burst: 30 }

/** Records rejected deliveries, of each webhook a bounded number. */
export class Rejections {
  readonly #webhooks = new Map<string, { bucket: TokenBucket; omitted: number }>()

  constructor(private readonly context: CityContext) {}

  async record(delivery: RejectedDelivery, { reason, status, message }: Rejection): Promise<void> {
    const { store, log, clock } = this.context
    const { webhook } = delivery
    const state = this.#stateOf(webhook)
    if (state.bucket.take(RECORDED, clock.monotonic()) > 0) {
      state.omitted++
      return
    }
    const omitted = state.omitted
    state.omitted = 0
    const tail = omitted === 0 ? '' : `; ${omitted} rejected before this one are not recorded`
    const attributes = { subject: webhook, message: `${message}${tail}` }
    await store.write(
      (tx) => void log.append(tx, WebhookRejected, attributes, { ...delivery, reason, status }),
      actorOfWebhook(webhook),
    )
  }

  /** Forgets webhooks that are gone. */
  retain(names: ReadonlySet<string>): void {
    for (const name of this.#webhooks.keys()) if (!names.has(name)) this.#webhooks.delete(name)
  }

  #stateOf(webhook: string) {
    const existing = this.#webhooks.get(webhook)
    if (existing) return existing
    const state = { bucket: new TokenBucket(), omitted: 0 }
    this.#webhooks.set(webhook, state)
    return state
  }
}
