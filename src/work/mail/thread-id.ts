import { randomHex } from '../../core/ids.ts'

/** A new id for a mail thread: `thread-` and 12 hex characters. */
export const createThreadId = (): string => `thread-${randomHex(6)}`
