import { AppError } from '../../core/errors.ts'
import type { AcceptedRequest } from '../../core/requests/index.ts'
import type { Store } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKWithIDResponseBody } from '../../http/schema.ts'
import type { SessionRepository, SessionRequestView } from '../../work/sessions/index.ts'
import type { SessionCloser } from '../lifecycle/index.ts'
import type { SessionRequests } from '../messaging/index.ts'
import type { WaitingReasons } from './waiting.ts'

interface PendingRequestsOptions {
  store: Store
  repository: Pick<SessionRepository, 'get'>
  requests: Pick<SessionRequests, 'get'>
  closer: Pick<SessionCloser, 'close'>
  waiting: Pick<WaitingReasons, 'of'>
}

/** Accepted requests about sessions that are not done yet. */
export class PendingRequests {
  constructor(private readonly options: PendingRequestsOptions) {}

  show(id: string): SessionRequestView {
    const { operation, subject } = this.#find(id)
    const reason = this.options.waiting.of(subject)
    return { request_id: id, operation, session_id: subject, ...(reason !== undefined && { waits_for: reason }) }
  }

  /** Takes a request for a session back whose start has not begun. */
  async withdraw(id: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, repository, closer } = this.options
    return store.write((tx) => {
      const { operation, subject } = this.#find(id)
      const isWaiting = operation === 'session.create' && repository.get(subject).state === 'start-pending'
      if (!isWaiting) {
        const toDo = `close it with gc session close ${subject}`
        throw new AppError(SESSION_CONFLICT, `conflict: what request ${id} asks for has begun; ${toDo}`)
      }
      closer.close(tx, subject, 'its request was withdrawn')
      return { status: 'ok', id: subject }
    }, actorOf(caller))
  }

  #find(id: string): AcceptedRequest {
    const request = this.options.requests.get(id)
    if (request) return request
    throw new AppError('request-not-found', `request ${id} is not open; its event has the outcome`)
  }
}
