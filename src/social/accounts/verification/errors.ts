import type { ErrorCode } from '../../../core/errors.ts'

/** The challenge was answered before. */
export const ALREADY_ANSWERED: ErrorCode = { code: 'already-answered', status: 409 }
/** The challenge can be answered no more. */
export const EXPIRED: ErrorCode = { code: 'verification-expired', status: 410 }
