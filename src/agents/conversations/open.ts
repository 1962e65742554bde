import type { CityContext } from '../../core/city-context.ts'
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
  context: CityContext
  sessionRepository: SessionRepository
  launchPlanner: Pick<LaunchPlanner, 'agent' | 'provider' | 'homeVariables'>
  conversations: AcpConversations
  questions: Pick<Questions, 'history' | 'onChange'>
  /** Open question of a session's program. */
  pending(row: SessionRow): SessionPending
}

/** Opens the logs of a city's sessions: those that programs write, and the records of the Agent Client Protocol. */
export function openSessionLogs(options: OpenLogsOptions): SessionLogs {
  const { context, name, path, env, sessionRepository, launchPlanner, conversations } = options
  const { store, clock } = context
  const programOf = sessionProgramLookup(launchPlanner, { city: name, path, env })
  const locator = new LogLocator(store, sessionRepository, programOf, () => clock.now())
  return new SessionLogs(context, {
    sessionRepository,
    locator,
    logStore: new SessionLogStore(store),
    findRecords: (row) => findAcpLog(conversations, row.id),
    pending: (row) => options.pending(row).pending,
    asked: ({ id }) => toMessages(options.questions.history(id)),
    onAsked: ({ id }, listener) => options.questions.onChange((session) => session === id && listener()),
  })
}
