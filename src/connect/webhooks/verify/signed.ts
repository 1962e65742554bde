import type { WebhookVerifyConfig } from '../../../config/webhooks/index.ts'
import { verifyFailed } from '../admission/rejection.ts'

/** A delivery before it is known who sent it: its bytes are not parsed yet. */
export interface SignedDelivery {
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Facts from a verified signature. */
export interface Verified {
  /** Identity of this delivery; default is that of its body. */
  readonly id?: string
  /** Until when the signature is good, in milliseconds; a delivery is remembered at least as long. */
  readonly expiresAt?: number
}

/** A header that a delivery must have. */
export function requiredHeader({ headers }: SignedDelivery, name: string): string {
  const value = headers.get(name)
  if (value) return value
  throw verifyFailed(`the header ${name} is missing`)
}

/** The moment that the sender signed, in milliseconds; throws when it is not within the window. */
export function checkTimestamp(text: string, { replayWindow }: WebhookVerifyConfig, now: number): void {
  if (!/^\d{1,16}$/.test(text)) throw verifyFailed('the signed time is not a number of seconds')
  const value = Number(text)
  const at = value > 1e11 ? value : value * 1000
  const off = Math.abs(now - at)
  if (off <= replayWindow) return
  const seconds = Math.round(off / 1000)
  throw verifyFailed(
    `the signed time is ${seconds} s ${at < now ? 'past' : 'ahead'}, more than the replay window allows`,
  )
}
