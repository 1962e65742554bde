import { type ErrorCode, findCommonCode, toErrorCode } from '../../core/errors.ts'

/** The session is in a state in which it does not take what was sent. */
export const SESSION_CONFLICT: ErrorCode = { code: 'session-conflict', status: 409 }

/** The error code a host names; `internal` for one this build does not know. */
export const parseErrorCode = (code: string): ErrorCode =>
  code === SESSION_CONFLICT.code ? SESSION_CONFLICT : (findCommonCode(code) ?? toErrorCode('internal'))
