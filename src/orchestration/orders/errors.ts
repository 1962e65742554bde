import type { ErrorCode } from '../../core/errors.ts'

/** A run that is asked for lacks what its order requires. */
export const WEBHOOK_REJECTED: ErrorCode = { code: 'webhook-rejected', status: 422 }
