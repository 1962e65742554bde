import type { Config } from '../../../config/compose/config.ts'
import type { Tx } from '../../../core/store/store.ts'
import type { SessionCreator } from '../../lifecycle/act/session-creator.ts'
import type { SessionWaker } from '../../lifecycle/act/session-waker.ts'
import type { MessageDelivery, MessageEndListener } from '../../messaging/message-delivery.ts'
import type { MessageQueue } from '../../messaging/message-queue.ts'
import type { SessionRepository } from '../repository.ts'
import type { SessionResolver } from '../resolver.ts'
import type { SessionRow } from '../table.ts'
import type { MessageSender } from './message-sender.ts'

interface MessagedSessionsOptions {
  config: Pick<Config, 'current'>
  repository: SessionRepository
  resolver: SessionResolver
  creator: SessionCreator
  waker: SessionWaker
  sender: MessageSender
  queue: MessageQueue
  delivery: MessageDelivery
}

/** The sessions of a city as messages from outside use them. */
export function messagedSessions(options: MessagedSessionsOptions) {
  const { config, repository, resolver, creator, waker, sender, queue, delivery } = options
  const liveOf = (named: string): SessionRow | undefined => {
    const row = resolver.find(named)
    return row?.state === 'closed' ? undefined : row
  }
  return {
    find: (id: string) => repository.find(id),
    idOf(name: string): string {
      try {
        return resolver.find(name)?.id ?? name
      } catch {
        return name
      }
    },
    named(name: string): string | undefined {
      try {
        return resolver.named(name)?.qualified
      } catch {
        return undefined
      }
    },
    liveOf,
    ensureNamed(tx: Tx, name: string): SessionRow {
      const live = liveOf(name)
      if (live) return live
      const named = config.current.namedSessions.find(({ qualified }) => qualified === name)
      if (!named) throw new Error(`there is no [[named_session]] ${name} any more`)
      return creator.createNamed(tx, named)
    },
    wake: (tx: Tx, id: string) => waker.wakeIfAsleep(tx, id),
    nudge: (tx: Tx, id: string, text: string, name: string) => sender.nudge(tx, id, text, name),
    withdraw: (tx: Tx, name: string) => queue.withdraw(tx, name),
    hasFailed: (name: string) => queue.hasFailed(name),
    onNudgeEnded: (listener: MessageEndListener) => delivery.onEnd(listener),
  }
}
