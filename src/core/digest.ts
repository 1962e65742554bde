import { createHash, timingSafeEqual } from 'node:crypto'

/** The SHA-256 digest of some bytes, or of the UTF-8 of a text, as 64 hex characters. */
export const sha256 = (content: string | Uint8Array): string => Bun.CryptoHasher.hash('sha256', content, 'hex')

/** True if two secrets are the same; how long that takes says nothing of either. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
