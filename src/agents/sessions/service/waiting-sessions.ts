import type { WaitingSessions } from '../../../work/waits/sessions.ts'
import type { SessionWaker } from '../../lifecycle/act/session-waker.ts'
import type { MessageDelivery } from '../../messaging/message-delivery.ts'
import type { MessageQueue } from '../../messaging/message-queue.ts'
import type { SessionRepository } from '../repository.ts'
import type { SessionResolver } from '../resolver.ts'
import type { MessageSender } from './message-sender.ts'
import type { SessionRestarts } from './restarts.ts'

interface WaitingSessionsOptions {
  repository: SessionRepository
  resolver: SessionResolver
  waker: SessionWaker
  restarts: SessionRestarts
  sender: MessageSender
  queue: MessageQueue
  delivery: MessageDelivery
}

/** The sessions of a city as waits use them. */
export const waitingSessions = (options: WaitingSessionsOptions): WaitingSessions => {
  const { repository, resolver, waker, restarts, sender, queue, delivery } = options
  return {
    find: (id) => repository.find(id),
    resolve: (token) => resolver.resolve(token),
    titleOf: (id) => repository.titleOf(id),
    wake: (tx, id) => waker.wakeIfAsleep(tx, id),
    nudge: (tx, id, text, name) => sender.nudge(tx, id, text, name),
    withdraw: (tx, name) => queue.withdraw(tx, name),
    onNudgeEnded: (listener) => delivery.onEnd(listener),
    onWake: (listener) => waker.onWake(listener),
    onReset: (listener) => restarts.onReset(listener),
  }
}
