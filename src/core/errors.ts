/** Every refusal a caller can meet: its code and the HTTP status it usually travels with. */
export const CODES = {
  'invalid-request': 400,
  'invalid-cursor': 400,
  'sling-missing-bead': 400,
  'sling-cross-rig': 400,
  'sling-cross-store-route': 400,
  unauthorized: 401,
  forbidden: 403,
  'agent-not-found': 404,
  'bead-not-found': 404,
  'city-not-found': 404,
  'convoy-not-found': 404,
  'extmsg-group-not-found': 404,
  'formula-not-found': 404,
  'mail-not-found': 404,
  'order-not-found': 404,
  'pack-not-found': 404,
  'patch-not-found': 404,
  'provider-not-found': 404,
  'rig-not-found': 404,
  'run-not-found': 404,
  'scope-not-found': 404,
  'service-not-found': 404,
  'session-not-found': 404,
  'wait-not-found': 404,
  'workflow-not-found': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  'ambiguous-reference': 409,
  'claim-lost': 409,
  'conflict-concurrent-delete': 409,
  'conflict-concurrent-modify': 409,
  'conflict-wrong-state': 409,
  'idempotency-in-flight': 409,
  'maintenance-in-progress': 409,
  'operation-in-progress': 409,
  'pack-credential-required': 409,
  'session-conflict': 409,
  'sling-source-workflow-conflict': 409,
  'transcript-cursor-invalidated': 409,
  'body-too-large': 413,
  'host-not-allowed': 421,
  'idempotency-mismatch': 422,
  'validation-failed': 422,
  'webhook-rejected': 422,
  internal: 500,
  'not-implemented': 501,
  'bad-gateway': 502,
  'service-unavailable': 503,
  'store-unavailable': 503,
  'gateway-timeout': 504,
} as const

/** Refusals that only the network's operations give. */
export const NETWORK_CODES = {
  'post-not-found': 404,
  'comment-not-found': 404,
  'submolt-not-found': 404,
  'key-not-found': 404,
  'claim-not-found': 404,
  'name-taken': 409,
  'rate-limited': 429,
} as const

export type Code = keyof typeof CODES | keyof typeof NETWORK_CODES

const STATUS: Readonly<Record<Code, number>> = { ...CODES, ...NETWORK_CODES }

/** The HTTP status a code usually travels with. */
export const statusOf = (code: Code): number => STATUS[code]

/** One thing that is wrong with a request, and where: `body.title`, `query.limit`. */
export interface FieldError {
  message: string
  location?: string
  value?: unknown
}

/** A request that is turned down. The message is a sentence for the caller: it says what to do and holds no secret. */
export class AppError extends Error {
  readonly status: number
  readonly fieldErrors: FieldError[]
  readonly headers: Record<string, string>

  constructor(
    readonly code: Code,
    detail: string,
    more: { status?: number; fieldErrors?: FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail)
    this.name = 'AppError'
    this.status = more.status ?? STATUS[code]
    this.fieldErrors = more.fieldErrors ?? []
    this.headers = more.headers ?? {}
  }
}

/** Refuses what is wrong in one place of a request, such as `body.title`, with a sentence about it. */
export const invalidField = (location: string, message: string): AppError =>
  new AppError('validation-failed', message, { fieldErrors: [{ message, location }] })

/** The sentence of anything that was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
