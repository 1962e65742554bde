import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import type { Requests } from '../../core/requests/requests.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Beads } from '../../work/beads/beads.ts'
import { AcpConversations } from '../conversations/acp/conversations.ts'
import { AcpPrompter } from '../conversations/acp/prompter.ts'
import { AcpRetention } from '../conversations/acp/retention.ts'
import { CrashHistory } from '../lifecycle/crash-history.ts'
import { type CityEnvironment, commandEnvironment } from '../lifecycle/environment.ts'
import { ExitHandler } from '../lifecycle/exit-handler.ts'
import { FailureCounts } from '../lifecycle/failure-counts.ts'
import { Launcher } from '../lifecycle/launcher.ts'
import { SessionProcesses } from '../lifecycle/processes.ts'
import { SetupCommands } from '../lifecycle/setup-commands.ts'
import { ShellRunner } from '../lifecycle/shell-runner.ts'
import { UsageLimitWatcher } from '../lifecycle/usage-limit-watcher.ts'
import { Messages } from '../messaging/messages.ts'
import { SessionRequests } from '../messaging/requests.ts'
import { openTerminalInput } from '../messaging/terminal-input.ts'
import type { Worktrees } from '../worktrees/worktrees.ts'
import { SessionActivity } from './activity.ts'
import { SessionCreator } from './creator.ts'
import { SessionEventRecorder } from './event-recorder.ts'
import type { SessionHost } from './host.ts'
import { SessionRepository } from './repository.ts'
import { SessionResolver } from './resolver.ts'
import { SessionRetention } from './retention.ts'
import type { SessionRow } from './table.ts'
import { SessionTokens } from './tokens.ts'
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
  place: CityEnvironment
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
  const book = new SessionRepository(store, needs.beads, clock)
  const launcher = new Launcher(place, config, () => clock.now())
  const outcomes = new SessionRequests(store, log, needs.requests, deadlines)
  const tokens = new SessionTokens(store, clock)
  const troubles = new FailureCounts(store, clock)
  const crashes = new CrashHistory(config, clock)
  const workload = new Workload(store, clock)
  const chronicle = new SessionEventRecorder(log, clock)
  const live = new SessionActivity()
  const shell = new ShellRunner(deadlines)
  const setup = new SetupCommands({ config, launcher, shell, path: place.path, env: commandEnvironment(place) })
  const died = (row: SessionRow) =>
    void setup
      .death(row)
      .then((failure) => failure && report(failure))
      .catch((error) => report(errorMessage(error)))
  const housed = async (row: SessionRow) => {
    const agent = row.kind === 'agent' ? launcher.agent(row.template) : undefined
    const path = await needs.worktrees.prepare(row, agent)
    if (path === undefined || path === row.workDir) return row
    return store.write((tx) => book.update(tx, row.id, { workDir: path }))
  }
  const keys = openTerminalInput(host, deadlines)
  const conversations = new AcpConversations({
    ...{ store, log, city: place.city },
    onConversationOpened: (tx, id, conversation) => book.update(tx, id, { sessionKey: conversation ?? null }),
    onTurnEnded: (id) => messages.pump(id),
    onTurnFailed: (id, key, reason) => usageLimits.onTurnFailed(id, key, reason),
  })
  const speaker = new AcpPrompter(host, conversations)
  const interrupt = async (row: SessionRow) => {
    if (!row.hostKey) return
    if (conversations.usesAcp(row.hostKey)) await speaker.interrupt(row.hostKey)
    else await keys.interrupt(row.hostKey, launcher.program(row))
  }
  const messages = new Messages({
    store,
    clock,
    deadlines,
    book,
    outcomes,
    deliver: (row, key, { id, body: text, intent }, options) =>
      conversations.usesAcp(key)
        ? speaker.deliver(
            key,
            { name: `message-${id}`, text, replacesTurn: intent === 'interrupt_now' },
            options.onTyping,
          )
        : keys.deliver(key, launcher.program(row), text, options),
    repeatable: (key) => conversations.usesAcp(key),
    interrupt,
    told: (tx, row, { requestId }, began, error) =>
      chronicle.operation(tx, row, requestId === null ? 'nudge' : 'message', began, {
        delivered: error === undefined,
        ...(error !== undefined && { error }),
      }),
    created: sequel.created,
    report,
  })
  const burial = new ExitHandler({
    ...{ store, clock, book, tokens, troubles, crashes, workload, chronicle, claims, died },
    settled: sequel.settled,
  })
  const lifecycle = new SessionProcesses({
    ...{ store, clock, city: place.city, config, host, book, tokens, burial, launcher, chronicle, setup, housed },
    conversations,
    started: sequel.started,
  })
  const usageLimits = new UsageLimitWatcher({
    ...{ book, host, launcher, live, deadlines, report },
    hasScreen: (key) => !conversations.usesAcp(key),
    limit: (id, key, said) => lifecycle.limit(id, key, said),
  })
  return {
    tidy: new SessionRetention(store, clock, deadlines, report),
    conversationTidy: new AcpRetention(store, clock, deadlines, report),
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
    resolver: new SessionResolver(book, config),
    view: new SessionView(book, launcher, workload, live),
    creation: new SessionCreator({
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
