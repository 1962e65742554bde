import { createExchangeId } from '../core/ids.ts'
import type { RequestHandler } from './app.ts'

/** The side of a server whose network answers elsewhere: it has nothing at any address. */
export const notFoundHandler: RequestHandler = {
  fetch: () =>
    new Response('there is nothing at this address\n', {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-gc-request-id': createExchangeId() },
    }),
  stop() {},
}
