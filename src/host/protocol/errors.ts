import { type ApiCode, isApiCode } from '../../core/error-catalogue.ts'

/** The session is in a state in which it does not take what was sent. */
export const SESSION_CONFLICT = 'session-conflict'

/** The error code a host names; `internal` for one this build does not know. */
export const parseErrorCode = (code: string): ApiCode => (isApiCode(code) ? code : 'internal')
