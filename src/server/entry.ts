import { exchangeId } from '../core/ids.ts'
import type { Reply } from './answer.ts'
import type { Caller } from './caller.ts'
import { share } from './cors.ts'
import { admit, type GuardSettings, human } from './guard.ts'

/** What every request of a plane goes through before it is routed. */
export interface Gate {
  /** Throws the refusal of whoever may not go on; answers preflights itself. */
  receive(request: Request, reply: Reply): Response | undefined
  /** Who was let in with this request. */
  callerOf(request: Request): Caller
}

/** What happens to every request before it is routed: it is named, shared with whom it may be, and let in or not. */
export class Entry implements Gate {
  readonly #callers = new WeakMap<Request, Caller>()

  constructor(private readonly settings: GuardSettings) {}

  /** Throws the refusal of whoever may not go on; answers preflights itself. */
  receive(request: Request, reply: Reply): Response | undefined {
    const { headers, method } = request
    const origin = headers.get('origin')
    reply.headers['x-gc-request-id'] = exchangeId()
    share(reply.headers, origin, this.settings)
    const facts = {
      method,
      host: headers.get('host'),
      origin,
      authorization: headers.get('authorization'),
      mark: headers.get('x-gc-request'),
      upgrade: headers.get('upgrade'),
    }
    const caller = admit(facts, this.settings)
    if (caller !== human) this.#callers.set(request, caller)
    return method === 'OPTIONS' ? new Response(null, { status: 204 }) : undefined
  }

  /** Who was let in with this request. */
  callerOf(request: Request): Caller {
    return this.#callers.get(request) ?? human
  }
}
