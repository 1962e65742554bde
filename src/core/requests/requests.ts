import { Type } from '@sinclair/typebox'
import { type Actor, GC } from '../actor.ts'
import type { Clock } from '../clock.ts'
import type { RequestFailureCode } from '../error-catalogue.ts'
import {
  defineEvent,
  type EventAttributes,
  type EventDefinition,
  type EventLog,
  type PayloadOf,
} from '../events/index.ts'
import { createRequestId } from '../ids.ts'
import { command, query, type Store, type Tx } from '../store/index.ts'

export const RequestFailed = defineEvent(
  'request.failed',
  Type.Object(
    {
      request_id: Type.String(),
      operation: Type.String(),
      error_code: Type.String(),
      error_message: Type.String(),
    },
    { $id: 'RequestFailedPayload', additionalProperties: false },
  ),
  'An accepted request could not be carried out.',
)

/** A request that was accepted and has not ended yet. */
export interface AcceptedRequest {
  id: string
  operation: string
  /** Subject: a session id, a city name. */
  subject: string
  /** Data needed to continue it after a crash. */
  detail: Record<string, string>
  /** Sender of the request, and actor of its final events. */
  requester: Actor
}

interface RequestRow extends Omit<AcceptedRequest, 'detail' | 'requester'> {
  detail: string
  requester: string | null
}

const INSERT = command<[string, string, string, string, number, string]>(
  'INSERT INTO requests (id, operation, subject, detail, accepted_at, requester) VALUES (?, ?, ?, ?, ?, ?)',
)

const DELETE = command<[string], Pick<RequestRow, 'requester'>>('DELETE FROM requests WHERE id = ? RETURNING requester')

const OPEN = query<RequestRow>(
  'SELECT id, operation, subject, detail, requester FROM requests ORDER BY accepted_at, id',
)

/**
 * Requests answered with 202. Each is a row from the moment it is accepted until its one terminal event,
 * so that a crash in between neither loses nor repeats the event.
 */
export class Requests {
  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  accept(tx: Tx, operation: string, subject: string, detail: Record<string, string> = {}): AcceptedRequest {
    const requester = tx.actor
    const accepted = { id: createRequestId(), operation, subject, detail, requester }
    const texts = [JSON.stringify(detail), JSON.stringify(requester)] as const
    tx.run(INSERT, accepted.id, operation, subject, texts[0], this.clock.now(), texts[1])
    return accepted
  }

  /** Those without a terminal event, oldest first: what a start has to finish. */
  listOpen(): AcceptedRequest[] {
    return this.store.all(OPEN).map((row) => ({ ...row, detail: JSON.parse(row.detail), requester: requesterOf(row) }))
  }

  /** Ends a request with its success; does nothing when it has ended already. */
  succeed<D extends EventDefinition>(
    tx: Tx,
    id: string,
    def: D,
    facts: EventAttributes,
    payload: PayloadOf<D>,
  ): boolean {
    const row = tx.get(DELETE, id)
    if (!row) return false
    this.log.append(tx, def, { ...facts, actor: requesterOf(row) }, payload)
    return true
  }

  /** Ends a request with `request.failed`; does nothing when it has ended already. */
  fail(tx: Tx, request: AcceptedRequest, code: RequestFailureCode, message: string, subject?: string): boolean {
    const row = tx.get(DELETE, request.id)
    if (!row) return false
    this.log.append(
      tx,
      RequestFailed,
      { actor: requesterOf(row), ...(subject !== undefined && { subject }) },
      { request_id: request.id, operation: request.operation, error_code: code, error_message: message },
    )
    return true
  }
}

/** Sender of a request; unknown for those accepted by an earlier version. */
const requesterOf = ({ requester }: Pick<RequestRow, 'requester'>): Actor =>
  requester === null ? GC : JSON.parse(requester)
