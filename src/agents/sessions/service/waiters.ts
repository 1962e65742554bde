import type { Waiters } from '../../../work/waits/waits.ts'
import type { SessionWaker } from '../../lifecycle/session-waker.ts'
import type { MessageDelivery } from '../../messaging/message-delivery.ts'
import type { MessageQueue } from '../../messaging/message-queue.ts'
import type { SessionRepository } from '../repository.ts'
import type { SessionResolver } from '../resolver.ts'
import type { MessageSender } from './message-sender.ts'
import type { SessionRestarts } from './restarts.ts'

interface WaitersOptions {
  repository: SessionRepository
  resolver: SessionResolver
  waker: SessionWaker
  restarts: SessionRestarts
  sender: MessageSender
  queue: MessageQueue
  delivery: MessageDelivery
}

/** The sessions of a city as waits use them. */
export const sessionWaiters = (options: WaitersOptions): Waiters => {
  const { repository, resolver, waker, restarts, sender, queue, delivery } = options
  return {
    find: (id) => repository.find(id),
    resolve: (token) => resolver.resolve(token),
    titleOf: (id) => repository.titleOf(id),
    rouse: (tx, id) => waker.wakeIfAsleep(tx, id),
    nudge: (tx, id, text, name) => sender.nudge(tx, id, text, name),
    withdraw: (tx, name) => queue.withdraw(tx, name),
    onNudged: (listener) => delivery.onEnd(listener),
    onWake: (listener) => waker.onWake(listener),
    onReset: (listener) => restarts.onReset(listener),
  }
}
