import { type ApiCode, ERRORS, findError } from './error-catalogue.ts'

/** An error code with an HTTP status that differs from the one of the catalogue. */
export interface ErrorCode {
  readonly code: ApiCode
  readonly status: number
}

/** A code with its status, whichever way it is given. */
export const toErrorCode = (code: ApiCode | ErrorCode): ErrorCode =>
  typeof code === 'string' ? { code, status: ERRORS[code].status } : code

/** One thing that is wrong with a request, and where: `body.title`, `query.limit`. */
export interface FieldError {
  message: string
  location?: string
  value?: unknown
}

/** An error to report to the caller. Its message is a sentence that says what to do and holds no secret. */
export class AppError extends Error {
  readonly code: ApiCode
  readonly status: number
  readonly fieldErrors: FieldError[]
  readonly headers: Record<string, string>

  constructor(
    code: ApiCode | ErrorCode,
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

/** True if a call of the system failed with one of these codes. */
export const hasCode = (error: unknown, ...codes: unknown[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(error.code)

/** The message of anything that was thrown, in words even if the system threw it. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const reason =
    'syscall' in error && 'code' in error ? findError(String(error.code).toLowerCase())?.sentence : undefined
  if (reason === undefined) return error.message
  return 'path' in error && typeof error.path === 'string' ? `${error.path}: ${reason}` : reason
}
