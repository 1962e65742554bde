import { errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import type { Memberships } from './memberships.ts'
import { formatReminder, MAX_SHOWN } from './reminder.ts'
import type { MessagedSession, MessagedSessions } from './sessions.ts'
import type { ConversationRow, MembershipRow, TranscriptRow } from './table.ts'
import type { Transcripts } from './transcripts.ts'
import type { Undelivered } from './undelivered.ts'

interface TranscriptNudgerOptions {
  memberships: Memberships
  transcripts: Transcripts
  sessions: MessagedSessions
  undelivered: Undelivered
}

/** Who is to answer a message. */
export interface NudgeTarget {
  readonly sessionId: string
  readonly agentName: string
}

/** How gc calls a conversation. */
export const conversationName = ({ n }: Pick<ConversationRow, 'n'>): string => `c${n}`

/**
 * Tells the sessions that follow a conversation of a message. A session has one nudge of a conversation waiting at most:
 * what comes before that was typed is shown together.
 */
export class TranscriptNudger {
  constructor(private readonly options: TranscriptNudgerOptions) {}

  /** Queues a message for who is to answer it and for the running sessions that follow; returns who is to answer. */
  nudge(tx: Tx, row: ConversationRow, { sequence }: TranscriptRow, target: NudgeTarget): string {
    const { memberships, sessions } = this.options
    const addressed = this.#resolve(tx, row, target)
    if (addressed && !memberships.find(row.n, addressed.id)) {
      memberships.join(tx, { n: row.n, head: sequence - 1 }, addressed.id, 'binding')
    }
    if (target.agentName !== '') memberships.leave(tx, row.n, 'binding', addressed?.id)
    for (const member of memberships.of(row.n)) {
      const isAddressed = member.sessionId === addressed?.id
      const session = isAddressed ? addressed : sessions.find(member.sessionId)
      if (!session || (!isAddressed && session.pid === null)) continue
      this.#nudgeMember(tx, row, sequence, member, isAddressed)
    }
    if (addressed) sessions.wake(tx, addressed.id)
    return addressed?.id ?? target.sessionId
  }

  /** The session that is to answer; undefined, and a person hears of it, when there is none that could. */
  #resolve(tx: Tx, row: ConversationRow, { sessionId, agentName }: NudgeTarget): MessagedSession | undefined {
    const { sessions, undelivered } = this.options
    try {
      const session = agentName === '' ? sessions.find(sessionId) : sessions.ensureNamed(tx, agentName)
      if (session && session.state !== 'closed' && session.state !== 'failed-create') {
        tx.after(() => undelivered.clear(row))
        return session
      }
      tx.after(() =>
        undelivered.add(row, session ? `session ${sessionId} is ${session.state}` : `there is no session ${sessionId}`),
      )
    } catch (error) {
      tx.after(() => undelivered.add(row, errorMessage(error)))
    }
    return undefined
  }

  #nudgeMember(tx: Tx, row: ConversationRow, sequence: number, member: MembershipRow, isAddressed: boolean): void {
    const { memberships, transcripts, sessions } = this.options
    const waits = member.nudgedTo > 0 && sessions.withdraw(tx, nameOf(member))
    const from = Math.max(waits ? member.nudgedFrom : sequence, member.acked + 1)
    const nudged = { ...member, nudgedFrom: from, nudgedTo: sequence }
    const messages = transcripts.range(row, from, sequence, MAX_SHOWN).filter(({ kind }) => kind === 'inbound')
    const omitted = Math.max(0, sequence - from + 1 - MAX_SHOWN)
    memberships.update(tx, member, nudged)
    const text = formatReminder({ id: conversationName(row), messages, omitted, isAddressed })
    sessions.nudge(tx, member.sessionId, text, nameOf(nudged))
  }
}

/** Names the nudge that shows these messages. */
const nameOf = ({ conversation, sessionId, nudgedFrom, nudgedTo }: MembershipRow): string =>
  `extmsg-${conversation}-${sessionId}-${nudgedFrom}-${nudgedTo}`
