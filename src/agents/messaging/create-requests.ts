import type { Tx } from '../../core/store/index.ts'
import { SessionCreateSucceeded } from '../../work/events.ts'
import type { MessageQueue, SessionRepository, SessionResponse, SessionRow } from '../../work/sessions/index.ts'
import type { SessionRequests } from './requests.ts'

interface CreateRequestsOptions {
  requests: SessionRequests
  repository: Pick<SessionRepository, 'get'>
  queue: Pick<MessageQueue, 'isPending' | 'hasFailed'>
  view: { show(row: SessionRow): SessionResponse }
}

/** Accepted requests to create a session: each ends once the session is up and its first message is delivered. */
export class CreateRequests {
  constructor(private readonly options: CreateRequestsOptions) {}

  /** The session is up and has its first message. */
  succeed(tx: Tx, session: string): void {
    const { requests, repository, view } = this.options
    const request = requests.find('session.create', session)
    if (!request) return
    const payload = { request_id: request.id, session: view.show(repository.get(session)) }
    const facts = { subject: session, session_id: session }
    requests.succeed(tx, request.id, SessionCreateSucceeded, facts, payload)
  }

  /** The session is up; its request continues while its first message waits. */
  succeedUnlessPending(tx: Tx, session: string): void {
    const request = this.options.requests.find('session.create', session)
    if (request && !this.options.queue.isPending(request.id)) this.succeed(tx, session)
  }

  /** The session did not come up, or its first message could not be delivered. */
  fail(tx: Tx, session: string, reason: string): void {
    const { requests, queue } = this.options
    const request = requests.find('session.create', session)
    if (!request) return
    requests.fail(tx, request, queue.hasFailed(request.id) ? 'message_delivery_failed' : 'create_failed', reason)
  }
}
