import { isRunning, type SessionPending, type SessionRow } from '../../work/sessions/index.ts'
import { type AcpConversations, toPendingInteraction } from '../conversations/index.ts'
import type { Questions } from '../questions/index.ts'
import { toInteraction } from './dialogs.ts'

export interface PendingOptions {
  questions: Pick<Questions, 'open'>
  conversations: Pick<AcpConversations, 'usesAcp' | 'questions'>
}

/** Open question of a session's program as all lists show it: by protocol, or a dialog on its screen. */
export function pendingOf({ questions, conversations }: PendingOptions, row: SessionRow): SessionPending {
  if (row.state === 'creating') return { supported: false }
  if (!isRunning(row)) return { supported: true }
  const asked = questions.open().find(({ hostKey }) => hostKey === row.hostKey)
  if (!asked) return { supported: true }
  if (!conversations.usesAcp(row.hostKey)) return { supported: true, pending: toInteraction(asked.question) }
  const question = conversations.questions(row.hostKey).find(({ request }) => request === asked.request)
  return { supported: true, ...(question && { pending: toPendingInteraction(question) }) }
}
