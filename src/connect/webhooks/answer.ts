import { AppError } from '../../core/errors.ts'
import { createExchangeId } from '../../core/ids.ts'
import { problemDetails } from '../../http/respond/index.ts'
import { NOTHING_HERE } from './admission/perimeter.ts'
import type { Rejection, RejectionReason } from './admission/rejection.ts'

/** Response to the sender of a delivery, with the reason. */
export interface HookAnswer {
  readonly status: number
  /** Nothing when undefined. */
  readonly body: unknown
  readonly media?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Reason it was rejected, and in a sentence for anyone who set up the webhook. */
  readonly rejection?: { readonly reason: RejectionReason; readonly message: string }
}

/** Codes of the statuses that deliveries are answered with. */
const CODES = {
  400: 'invalid-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'webhook-not-found',
  405: 'method-not-allowed',
  408: 'request-timeout',
  413: 'body-too-large',
  429: 'rate-limited',
  503: 'service-unavailable',
} as const

const isCoded = (status: number): status is keyof typeof CODES => status in CODES

/** The answer to a delivery that was rejected. */
export function rejected({ status, answer, headers, reason, message }: Rejection): HookAnswer {
  const response = status === 422 ? { status, body: { status: 'rejected' } } : problem(status, answer, headers)
  return { ...response, rejection: { reason, message } }
}

/** Response to a command or button of Slack, which would show any other body to people. */
export const ACKNOWLEDGED: HookAnswer = { status: 200, body: undefined }

export const methodNotAllowed = (): HookAnswer => problem(405, 'a webhook takes POST only', { allow: 'POST' })

/** The answer at an address where nothing is. */
export const nothingHere = (): HookAnswer => problem(404, NOTHING_HERE, {})

/** The answer while the city does not run: senders that try again find it running. */
export const notYet = (): HookAnswer =>
  problem(503, 'nothing is received here now; send this again', { 'retry-after': '5' })

function problem(status: number, detail: string, headers: Readonly<Record<string, string>>): HookAnswer {
  const error = new AppError(isCoded(status) ? CODES[status] : 'internal', detail, { status })
  return { status, headers, media: problemDetails.media, body: problemDetails.body(error) }
}

/** As it goes over the wire. */
export function toResponse({ status, body, media = 'application/json', headers = {} }: HookAnswer): Response {
  const all = { 'cache-control': 'no-store', 'x-gc-request-id': createExchangeId(), ...headers }
  if (body === undefined) return new Response(null, { status, headers: all })
  return new Response(`${JSON.stringify(body)}\n`, { status, headers: { 'content-type': media, ...all } })
}
