import type { ErrorCode } from '../../../core/errors.ts'

/** The transcript was rewritten since the cursor was issued. */
export const TRANSCRIPT_CURSOR_INVALIDATED: ErrorCode = { code: 'transcript-cursor-invalidated', status: 409 }
