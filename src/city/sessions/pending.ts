import type { Conversations } from '../acp/conversations.ts'
import { interactionOf } from '../acp/questions.ts'
import { dialogAsked, dialogOf } from './dialogs.ts'
import type { SessionHost } from './host.ts'
import type { Launcher } from './launcher.ts'
import type { SessionPending } from './schema.ts'
import type { SessionRow } from './table.ts'
import { runs } from './view.ts'

interface Parts {
  host: Pick<SessionHost, 'screen'>
  launcher: Launcher
  conversations: Conversations
}

/** What a session's program asks a person: a question of the protocol, or what is read from its screen. */
export async function pendingOf(parts: Parts, row: SessionRow): Promise<SessionPending> {
  if (row.state === 'creating') return { supported: false }
  if (!runs(row)) return { supported: true }
  const { conversations } = parts
  if (conversations.speaks(row.hostKey)) {
    const [question] = conversations.questions(row.hostKey)
    return { supported: true, ...(question && { pending: interactionOf(question) }) }
  }
  const asked = await dialogOf(parts, row)
  return { supported: true, ...(asked && { pending: dialogAsked(asked) }) }
}
