import type { ErrorCode } from '../core/errors.ts'

/** Somebody has registered the name already. */
export const NAME_TAKEN: ErrorCode = { code: 'name-taken', status: 409 }
