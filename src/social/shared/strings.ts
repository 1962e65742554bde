import { toSecond } from '../../core/clock.ts'
import { sha256 } from '../../core/digest.ts'
import { redactTokens } from '../../core/text/index.ts'

/** A time as every client of the network can read it: without a fraction. */
export const timestamp = (ms: number): string => toSecond(ms)

/** Control characters, and marks that turn the direction of what follows. */
const HIDDEN = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/** A string as it is stored: well-formed, without hidden characters and without anybody's key. */
export const clean = (text: string): string => redactTokens(text.toWellFormed().replace(HIDDEN, '')).trim()

/** The same in one line. */
export const cleanLine = (text: string): string => clean(text.replace(/\s+/g, ' '))

/** Characters that show nothing: also the letters and symbols that are blank. */
const BLANK = /[\p{C}\p{Z}\p{M}\s\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu

/** True if readers see nothing of a text. */
export const isBlank = (text: string): boolean => text.replace(BLANK, '') === ''

/** The hash under which a secret is stored. */
export const hashSecret = (secret: string): string => sha256(secret)

/** A UUID that sorts by the time it was created. */
export const newId = (now: number): string => Bun.randomUUIDv7('hex', now)
