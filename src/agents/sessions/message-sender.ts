import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { AsyncAcceptedBody } from '../../http/schema.ts'
import { SessionSubmitSucceeded } from '../../work/events.ts'
import {
  HELD,
  type MessageQueue,
  type SessionMessage,
  type SessionRepository,
  type SessionSubmit,
  type SessionWaker,
  type SubmitIntent,
} from '../../work/sessions/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'
import type { SessionCreator } from '../lifecycle/index.ts'
import { MESSAGE_LIMIT, type SessionRequests } from '../messaging/index.ts'

interface MessageSenderOptions {
  store: Store
  repository: SessionRepository
  launchPlanner: LaunchPlanner
  creator: SessionCreator
  waker: SessionWaker
  queue: MessageQueue
  requests: SessionRequests
}

interface Sending {
  message: string
  operation: 'session.message' | 'session.submit'
  intent: SubmitIntent
}

/** Accepts messages to sessions; a session that is not up is woken for them. */
export class MessageSender {
  constructor(private readonly options: MessageSenderOptions) {}

  message(token: string, caller: Caller, { message }: SessionMessage): Promise<AsyncAcceptedBody> {
    return this.#send(token, caller, { message, operation: 'session.message', intent: 'default' })
  }

  submit(token: string, caller: Caller, { message, intent = 'default' }: SessionSubmit): Promise<AsyncAcceptedBody> {
    return this.#send(token, caller, { message, operation: 'session.submit', intent })
  }

  async #send(token: string, caller: Caller, sending: Sending): Promise<AsyncAcceptedBody> {
    const { message, operation, intent } = sending
    const { store, repository, launchPlanner, creator, waker, queue, requests } = this.options
    const row = await creator.findOrCreate(token, caller)
    if (row.state === 'failed-create') throw new AppError(SESSION_CONFLICT, `session ${row.id} is failed-create`)
    const cursor = requests.head
    return store.write((tx) => {
      const request = requests.accept(tx, operation, row.id)
      const answer = requests.answer(request, cursor)
      const isFollowUp = operation === 'session.submit' && intent === 'follow_up'
      if (isFollowUp && launchPlanner.transport(row) === 'acp') {
        requests.fail(tx, request, 'submit_failed', 'follow_up is not supported by sessions that use ACP')
        return answer
      }
      queue.add(tx, row.id, message, { intent, ...(!isFollowUp && { request: request.id, limit: MESSAGE_LIMIT }) })
      if (HELD.has(repository.get(row.id).state)) waker.release(tx, row.id)
      if (!isFollowUp) return answer
      const facts = { subject: row.id, session_id: row.id }
      const payload = { request_id: request.id, session_id: row.id, queued: true, intent }
      requests.succeed(tx, request.id, SessionSubmitSucceeded, facts, payload)
      return answer
    }, actorOf(caller))
  }
}
