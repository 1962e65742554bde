import type { RequestHandler } from '../../../http/app.ts'

/** The header in which a reader passes the address of a client. It counts on the socket of the writer only. */
export const SENDER_HEADER = 'x-gc-sender'

/** Requests that readers passed to the writer, with the addresses that they came from. */
export class PassedRequests {
  readonly #senders = new WeakMap<Request, string>()

  /** Handles what comes through the socket. */
  handlerOf(handler: RequestHandler): RequestHandler {
    return {
      fetch: (request, server) => {
        this.#senders.set(request, request.headers.get(SENDER_HEADER) ?? '')
        return handler.fetch(request, server)
      },
      stop() {},
    }
  }

  /** The address of the client of a request that a reader passed on. */
  senderOf(request: Request): string | undefined {
    return this.#senders.get(request)
  }
}
