import { createExchangeId } from '../../../core/ids.ts'
import type { RequestHandler } from '../../../http/app.ts'
import type { NetworkError } from './errors.ts'

const BODY: NetworkError = {
  success: false,
  error: 'The network is not served: it could not be opened',
  code: 'SERVICE_UNAVAILABLE',
  hint: 'The log of gc serve shows the reason.',
}

/** Answers for a network that could not be opened. */
export const unavailableHandler: RequestHandler = {
  fetch: () => Response.json(BODY, { status: 503, headers: { 'x-gc-request-id': createExchangeId() } }),
  stop() {},
}
