import type { TSchema } from '@sinclair/typebox'
import { ERRORS, findError } from '../../core/error-catalogue.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { blankSentence } from '../../core/text/index.ts'
import type { JsonObject } from '../components.ts'
import { ErrorModel, problemType } from '../schema.ts'
import { getObject } from './json-object.ts'

/** Error format of a plane for people and programs. */
export interface ProblemFormat {
  readonly media: string
  /** The shape of every body. */
  readonly model: TSchema
  body(appError: AppError): unknown
  status(error: ErrorCode): number
  /** The shape of the body with the codes it may carry, where it lists them. */
  listCodes?(model: JsonObject, codes: readonly string[]): JsonObject
  /** Error for an unknown address, or the allowed methods if only the method is wrong. */
  notFound(request: Request, allowed: readonly string[] | undefined): { media: string; body: string }
}

/** Problem details as RFC 9457 defines them. An unknown address gets plain text: it is not a missing resource. */
export const problemDetails: ProblemFormat = {
  media: 'application/problem+json',
  model: ErrorModel,
  body: toProblem,
  status: ({ status }) => status,
  listCodes,
  notFound: (_, allowed) => ({
    media: 'text/plain; charset=utf-8',
    body: allowed ? `this address takes ${allowed.join(', ')}\n` : 'there is nothing at this address\n',
  }),
}

function listCodes(model: JsonObject, codes: readonly string[]): JsonObject {
  const properties = getObject(model, 'properties')
  const type = { ...getObject(properties, 'type'), 'x-gascity-problem-types': codes.map(problemType) }
  const entries = Object.fromEntries(codes.map((code) => [code, findError(code)]))
  const code = { ...getObject(properties, 'code'), 'x-gc-errors': entries }
  return { ...model, properties: { ...properties, type, code } }
}

/** The titles that known clients show and that do not follow from the code. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['internal', 'Internal Server Error'],
  ['conflict-wrong-state', 'Wrong State Conflict'],
  ['idempotency-expired', 'Idempotency Key Expired'],
  ['idempotency-mismatch', 'Idempotency Key Body Mismatch'],
  ['extmsg-group-not-found', 'External-Message Group Not Found'],
])

/** `bead-not-found` → `Bead Not Found`. */
export const toTitle = (code: string): string => {
  const title = TITLES.get(code)
  if (title !== undefined) return title
  return code.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => (dash ? ' ' : '') + letter.toUpperCase())
}

function toProblem({ code, status, message, fieldErrors }: AppError): ErrorModel {
  const model: ErrorModel = {
    type: problemType(code),
    code,
    title: toTitle(code),
    status,
    detail: blankSentence(message),
  }
  const errors = fieldErrors.map((error) => ({ ...error, message: blankSentence(error.message) }))
  return errors.length > 0 ? { ...model, errors } : model
}

/** The error to report for anything thrown: an AppError unchanged, an unexpected error without its details. */
export const toAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('internal', ERRORS.internal.sentence)

/** A request that does not fit its declaration. */
export const validationFailed = (fieldErrors: AppError['fieldErrors']): AppError =>
  new AppError('validation-failed', ERRORS['validation-failed'].sentence, { fieldErrors })

/** A request for a socket that is not an upgrade. */
export const noUpgrade = (): AppError =>
  new AppError('invalid-request', 'this address speaks WebSocket: connect with an upgrade', {
    status: 426,
    headers: { upgrade: 'websocket' },
  })
