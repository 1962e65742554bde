import { eq } from 'drizzle-orm'
import { fenceText } from '../../config/providers/prompt.ts'
import type { RecordedEvent } from '../../core/events/event.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import type { Tx } from '../../core/store.ts'
import { type Correspondent, type Directory, type Register, routesOf } from './directory.ts'
import type { LetterRow } from './letter.ts'
import type { MailLists } from './lists.ts'
import { messages } from './table.ts'

interface Needs {
  reactions: Reactions
  lists: MailLists
  directory: Directory
  sessions: Register
  /** Puts a text in a session's queue, under a name by which it can be taken back. */
  nudge(tx: Tx, session: string, text: string, name: string): void
  /** Takes the texts of a name back that still wait. */
  withdraw(tx: Tx, name: string): void
}

/** How much of a body is typed to a session; the rest it reads itself. */
const SHOWN = 2000
/** How many waiting messages a session that starts is told of by subject. */
const LISTED = 20

/**
 * Tells sessions of their mail: a running one when it comes, one that starts of what waited for it. Each incarnation
 * is told of a message once, and mail for an agent is told to one of its sessions.
 */
export class Announcer {
  constructor(private readonly needs: Needs) {
    const types = ['mail.sent', 'mail.replied', 'session.woke']
    needs.reactions.on('mail.announce', types, (tx, recorded) => this.#react(tx, recorded))
  }

  #react(tx: Tx, { type, subject, session_id }: RecordedEvent): void {
    if (type === 'session.woke') this.#started(tx, session_id ?? '')
    else this.arrived(tx, subject ?? '')
  }

  /** Tells a running session of a message that came into its box. */
  arrived(tx: Tx, id: string): void {
    const letter = this.needs.lists.row(id)
    if (!letter || letter.open === 0 || letter.read === 1 || this.#isTold(letter)) return
    const [session] = this.needs.directory
      .running(letter.recipient, letter.to_session)
      .filter(({ id }) => id !== letter.from_session)
    if (session) this.#tell(tx, session, [letter], arrival(letter))
  }

  #started(tx: Tx, id: string): void {
    const session = this.needs.sessions.find(id)
    if (session?.state !== 'active' || session.pid === null) return
    const waiting = this.needs.lists
      .unread(routesOf(session), LISTED)
      .filter((letter) => letter.from_session !== id && !this.#isTold(letter))
    const [first, ...others] = waiting
    if (!first) return
    for (const told of new Set(waiting.map((letter) => letter.told)))
      if (told?.startsWith(`${id}/`)) this.needs.withdraw(tx, nameOf(told))
    this.#tell(tx, session, waiting, others.length === 0 ? arrival(first) : summary(waiting))
  }

  #tell(tx: Tx, session: Correspondent, letters: readonly LetterRow[], text: string): void {
    const told = incarnation(session)
    for (const { id } of letters) tx.orm.update(messages).set({ told }).where(eq(messages.id, id)).run()
    this.needs.nudge(tx, session.id, text, nameOf(told))
  }

  /** Whether a program that still runs was told. */
  #isTold({ told }: LetterRow): boolean {
    const session = told === null ? undefined : this.needs.sessions.find(told.slice(0, told.lastIndexOf('/')))
    return session?.state === 'active' && session.pid !== null && incarnation(session) === told
  }
}

const incarnation = ({ id, generation }: Correspondent): string => `${id}/${generation}`

/** What an incarnation is told goes under one name: what the last one was not told any more, the next is told anew. */
const nameOf = (told: string): string => `mail-${told}`

function arrival(letter: LetterRow): string {
  const { id, sender, title, description } = letter
  const body = description.length > SHOWN ? `${description.slice(0, SHOWN)}…` : description
  const text = fenceText(`Subject: ${title}\n\n${body}`.trimEnd(), `${sender || 'nobody'}, by mail`)
  return `You have mail: message ${id}. Read it with \`gc mail read ${id}\`, answer with \`gc mail reply ${id} -m "…"\`.\n${text}`
}

function summary(letters: readonly LetterRow[]): string {
  const lines = letters.map(({ id, sender, title }) => `${id} from ${sender || 'nobody'}: ${title}`)
  return `You have unread mail: \`gc mail inbox\` lists it, \`gc mail read <id>\` shows one.\n${fenceText(lines.join('\n'), 'your inbox')}`
}
