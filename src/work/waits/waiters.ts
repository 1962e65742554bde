import type { Sessions } from '../../agents/sessions/sessions.ts'
import type { Waiters } from './waits.ts'

/** The sessions of a city as those who wait. */
export const waitersOf = (sessions: Sessions): Waiters => {
  const { book, resolver, messages } = sessions.parts
  return {
    find: (id) => book.find(id),
    resolve: (token) => resolver.resolve(token),
    titleOf: (id) => book.titleOf(id),
    rouse: (tx, id) => sessions.rouse(tx, id),
    nudge: (tx, id, text, name) => sessions.nudge(tx, id, text, name),
    withdraw: (tx, name) => messages.withdraw(tx, name),
    onNudged: (hear) => messages.onEnd(hear),
    onWake: (hear) => sessions.onWake(hear),
    onReset: (hear) => sessions.onReset(hear),
  }
}
