import type { Clock } from '../../../core/clock.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import type { Store } from '../../../core/store.ts'
import type { SessionHost } from '../../sessions/host.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { spokenLog } from '../acp/log.ts'
import { Locator } from './locate.ts'
import { Logs } from './logs.ts'
import { originsOf } from './origin.ts'

interface Around {
  /** The city's name. */
  name: string
  env: Readonly<Record<string, string | undefined>>
  store: Store
  clock: Clock
  deadlines: Deadlines
  host: Pick<SessionHost, 'onOutput'>
  sessions: Sessions
  report(message: string): void
}

/** The logs of a city's sessions. */
export function openLogs({ name, env, store, clock, deadlines, host, sessions, report }: Around): Logs {
  const { book, launcher, conversations } = sessions.parts
  const origins = originsOf(launcher, { city: name, env })
  const kept = new Locator(store, book, origins, () => clock.now())
  return new Logs({
    store,
    book,
    deadlines,
    report,
    locator: {
      find: (row) => spokenLog(conversations, row.id) ?? kept.find(row),
      places: (row) => (conversations.knows(row.id) ? [] : kept.places(row)),
    },
    keep: (tx, { id }, key) => void book.update(tx, id, { sessionKey: key }),
    pending: async ({ id }) => (await sessions.pending(id)).pending,
    onScreen: ({ hostKey }, hear) => (hostKey ? host.onOutput(hostKey, hear) : () => {}),
  })
}
