import { createHash } from 'node:crypto'
import { standing } from '../../runtime/terminal/standing.ts'
import type { Conversations } from '../acp/conversations.ts'
import { interactionOf } from '../acp/questions.ts'
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
export async function pendingOf({ host, launcher, conversations }: Parts, row: SessionRow): Promise<SessionPending> {
  if (row.state === 'creating') return { supported: false }
  if (!row.hostKey || !runs(row)) return { supported: true }
  if (conversations.speaks(row.hostKey)) {
    const [question] = conversations.questions(row.hostKey)
    return { supported: true, ...(question && { pending: interactionOf(question) }) }
  }
  const screen = await host.screen(row.hostKey).catch(() => undefined)
  if (!screen) return { supported: true }
  const stands = standing(screen, launcher.program(row).manners, true)
  if (stands.is !== 'asking') return { supported: true }
  const { kind, asks } = stands.dialog
  const seen = createHash('sha256').update(screen.lines.join('\n')).digest('hex').slice(0, 16)
  return {
    supported: true,
    pending: { request_id: `screen-${seen}`, kind, prompt: asks, metadata: { source: 'terminal' } },
  }
}
