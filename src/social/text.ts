import { toTimestamp } from '../core/clock.ts'
import { redactTokens } from '../http/credentials.ts'

/** A moment as every client of the network can read it: without a fraction. */
export const moment = (at: number): string => `${toTimestamp(at).slice(0, 19)}Z`

/** What no reader should meet in a text: control characters, and marks that turn the direction of what follows. */
const UNSEEN = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/** A text as it is kept: whole characters only, nothing unseen, no key of anybody. */
export const clean = (text: string): string => redactTokens(text.toWellFormed().replace(UNSEEN, '')).trim()

/** A text for one line. */
export const cleanLine = (text: string): string => clean(text.replace(/\s+/g, ' '))

/** The fingerprint under which a secret is kept. */
export const hashOf = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

/** A UUID that sorts by the time it was made. */
export const newId = (now: number): string => Bun.randomUUIDv7('hex', now)
