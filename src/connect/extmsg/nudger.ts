import { fenceText } from '../../config/providers/index.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import type { MessageQueue, SessionRow, SessionWaker } from '../../work/sessions/index.ts'
import type { Conversations } from './conversations.ts'
import type { Memberships } from './memberships.ts'
import type { MessagedSessions } from './sessions.ts'
import type { ConversationRow, MembershipRow, TranscriptRow } from './table.ts'
import type { Transcripts } from './transcripts.ts'
import type { Undelivered } from './undelivered.ts'

interface TranscriptNudgerOptions {
  conversations: Conversations
  memberships: Memberships
  transcripts: Transcripts
  sessions: MessagedSessions
  waker: SessionWaker
  queue: MessageQueue
  undelivered: Undelivered
}

/** Session that must reply to a message. */
export interface NudgeTarget {
  readonly sessionId: string
  readonly agentName: string
}

/** Name of a conversation in gc. */
export const conversationName = ({ n }: Pick<ConversationRow, 'n'>): string => `c${n}`

/**
 * Notifies the sessions that follow a conversation of a message. A session has one nudge of a conversation waiting at
 * most: what comes before that was typed is shown together. A nudge that failed is tried once more; then a person is
 * asked, and the next message shows what it was to show.
 */
export class TranscriptNudger {
  constructor(private readonly options: TranscriptNudgerOptions) {
    options.queue.onEnd((tx, name, outcome, reason) => {
      if (outcome === 'failed') this.#tryAgain(tx, name, reason)
    })
  }

  /** Queues a message for the session that answers it and for the running sessions that follow; returns the former. */
  nudge(tx: Tx, row: ConversationRow, { sequence }: TranscriptRow, target: NudgeTarget): string {
    const { memberships, sessions, waker } = this.options
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
    if (addressed) waker.wakeIfAsleep(tx, addressed.id)
    return addressed?.id ?? target.sessionId
  }

  /** The session that answers; if none can, undefined, and a person is notified. */
  #resolve(tx: Tx, row: ConversationRow, { sessionId, agentName }: NudgeTarget): SessionRow | undefined {
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

  /** True if its last nudge was not typed yet, or never will be; one that waits is withdrawn. */
  #isUnseen(tx: Tx, member: MembershipRow): boolean {
    const { queue } = this.options
    if (member.nudgedTo === 0) return false
    const name = nudgeName(member, true)
    const names = [name, secondTryOf(name), nudgeName(member, false)]
    return names.map((each) => queue.withdraw(tx, each)).includes(true) || queue.hasFailed(secondTryOf(name))
  }

  #queue(tx: Tx, row: ConversationRow, nudged: Nudged, isAddressed: boolean, name: string): void {
    const { transcripts, queue } = this.options
    const { nudgedFrom: from, nudgedTo: to, sessionId } = nudged
    const messages = transcripts.range(row, from, to, MAX_SHOWN).filter(({ kind }) => kind === 'inbound')
    const omitted = Math.max(0, to - from + 1 - MAX_SHOWN)
    const text = formatReminder({ id: conversationName(row), messages, omitted, isAddressed })
    queue.add(tx, sessionId, text, { request: name })
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

/** Messages that a nudge shows, with the recipient. */
type Nudged = Pick<MembershipRow, 'conversation' | 'sessionId' | 'nudgedFrom' | 'nudgedTo'>

/** Names a nudge. One that its session is to answer is tried again once. */
const nudgeName = ({ conversation, sessionId, nudgedFrom, nudgedTo }: Nudged, isAddressed: boolean): string =>
  `extmsg-${isAddressed ? 'answer' : 'follow'}-${conversation}-${nudgedFrom}-${nudgedTo}-${sessionId}`

const AGAIN = 'again-'

/** Names the second try of a nudge. */
const secondTryOf = (name: string): string => `${AGAIN}${name}`

/** Messages of a nudge, and whether it may be retried once; undefined for other names. */
function parseNudgeName(name: string): (Nudged & { isLast: boolean }) | undefined {
  const [, again, conversation, from, to, sessionId] =
    /^(again-)?extmsg-answer-(\d+)-(\d+)-(\d+)-(.+)$/.exec(name) ?? []
  if (sessionId === undefined) return undefined
  const isLast = again !== undefined
  return { conversation: Number(conversation), nudgedFrom: Number(from), nudgedTo: Number(to), sessionId, isLast }
}

/** Maximum messages in a reminder, and maximum characters of each. */
const MAX_SHOWN = 20
const MAX_BODY = 2_000
const MAX_NAME = 80

interface ReminderSubject {
  /** Name of the conversation in gc. */
  readonly id: string
  readonly messages: readonly TranscriptRow[]
  /** Number of messages that came before those. */
  readonly omitted: number
  /** True if the session is to answer, or only follows. */
  readonly isAddressed: boolean
}

/** Text typed to a session when external messages arrive: it fences their contents, like mail. */
function formatReminder({ id, messages, omitted, isAddressed }: ReminderSubject): string {
  const count = messages.length + omitted
  const first = isAddressed
    ? `You have ${count === 1 ? 'a message' : `${count} messages`} from outside in conversation ${id}. Answer with \`gc extmsg send ${id} "…"\`; nothing else that you write is seen there.`
    : `For your information: ${count === 1 ? 'a message' : `${count} messages`} in conversation ${id}, which another session is to answer.`
  const earlier =
    omitted > 0 ? [`Read all with \`gc extmsg transcript ${id}\`: ${omitted} earlier ones are not shown.`] : []
  return [first, ...earlier, fenceText(messages.map(show).join('\n\n'), 'people outside, by messenger')].join('\n')
}

function show({ actor, body, attachments }: TranscriptRow): string {
  const text = plain(body)
  const shown = text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}…` : text
  const files = attachments?.length ? `\n(${attachments.length} attached)` : ''
  return `${nameOf(actor)}: ${shown}${files}`
}

const nameOf = ({ display_name, id, is_bot }: TranscriptRow['actor']): string => {
  const name =
    plain(display_name || id)
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, MAX_NAME) || 'somebody'
  return is_bot ? `${name} (a bot)` : name
}

/** Without control characters and marks that hide or turn text around, but for the ends of lines. */
const plain = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[[\p{Cc}\p{Cf}\u2028\u2029]--[\n\u200d]]/gv, ' ')
