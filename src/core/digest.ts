import { createHash } from 'node:crypto'

/** The SHA-256 digest of some bytes, or of the UTF-8 of a text, as 64 hex characters. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
