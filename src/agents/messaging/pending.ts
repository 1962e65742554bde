import type { AcpConversations } from '../conversations/acp/conversations.ts'
import { toPendingInteraction } from '../conversations/acp/questions.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionHost } from '../sessions/host.ts'
import { isRunning } from '../sessions/running.ts'
import type { SessionPending } from '../sessions/schema.ts'
import type { SessionRow } from '../sessions/table.ts'
import { findDialog, toInteraction } from './dialogs.ts'

interface PendingOptions {
  host: Pick<SessionHost, 'screen' | 'question' | 'reportsQuestions'>
  launcher: Launcher
  conversations: AcpConversations
}

/** What a session's program asks a person: a question of the protocol, or a dialog on its screen. */
export async function pendingOf(options: PendingOptions, row: SessionRow): Promise<SessionPending> {
  if (row.state === 'creating') return { supported: false }
  if (!isRunning(row)) return { supported: true }
  const { conversations } = options
  if (conversations.usesAcp(row.hostKey)) {
    const [question] = conversations.questions(row.hostKey)
    return { supported: true, ...(question && { pending: toPendingInteraction(question) }) }
  }
  const dialog = await findDialog(options, row, () => row.activeAt ?? row.createdAt)
  return { supported: true, ...(dialog && { pending: toInteraction(dialog) }) }
}
