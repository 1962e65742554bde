import type { AcpConversations } from '../conversations/acp/conversations.ts'
import { toPendingInteraction } from '../conversations/acp/questions.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionPending } from '../sessions/schema.ts'
import type { SessionRow } from '../sessions/table.ts'
import { isRunning } from '../sessions/view.ts'
import { readDialog, toInteraction } from './dialogs.ts'

interface Parts {
  host: Pick<SessionHost, 'screen'>
  launcher: Launcher
  conversations: AcpConversations
}

/** What a session's program asks a person: a question of the protocol, or what is read from its screen. */
export async function pendingOf(parts: Parts, row: SessionRow): Promise<SessionPending> {
  if (row.state === 'creating') return { supported: false }
  if (!isRunning(row)) return { supported: true }
  const { conversations } = parts
  if (conversations.usesAcp(row.hostKey)) {
    const [question] = conversations.questions(row.hostKey)
    return { supported: true, ...(question && { pending: toPendingInteraction(question) }) }
  }
  const asked = await readDialog(parts, row)
  return { supported: true, ...(asked && { pending: toInteraction(asked) }) }
}
