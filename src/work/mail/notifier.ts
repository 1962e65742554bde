import { eq } from 'drizzle-orm'
import { fenceText } from '../../config/providers/index.ts'
import type { Reactions, RecordedEvent } from '../../core/events/index.ts'
import type { Tx } from '../../core/store/index.ts'
import type { MessageQueue, SessionRepository, SessionRow } from '../sessions/index.ts'
import { isNotifiable, type MailDirectory, routesOf } from './directory.ts'
import type { MailLists } from './lists.ts'
import type { StoredMessage } from './message.ts'
import { describeSender } from './sender.ts'
import { messages } from './table.ts'

export interface MailNotifierOptions {
  reactions: Reactions
  lists: MailLists
  directory: MailDirectory
  sessions: SessionRepository
  queue: MessageQueue
}

/** Number of characters of a body that are typed to a session; the rest it reads itself. */
const MAX_BODY = 2000
/** Maximum waiting messages listed by subject in the nudge of a starting session. */
const MAX_LISTED = 20

/**
 * Notifies sessions of their mail: a running one when a message arrives, one that starts of what waits for it. Each run
 * of a session is notified of a message once, and mail for an agent goes to one of its sessions.
 */
export class MailNotifier {
  constructor(private readonly options: MailNotifierOptions) {
    const types = ['mail.sent', 'mail.replied', 'session.woke']
    options.reactions.on('mail.announce', types, (tx, recorded) => this.#react(tx, recorded))
  }

  #react(tx: Tx, { type, subject, session_id }: RecordedEvent): void {
    if (type === 'session.woke') this.#notifyStarted(tx, session_id ?? '')
    else this.notifyArrival(tx, subject ?? '')
  }

  /** Notifies a running session of a message that arrived in its inbox. */
  notifyArrival(tx: Tx, id: string): void {
    const { lists, directory } = this.options
    const message = lists.find(id)
    if (!message || message.open === 0 || message.read === 1 || this.#isNotified(message)) return
    const [session] = directory
      .listRunning(message.recipient, message.to_session)
      .filter(({ id }) => id !== message.from_session)
    if (session) this.#notify(tx, session, [message], formatArrival(message))
  }

  #notifyStarted(tx: Tx, id: string): void {
    const { lists, sessions, queue } = this.options
    const session = sessions.find(id)
    if (!session || !isNotifiable(session)) return
    const waiting = lists
      .unread(routesOf(session), MAX_LISTED)
      .filter((message) => message.from_session !== id && !this.#isNotified(message))
    const [first, ...others] = waiting
    if (!first) return
    for (const incarnation of new Set(waiting.map((message) => message.incarnation))) {
      if (incarnation?.startsWith(`${id}/`)) queue.withdraw(tx, nudgeName(incarnation))
    }
    this.#notify(tx, session, waiting, others.length === 0 ? formatArrival(first) : formatSummary(waiting))
  }

  #notify(tx: Tx, session: SessionRow, notified: readonly StoredMessage[], text: string): void {
    const incarnation = incarnationOf(session)
    for (const { id } of notified) {
      tx.orm.update(messages).set({ notifiedIncarnation: incarnation }).where(eq(messages.id, id)).run()
    }
    this.options.queue.add(tx, session.id, text, { request: nudgeName(incarnation) })
  }

  /** True if a session was notified of the message and the same run of it still continues. */
  #isNotified({ incarnation }: StoredMessage): boolean {
    if (incarnation === null) return false
    const session = this.options.sessions.find(incarnation.slice(0, incarnation.lastIndexOf('/')))
    return session !== undefined && isNotifiable(session) && incarnationOf(session) === incarnation
  }
}

const incarnationOf = ({ id, generation }: SessionRow): string => `${id}/${generation}`

/** All nudges of one run share a name: what was not delivered to it is withdrawn when the next run is notified. */
const nudgeName = (incarnation: string): string => `mail-${incarnation}`

function formatArrival(message: StoredMessage): string {
  const { id, title, description } = message
  const body = description.length > MAX_BODY ? `${description.slice(0, MAX_BODY)}…` : description
  const text = fenceText(`Subject: ${title}\n\n${body}`.trimEnd(), `${describeSender(message)}, by mail`)
  return `You have mail: message ${id}. Read it with \`gc mail read ${id}\`, answer with \`gc mail reply ${id} -m "…"\`.\n${text}`
}

function formatSummary(waiting: readonly StoredMessage[]): string {
  const lines = waiting.map((message) => `${message.id} from ${describeSender(message)}: ${message.title}`)
  return `You have unread mail: \`gc mail inbox\` lists it, \`gc mail read <id>\` shows one.\n${fenceText(lines.join('\n'), 'your inbox')}`
}
