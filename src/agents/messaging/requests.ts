import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { EventAttributes, EventDefinition, PayloadOf } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Accepted, Requests } from '../../core/requests/requests.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AsyncAcceptedBody } from '../../http/schema.ts'

export const CREATE_LIMIT = 120_000
export const MESSAGE_LIMIT = 240_000

type Operation = 'session.create' | 'session.message' | 'session.submit'

/** Accepted requests about sessions, each until its one terminal event. One that takes too long is failed. */
export class SessionRequests {
  readonly #open = new Map<string, { accepted: Accepted; deadline: Deadline | undefined }>()

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly requests: Requests,
    private readonly deadlines: Deadlines,
  ) {}

  /** Accepts a request; its answer names where to follow events from. */
  accept(tx: Tx, operation: Operation, session: string, detail: Record<string, string> = {}): Accepted {
    const accepted = this.requests.accept(tx, operation, session, detail)
    tx.after(() => this.#watch(accepted))
    return accepted
  }

  /** What the caller is told; the cursor was taken before anything was done. */
  answer(accepted: Accepted, cursor: number): AsyncAcceptedBody {
    return { status: 'accepted', request_id: accepted.id, event_cursor: String(cursor) }
  }

  get head(): number {
    return this.log.head
  }

  /** The open request of this kind about a session. */
  find(operation: Operation, session: string): Accepted | undefined {
    for (const { accepted } of this.#open.values()) {
      if (accepted.operation === operation && accepted.subject === session) return accepted
    }
    return undefined
  }

  get(id: string): Accepted | undefined {
    return this.#open.get(id)?.accepted
  }

  succeed<D extends EventDefinition>(tx: Tx, id: string, def: D, facts: EventAttributes, payload: PayloadOf<D>): void {
    this.requests.succeed(tx, id, def, facts, payload)
    tx.after(() => this.#forget(id))
  }

  fail(tx: Tx, accepted: Accepted, code: string, message: string): void {
    this.requests.fail(tx, accepted, code, message)
    tx.after(() => this.#forget(accepted.id))
  }

  /** Takes up what a stop or a crash left open; returns it, oldest first. */
  recover(): Accepted[] {
    const open = this.requests.open().filter(({ operation }) => operation.startsWith('session.'))
    for (const accepted of open) this.#watch(accepted)
    return open
  }

  close(): void {
    for (const { deadline } of this.#open.values()) deadline?.cancel()
    this.#open.clear()
  }

  /** Hears of a request that is given up because of its time limit, in the write that fails it. */
  onTimeout: (tx: Tx, accepted: Accepted) => void = () => {}

  /** Why the session of a request did not start, as far as that can be told. */
  explain: (session: string) => string | undefined = () => undefined

  #watch(accepted: Accepted): void {
    const limit = accepted.operation === 'session.create' ? CREATE_LIMIT : MESSAGE_LIMIT
    const deadline = this.deadlines.after(limit, () => void this.#expire(accepted))
    this.#open.set(accepted.id, { accepted, deadline })
  }

  #forget(id: string): void {
    this.#open.get(id)?.deadline?.cancel()
    this.#open.delete(id)
  }

  async #expire(accepted: Accepted): Promise<void> {
    const create = accepted.operation === 'session.create'
    const code = create ? 'create_failed' : accepted.operation === 'session.submit' ? 'submit_failed' : 'timeout'
    const what = create ? 'the session did not start' : 'the message did not reach its session'
    await this.store.write((tx) => {
      if (!this.#open.has(accepted.id)) return
      const why = create ? this.explain(accepted.subject) : undefined
      this.onTimeout(tx, accepted)
      this.fail(
        tx,
        accepted,
        code,
        `${what} within ${(create ? CREATE_LIMIT : MESSAGE_LIMIT) / 60_000} minutes${why ? `: ${why}` : ''}`,
      )
    })
  }
}
