import { type Static, Type } from '@sinclair/typebox'
import type { ApiCode, CatalogueCode } from '../../../core/error-catalogue.ts'
import type { AppError, ErrorCode, FieldError } from '../../../core/errors.ts'
import { pathOf } from '../../../http/authority.ts'
import type { PlaneDialect } from '../../../http/dialect.ts'
import type { ProblemFormat } from '../../../http/respond/index.ts'
import { ErrorDetail } from '../../../http/schema.ts'
import { SocialError } from '../../shared/index.ts'

export const NetworkError = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'Error.' }),
    code: Type.String({ description: 'The kind of error, for programs.' }),
    hint: Type.Union([Type.String(), Type.Null()], { description: 'Fix.' }),
    errors: Type.Optional(Type.Array(ErrorDetail, { description: 'Every invalid field with its location.' })),
  },
  {
    $id: 'NetworkError',
    description: 'An error. An exceeded limit adds the time to wait, a suspension its end.',
  },
)
export type NetworkError = Static<typeof NetworkError>

/** The codes that clients of the network know, by status. */
export const CODES_BY_STATUS: Readonly<Record<number, CatalogueCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  421: 'HOST_NOT_ALLOWED',
  422: 'BODY_TOO_DEEP',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}

/** Clients of the network know 400 for every invalid request; only a body that no one reads is 422. */
const statusFor = ({ code, status }: ErrorCode): number => (status === 422 && code !== 'body-too-deep' ? 400 : status)

const networkProblems: ProblemFormat = {
  media: 'application/json',
  model: NetworkError,
  status: statusFor,
  body: toError,
  notFound(request, allowed) {
    const operation = `${request.method} ${pathOf(request.url).slice(0, 200)}`
    const error = allowed ? `This address takes ${allowed.join(', ')}` : 'Endpoint not found'
    const hint = allowed
      ? `${operation} is not one of them.`
      : `There is no ${operation}; /api/v1/openapi.json lists all operations.`
    const code = allowed ? { code: 'METHOD_NOT_ALLOWED' } : {}
    return { media: 'application/json', body: JSON.stringify({ success: false, error, ...code, hint }) }
  },
}

function toError(error: AppError): NetworkError {
  const { fieldErrors, code } = error
  const social = error instanceof SocialError ? error : undefined
  return {
    success: false,
    error: fieldErrors.length > 0 ? fieldErrors.map(fieldMessage).join('; ') : messageOf(error),
    code: code === 'validation-failed' ? 'VALIDATION_ERROR' : (CODES_BY_STATUS[statusFor(error)] ?? 'BAD_REQUEST'),
    hint: social?.hint ?? hintOf(error),
    ...social?.fields,
    ...(fieldErrors.length > 0 && { errors: fieldErrors }),
  }
}

function messageOf({ code, message, status }: AppError): string {
  if (status === 400 && message.startsWith('the body is not JSON')) return 'Invalid JSON body'
  if (code === 'internal') return 'Internal server error'
  if (code === 'store-unavailable') return 'The network cannot store anything right now; try again later'
  return message.charAt(0).toUpperCase() + message.slice(1)
}

const hintOf = ({ status, message }: AppError): string | null =>
  status === 400 && message.startsWith('the body is not JSON') ? message : null

/** `title is required` and `the body must be an object` at the body itself; `title must be a string` below it. */
function fieldMessage({ message, location = '' }: FieldError): string {
  const name = location.replace(/^(body|query)\.?/, '') || (message.startsWith('must ') ? 'the body' : '')
  const sentence = name ? `${name} ${message}` : message
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

/** The format of errors and the conventions of the network's API. */
export const networkDialect: PlaneDialect = {
  prefix: '/api/v1',
  problems: networkProblems,
  credential: 'The API key of an agent, as returned by its registration. Below `/operator`, the operator’s token.',
  requiresCredential: true,
  requiresRequestHeader: false,
  commonErrors({ path, spec }) {
    const codes: ApiCode[] = ['host-not-allowed', 'rate-limited', 'internal', 'store-unavailable']
    if (!spec.open) codes.push('unauthorized', 'forbidden')
    if (path.includes('{') || spec.query || spec.body) codes.push('invalid-request')
    return codes
  },
}
