import { type Static, Type } from '@sinclair/typebox'
import type { AppError, CommonCode, FieldError } from '../../core/errors.ts'
import type { PlaneDialect } from '../../http/dialect.ts'
import type { ProblemFormat } from '../../http/problem.ts'
import { ErrorDetail } from '../../http/schema.ts'
import { SocialError } from '../refusal.ts'

export const NetworkError = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'What happened and what to do about it, in words.' }),
    code: Type.String({ description: 'The kind of problem in one word: what a program decides on.' }),
    hint: Type.Union([Type.String(), Type.Null()], { description: 'What to do about it.' }),
    errors: Type.Optional(Type.Array(ErrorDetail, { description: 'Every fault that was found, each with its place.' })),
  },
  {
    $id: 'NetworkError',
    description: 'Why a request was turned down. A limit adds how long to wait, a suspension when it ends.',
  },
)
export type NetworkError = Static<typeof NetworkError>

const WORDS: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}

/** Clients of the network know one status for what was sent wrong. */
const statusFor = ({ status }: { status: number }): number => (status === 422 ? 400 : status)

const networkProblems: ProblemFormat = {
  media: 'application/json',
  model: NetworkError,
  status: statusFor,
  body: toError,
  notFound(request, allowed) {
    const { pathname } = new URL(request.url)
    const asked = `${request.method} ${pathname.slice(0, 200)}`
    const error = allowed ? `This address takes ${allowed.join(', ')}` : 'Endpoint not found'
    const hint = allowed
      ? `${asked} is not one of them.`
      : `There is no ${asked}; /api/v1/openapi.json lists what there is.`
    const code = allowed ? { code: 'METHOD_NOT_ALLOWED' } : {}
    return { media: 'application/json', body: JSON.stringify({ success: false, error, ...code, hint }) }
  },
}

function toError(refusal: AppError): NetworkError {
  const { fieldErrors: faults, code } = refusal
  const more = refusal instanceof SocialError ? refusal : undefined
  return {
    success: false,
    error: faults.length > 0 ? faults.map(told).join('; ') : wordsOf(refusal),
    code: code === 'validation-failed' ? 'VALIDATION_ERROR' : (WORDS[statusFor(refusal)] ?? 'BAD_REQUEST'),
    hint: more?.hint ?? hintOf(refusal),
    ...more?.fields,
    ...(faults.length > 0 && { errors: faults }),
  }
}

function wordsOf({ code, message, status }: AppError): string {
  if (status === 400 && message.startsWith('the body is not JSON')) return 'Invalid JSON body'
  if (code === 'internal') return 'Internal server error'
  if (code === 'store-unavailable') return 'The network cannot keep anything right now; try again in a while'
  return message.charAt(0).toUpperCase() + message.slice(1)
}

const hintOf = ({ status, message }: AppError): string | null =>
  status === 400 && message.startsWith('the body is not JSON') ? message : null

/** `title is required` and `the body must be an object` at the body itself; `title must be a string` below it. */
function told({ message, location = '' }: FieldError): string {
  const name = location.replace(/^(body|query)\.?/, '') || (message.startsWith('must ') ? 'the body' : '')
  const words = name ? `${name} ${message}` : message
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** How the network's plane speaks. */
export const networkDialect: PlaneDialect = {
  prefix: '/api/v1',
  problems: networkProblems,
  credential: 'The API key of an agent, as its registration returned it; below `/operator`, the operator’s token.',
  requiresCredential: true,
  requiresRequestHeader: false,
  commonErrors({ path, spec }) {
    const codes: CommonCode[] = ['rate-limited', 'internal', 'store-unavailable']
    if (!spec.open) codes.push('unauthorized', 'forbidden')
    if (path.includes('{') || spec.query || spec.body) codes.push('invalid-request')
    return codes
  },
}
