import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import type { Requests } from '../../core/requests.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Beads } from '../../work/beads/beads.ts'
import { Conversations } from '../conversations/acp/conversations.ts'
import { Speaker } from '../conversations/acp/speaker.ts'
import { ConversationTidy } from '../conversations/acp/tidy.ts'
import { Burial } from '../lifecycle/burial.ts'
import { Crashes } from '../lifecycle/crashes.ts'
import { besideSessions, type Place } from '../lifecycle/environment.ts'
import { Launcher } from '../lifecycle/launcher.ts'
import { Lifecycle } from '../lifecycle/lifecycle.ts'
import { Setup } from '../lifecycle/setup.ts'
import { Shell } from '../lifecycle/shell.ts'
import { Troubles } from '../lifecycle/troubles.ts'
import { UsageLimits } from '../lifecycle/usage-limits.ts'
import { Messages } from '../messaging/messages.ts'
import { Outcomes } from '../messaging/outcomes.ts'
import { typist } from '../messaging/typist.ts'
import type { Worktrees } from '../worktrees/worktrees.ts'
import { SessionBook } from './book.ts'
import { Chronicle } from './chronicle.ts'
import { Creation } from './creation.ts'
import type { SessionHost } from './host.ts'
import { Live } from './live.ts'
import { Resolver } from './resolve.ts'
import type { SessionRow } from './table.ts'
import { Tidy } from './tidy.ts'
import { Tokens } from './tokens.ts'
import { SessionView } from './view.ts'
import { Workload } from './workload.ts'

/** What sessions need of the rest of a city. */
export interface SessionNeeds {
  store: Store
  log: EventLog
  reactions: Reactions
  clock: Clock
  deadlines: Deadlines
  requests: Requests
  config: Pick<Config, 'current'>
  beads: Beads
  claims: { loseAll(tx: Tx, session: string, names?: readonly string[]): void }
  host: SessionHost
  worktrees: Pick<Worktrees, 'prepare'>
  place: Place
  report(message: string): void
}

/** What follows in the same write when a session's program came up, or the session came to rest. */
export interface Sequel {
  started(tx: Tx, row: SessionRow, typed: string | undefined): void
  settled(tx: Tx, row: SessionRow, sentence: string): void
  created(tx: Tx, session: string, failure: string | undefined): void
}

/** The parts sessions are made of, each with one thing to do. */
export function buildParts(needs: SessionNeeds, sequel: Sequel) {
  const { store, log, clock, deadlines, config, host, place, claims, report } = needs
  const book = new SessionBook(store, needs.beads, clock)
  const launcher = new Launcher(place, config, () => clock.now())
  const outcomes = new Outcomes(store, log, needs.requests, deadlines)
  const tokens = new Tokens(store, clock)
  const troubles = new Troubles(store, clock)
  const crashes = new Crashes(config, clock)
  const workload = new Workload(store, clock)
  const chronicle = new Chronicle(log, clock)
  const live = new Live()
  const shell = new Shell(deadlines)
  const setup = new Setup({ config, launcher, shell, path: place.path, env: besideSessions(place) })
  const died = (row: SessionRow) =>
    void setup
      .death(row)
      .then((failure) => failure && report(failure))
      .catch((error) => report(errorMessage(error)))
  const housed = async (row: SessionRow) => {
    const agent = row.kind === 'agent' ? launcher.agent(row.template) : undefined
    const path = await needs.worktrees.prepare(row, agent)
    if (path === undefined || path === row.workDir) return row
    return store.write((tx) => book.patch(tx, row.id, { workDir: path }))
  }
  const keys = typist(host, deadlines)
  const conversations = new Conversations({
    ...{ store, log, city: place.city },
    opened: (tx, id, conversation) => book.patch(tx, id, { sessionKey: conversation ?? null }),
    free: (id) => messages.pump(id),
    failed: (id, key, reason) => usageLimits.told(id, key, reason),
  })
  const speaker = new Speaker(host, conversations)
  const interrupt = async (row: SessionRow) => {
    if (!row.hostKey) return
    if (conversations.speaks(row.hostKey)) await speaker.interrupt(row.hostKey)
    else await keys.interrupt(row.hostKey, launcher.program(row))
  }
  const messages = new Messages({
    store,
    clock,
    deadlines,
    book,
    outcomes,
    deliver: (row, key, { id, body: text, intent }, options) =>
      conversations.speaks(key)
        ? speaker.deliver(key, { name: `message-${id}`, text, instead: intent === 'interrupt_now' }, options.typing)
        : keys.deliver(key, launcher.program(row), text, options),
    repeatable: (key) => conversations.speaks(key),
    interrupt,
    told: (tx, row, { requestId }, began, error) =>
      chronicle.operation(tx, row, requestId === null ? 'nudge' : 'message', began, {
        delivered: error === undefined,
        ...(error !== undefined && { error }),
      }),
    created: sequel.created,
    report,
  })
  const burial = new Burial({
    ...{ store, clock, book, tokens, troubles, crashes, workload, chronicle, claims, died },
    settled: sequel.settled,
  })
  const lifecycle = new Lifecycle({
    ...{ store, clock, city: place.city, config, host, book, tokens, burial, launcher, chronicle, setup, housed },
    conversations,
    started: sequel.started,
  })
  const usageLimits = new UsageLimits({
    ...{ book, host, launcher, live, deadlines, report },
    hasScreen: (key) => !conversations.speaks(key),
    limit: (id, key, said) => lifecycle.limit(id, key, said),
  })
  return {
    tidy: new Tidy(store, clock, deadlines, report),
    conversationTidy: new ConversationTidy(store, clock, deadlines, report),
    book,
    launcher,
    outcomes,
    tokens,
    troubles,
    crashes,
    workload,
    chronicle,
    live,
    keys,
    messages,
    interrupt,
    conversations,
    shell,
    setup,
    resolver: new Resolver(book, config),
    view: new SessionView(book, launcher, workload, live),
    creation: new Creation({
      store,
      book,
      config,
      launcher,
      outcomes,
      place,
      queue: (tx, session, body, more) => messages.queue(tx, session, body, more),
    }),
    lifecycle,
    usageLimits,
  }
}

export type BuiltParts = ReturnType<typeof buildParts>
