import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import type { RequestFailureCode } from '../../core/error-catalogue.ts'
import type { EventAttributes, EventDefinition, PayloadOf } from '../../core/events/index.ts'
import type { AcceptedRequest, Requests } from '../../core/requests/index.ts'
import { Signal } from '../../core/signal.ts'
import type { Tx } from '../../core/store/index.ts'
import type { AsyncAcceptedBody } from '../../http/schema.ts'

export const CREATE_LIMIT = 120_000
export const MESSAGE_LIMIT = 240_000

type Operation = 'session.create' | 'session.message' | 'session.submit'

/** AcceptedRequest requests about sessions, each until its one terminal event. One that takes too long fails. */
export class SessionRequests {
  readonly #open = new Map<string, { accepted: AcceptedRequest; deadline: Deadline | undefined }>()
  readonly #timedOut = new Signal<[tx: Tx, accepted: AcceptedRequest]>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      requests: Requests
      /** Reason a session has not started, or takes no message; undefined when that is not known. */
      explainWaiting(session: string): string | undefined
    },
  ) {}

  /** Accepts a request about a session. */
  accept(tx: Tx, operation: Operation, session: string, detail: Record<string, string> = {}): AcceptedRequest {
    const accepted = this.peers.requests.accept(tx, operation, session, detail)
    tx.after(() => this.#watch(accepted))
    return accepted
  }

  /** The answer to an accepted request; the cursor was read before anything was done. */
  answer(accepted: AcceptedRequest, cursor: number): AsyncAcceptedBody {
    return { status: 'accepted', request_id: accepted.id, event_cursor: String(cursor) }
  }

  get head(): number {
    return this.context.log.head
  }

  /** The open request of this kind about a session. */
  find(operation: Operation, session: string): AcceptedRequest | undefined {
    for (const { accepted } of this.#open.values()) {
      if (accepted.operation === operation && accepted.subject === session) return accepted
    }
    return undefined
  }

  get(id: string): AcceptedRequest | undefined {
    return this.#open.get(id)?.accepted
  }

  succeed<D extends EventDefinition>(tx: Tx, id: string, def: D, facts: EventAttributes, payload: PayloadOf<D>): void {
    this.peers.requests.succeed(tx, id, def, facts, payload)
    tx.after(() => this.#forget(id))
  }

  fail(tx: Tx, accepted: AcceptedRequest, code: RequestFailureCode, message: string): void {
    this.peers.requests.fail(tx, accepted, code, message)
    tx.after(() => this.#forget(accepted.id))
  }

  /** Watches the requests that a stop or a crash left open; returns them, oldest first. */
  recover(): AcceptedRequest[] {
    const open = this.peers.requests.listOpen().filter(({ operation }) => operation.startsWith('session.'))
    for (const accepted of open) this.#watch(accepted)
    return open
  }

  close(): void {
    for (const { deadline } of this.#open.values()) deadline?.cancel()
    this.#open.clear()
  }

  /** Calls the listener in the write that has failed a request because of its time limit. */
  readonly onTimeout = this.#timedOut.listen

  #watch(accepted: AcceptedRequest): void {
    const limit = accepted.operation === 'session.create' ? CREATE_LIMIT : MESSAGE_LIMIT
    const deadline = this.context.deadlines.after(limit, () => void this.#expire(accepted))
    this.#open.set(accepted.id, { accepted, deadline })
  }

  #forget(id: string): void {
    this.#open.get(id)?.deadline?.cancel()
    this.#open.delete(id)
  }

  async #expire(accepted: AcceptedRequest): Promise<void> {
    await this.context.store.write((tx) => {
      if (!this.#open.has(accepted.id)) return
      this.fail(tx, accepted, timeoutCode(accepted.operation), this.#timeoutMessage(accepted))
      this.#timedOut.emit(tx, accepted)
    }, gcPart('requests'))
  }

  #timeoutMessage({ operation, subject }: AcceptedRequest): string {
    const reason = this.peers.explainWaiting(subject)
    const because = reason ? `: ${reason}` : ''
    if (operation === 'session.create')
      return `the session did not start within ${CREATE_LIMIT / 60_000} minutes${because}`
    return `the message did not reach its session within ${MESSAGE_LIMIT / 60_000} minutes${because}`
  }
}

function timeoutCode(operation: string): RequestFailureCode {
  if (operation === 'session.create') return 'create_failed'
  return operation === 'session.submit' ? 'submit_failed' : 'timeout'
}
