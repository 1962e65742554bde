import type { ErrorCode } from '../core/errors.ts'

/** The session no longer holds the claim. */
export const CLAIM_LOST: ErrorCode = { code: 'claim-lost', status: 409 }
/** The session is in a state in which it does not take what was asked of it. */
export const SESSION_CONFLICT: ErrorCode = { code: 'session-conflict', status: 409 }
