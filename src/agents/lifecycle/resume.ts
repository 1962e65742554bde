import type { AgentConfig } from '../../config/city-config.ts'
import type { Transport } from '../../config/providers/launch.ts'
import type { Provider } from '../../config/providers/provider.ts'
import type { SessionRow } from '../sessions/table.ts'

/** The conversation that a session's next start resumes; undefined to begin a new one. */
export function conversationToResume(
  row: SessionRow,
  agent: AgentConfig | undefined,
  provider: Provider | undefined,
  transport: Transport,
) {
  if (row.wokeAt === null || row.sessionKey === null || agent?.wakeMode === 'fresh') return undefined
  if (transport === 'acp') return row.sessionKey
  if (agent?.startCommand || !provider) return undefined
  const canResume = agent?.resumeCommand ?? provider.resumeCommand ?? provider.resumeFlag
  return canResume ? row.sessionKey : undefined
}
