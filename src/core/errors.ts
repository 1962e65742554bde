/** The error codes any operation can answer with, each with its HTTP status. */
const STATUSES = {
  'invalid-request': 400,
  'invalid-cursor': 400,
  unauthorized: 401,
  forbidden: 403,
  'method-not-allowed': 405,
  'request-timeout': 408,
  'ambiguous-reference': 409,
  'conflict-concurrent-delete': 409,
  'conflict-concurrent-modify': 409,
  'conflict-wrong-state': 409,
  'idempotency-expired': 409,
  'idempotency-in-flight': 409,
  'idempotency-secret': 409,
  'idempotency-unknown': 409,
  'operation-in-progress': 409,
  'body-too-large': 413,
  'response-too-large': 413,
  'host-not-allowed': 421,
  'body-too-deep': 422,
  'idempotency-mismatch': 422,
  'validation-failed': 422,
  'rate-limited': 429,
  internal: 500,
  'not-implemented': 501,
  'bad-gateway': 502,
  'service-unavailable': 503,
  'store-unavailable': 503,
  'gateway-timeout': 504,
} as const

/** A code of `core`, or that of a missing resource: `bead-not-found`. */
export type CommonCode = keyof typeof STATUSES | `${string}-not-found`

/** An error code with its HTTP status; a feature declares its own as constants of this type. */
export interface ErrorCode {
  readonly code: string
  readonly status: number
}

const isStatusKey = (code: string): code is keyof typeof STATUSES => Object.hasOwn(STATUSES, code)

/** A common code with its status; undefined for a code that a feature declares. */
export function findCommonCode(code: string): ErrorCode | undefined {
  if (isStatusKey(code)) return { code, status: STATUSES[code] }
  return code.endsWith('-not-found') ? { code, status: 404 } : undefined
}

/** A code with its status, whichever way it is given. */
export const toErrorCode = (code: CommonCode | ErrorCode): ErrorCode =>
  typeof code === 'string' ? { code, status: isStatusKey(code) ? STATUSES[code] : 404 } : code

/** One thing that is wrong with a request, and where: `body.title`, `query.limit`. */
export interface FieldError {
  message: string
  location?: string
  value?: unknown
}

/** An error to report to the caller. Its message is a sentence that says what to do and holds no secret. */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  readonly fieldErrors: FieldError[]
  readonly headers: Record<string, string>

  constructor(
    code: CommonCode | ErrorCode,
    message: string,
    options: { status?: number; fieldErrors?: FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    const errorCode = toErrorCode(code)
    this.name = 'AppError'
    this.code = errorCode.code
    this.status = options.status ?? errorCode.status
    this.fieldErrors = options.fieldErrors ?? []
    this.headers = options.headers ?? {}
  }
}

/** The error of one invalid field of a request, such as `body.title`. */
export const invalidField = (location: string, message: string): AppError =>
  new AppError('validation-failed', message, { fieldErrors: [{ message, location }] })

/** Whether a call of the system failed with one of these codes. */
export const hasCode = (error: unknown, ...codes: unknown[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(error.code)

/** Why a call of the system failed, by its code, in words. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['EACCES', 'there is no permission for it'],
  ['EPERM', 'the system does not permit it'],
  ['EROFS', 'its disk is read-only'],
  ['ENOSPC', 'its disk is full'],
  ['EDQUOT', 'the share of its disk is used up'],
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['EEXIST', 'it is there already'],
  ['ENOTEMPTY', 'it is not empty'],
  ['ENAMETOOLONG', 'its name is too long for the disk'],
  ['ELOOP', 'its links go round in a circle'],
  ['EMFILE', 'this process has too many files open'],
  ['EIO', 'its disk failed to read or write'],
])

/** The message of anything that was thrown, in words also where it is one of the system. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const reason = 'syscall' in error && 'code' in error ? REASONS.get(error.code) : undefined
  if (reason === undefined) return error.message
  return 'path' in error && typeof error.path === 'string' ? `${error.path}: ${reason}` : reason
}
