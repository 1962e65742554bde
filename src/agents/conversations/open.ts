import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { Store } from '../../core/store/index.ts'
import type { SessionPending, SessionRepository, SessionRow } from '../../work/sessions/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'
import type { Questions } from '../questions/index.ts'
import type { AcpConversations } from './acp/conversations.ts'
import { findAcpLog } from './acp/log.ts'
import { toMessages } from './formats/questions.ts'
import { LogLocator } from './tracking/locator.ts'
import { SessionLogStore } from './tracking/log-store.ts'
import { SessionLogs } from './tracking/session-logs.ts'
import { sessionProgramLookup } from './tracking/session-program.ts'

interface OpenLogsOptions {
  /** The city's name. */
  name: string
  /** Its folder. */
  path: string
  env: Readonly<Record<string, string | undefined>>
  store: Store
  clock: Clock
  deadlines: Deadlines
  sessionRepository: SessionRepository
  launchPlanner: Pick<LaunchPlanner, 'agent' | 'provider' | 'homeVariables'>
  conversations: AcpConversations
  questions: Pick<Questions, 'history' | 'onChange'>
  /** Open question of a session's program. */
  pending(row: SessionRow): SessionPending
  report(message: string): void
}

/** Opens the logs of a city's sessions: those that programs write, and the records of the Agent Client Protocol. */
export function openSessionLogs(options: OpenLogsOptions): SessionLogs {
  const { name, path, env, store, clock, deadlines, sessionRepository, launchPlanner, conversations, report } = options
  const programOf = sessionProgramLookup(launchPlanner, { city: name, path, env })
  const locator = new LogLocator(store, sessionRepository, programOf, () => clock.now())
  return new SessionLogs({
    store,
    sessionRepository,
    clock,
    deadlines,
    report,
    locator,
    logStore: new SessionLogStore(store),
    findRecords: (row) => findAcpLog(conversations, row.id),
    pending: (row) => options.pending(row).pending,
    asked: ({ id }) => toMessages(options.questions.history(id)),
    onAsked: ({ id }, listener) => options.questions.onChange((session) => session === id && listener()),
  })
}
