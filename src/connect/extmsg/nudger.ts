import { errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import type { Conversations } from './conversations.ts'
import type { Memberships } from './memberships.ts'
import { type Nudged, nudgeName, parseNudgeName, secondTryOf } from './nudge-name.ts'
import { formatReminder, MAX_SHOWN } from './reminder.ts'
import type { MessagedSession, MessagedSessions } from './sessions.ts'
import type { ConversationRow, MembershipRow, TranscriptRow } from './table.ts'
import type { Transcripts } from './transcripts.ts'
import type { Undelivered } from './undelivered.ts'

interface TranscriptNudgerOptions {
  conversations: Conversations
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
 * what comes before that was typed is shown together. A nudge that failed is tried once more; then a person is asked, and
 * the next message shows what it was to show.
 */
export class TranscriptNudger {
  constructor(private readonly options: TranscriptNudgerOptions) {
    options.sessions.onNudgeEnded((tx, name, result, reason) => {
      if (result === 'failed') this.#tryAgain(tx, name, reason)
    })
  }

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
    const reach = (reason: string) => undelivered.add(tx, row, reason)
    try {
      const session = agentName === '' ? sessions.find(sessionId) : sessions.ensureNamed(tx, agentName)
      if (session && session.state !== 'closed' && session.state !== 'failed-create') {
        undelivered.clear(tx, row)
        return session
      }
      reach(session ? `session ${sessionId} is ${session.state}` : `there is no session ${sessionId}`)
    } catch (error) {
      reach(errorMessage(error))
    }
    return undefined
  }

  #nudgeMember(tx: Tx, row: ConversationRow, sequence: number, member: MembershipRow, isAddressed: boolean): void {
    const from = this.#isUnseen(tx, member) ? member.nudgedFrom : sequence
    const nudged = { ...member, nudgedFrom: Math.max(from, member.acked + 1), nudgedTo: sequence }
    this.options.memberships.update(tx, member, nudged)
    this.#queue(tx, row, nudged, isAddressed, nudgeName(nudged, isAddressed))
  }

  /** Whether its last nudge was not typed yet, or never will be; one that waits is withdrawn. */
  #isUnseen(tx: Tx, member: MembershipRow): boolean {
    const { sessions } = this.options
    if (member.nudgedTo === 0) return false
    const name = nudgeName(member, true)
    const names = [name, secondTryOf(name), nudgeName(member, false)]
    return names.map((each) => sessions.withdraw(tx, each)).includes(true) || sessions.hasFailed(secondTryOf(name))
  }

  #queue(tx: Tx, row: ConversationRow, nudged: Nudged, isAddressed: boolean, name: string): void {
    const { transcripts, sessions } = this.options
    const { nudgedFrom: from, nudgedTo: to, sessionId } = nudged
    const messages = transcripts.range(row, from, to, MAX_SHOWN).filter(({ kind }) => kind === 'inbound')
    const omitted = Math.max(0, to - from + 1 - MAX_SHOWN)
    const text = formatReminder({ id: conversationName(row), messages, omitted, isAddressed })
    sessions.nudge(tx, sessionId, text, name)
  }

  #tryAgain(tx: Tx, name: string, reason: string): void {
    const { conversations, memberships, undelivered } = this.options
    const nudged = parseNudgeName(name)
    const row = nudged && conversations.byNumber(nudged.conversation)
    if (!nudged || !row || !memberships.find(row.n, nudged.sessionId)) return
    if (nudged.isLast) undelivered.add(tx, row, `session ${nudged.sessionId} did not take the last: ${reason}`)
    else this.#queue(tx, row, nudged, true, secondTryOf(name))
  }
}
