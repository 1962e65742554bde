import { sql } from 'drizzle-orm'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { EventDefinition } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Beads } from '../beads/beads.ts'
import { speaker } from '../speaker.ts'
import { Announcer } from './announce.ts'
import { type Address, Directory, HUMAN, type Register } from './directory.ts'
import {
  MailArchived,
  MailDeleted,
  MailMarkedRead,
  MailMarkedUnread,
  MailRead,
  MailReplied,
  MailSent,
} from './events.ts'
import { Heirs } from './heirs.ts'
import { mailIntake } from './intake.ts'
import { checkLetter, type LetterRow, subjectOf, toMessage } from './letter.ts'
import { MailLists } from './lists.ts'
import { Marks, missing } from './marks.ts'
import { MailRetention } from './retention.ts'
import type {
  InboxQuery,
  MailCountOutputBody,
  MailCountQuery,
  MailListBody,
  MailPatch,
  MailQuery,
  MailReplyInputBody,
  MailSendInputBody,
  Message,
} from './schema.ts'
import { type Sender, senderOf } from './sender.ts'
import { messages } from './table.ts'
import { createThreadId } from './thread-id.ts'

interface Needs {
  /** The city's name. */
  city: string
  store: Store
  log: EventLog
  clock: Clock
  deadlines: Deadlines
  reactions: Reactions
  beads: Beads
  config: Pick<Config, 'current'>
  sessions: Register
  /** Puts a text in a session's queue, under a name by which it can be taken back. */
  nudge(tx: Tx, session: string, text: string, name: string): void
  withdraw(tx: Tx, name: string): void
  report(error: unknown): void
}

/** A letter about to be sent. */
interface Draft {
  from: Sender
  to: Address
  subject: string
  body: string
  thread: string
  replyTo?: string
}

/** Mail between sessions, agents and people. A message is a bead; it stays until it is archived. */
export class Mail {
  readonly retention: MailRetention
  readonly #lists: MailLists
  readonly #marks: Marks
  readonly #directory: Directory

  constructor(private readonly needs: Needs) {
    const { store, config, sessions, reactions, nudge, withdraw } = needs
    this.#lists = new MailLists(store)
    this.#marks = new Marks(this.#lists, needs.beads, needs.log)
    this.#directory = new Directory(config, sessions)
    const directory = this.#directory
    const announcer = new Announcer({ reactions, lists: this.#lists, directory, sessions, nudge, withdraw })
    const { beads, clock, deadlines, report } = needs
    this.retention = new MailRetention({
      ...{ store, clock, deadlines, beads, report },
      heirs: new Heirs({ store, beads, directory, announcer }, reactions),
      ttl: () => config.current.mail.retentionTtl,
      archive: (tx, id, reason) => this.#marks.close(tx, id, MailArchived, { actor: 'gc', reason }),
    })
    needs.beads.projects('message', (ids) => this.#lists.metadata(ids))
    needs.beads.takesIn('message', mailIntake)
  }

  /** Messages newest first: the unread ones, or all that are not archived. */
  list({ agent, status, rig, ...page }: MailQuery): MailListBody {
    const wanted = status || 'unread'
    if (wanted !== 'unread' && wanted !== 'all') {
      throw new AppError('invalid-request', `status may be unread or all, not "${wanted}"`)
    }
    return this.#lists.list(this.#routes(agent), wanted === 'unread', page, this.#label(rig))
  }

  /** Everything in one recipient's box, newest first. */
  inbox(caller: Caller, { agent, ...page }: InboxQuery): MailListBody {
    return this.#lists.list(this.#routes(agent || ownName(caller)), false, page, this.#label(undefined))
  }

  /** One row a thread, the newest first: its newest message. */
  threads({ agent, ...page }: InboxQuery): MailListBody {
    return this.#lists.threads(this.#routes(agent), page, this.#label(undefined))
  }

  count({ agent }: MailCountQuery): MailCountOutputBody {
    return this.#lists.count(this.#routes(agent))
  }

  /** A thread by its own id or that of one of its messages, oldest first. */
  thread(id: string, rig?: string): MailListBody {
    const items = this.#lists.thread(id, this.#label(rig))
    return { items, total: items.length }
  }

  get(id: string, rig?: string): Message {
    return toMessage(this.#marks.need(id), this.#label(rig))
  }

  send(caller: Caller, letter: MailSendInputBody, once: SaveResponse = withoutReplay): Promise<Message> {
    const { to, subject, body = '', from, rig } = letter
    return this.needs.store.write((tx) => {
      checkLetter(subject, body)
      const sender = senderOf(caller, this.needs.city, from)
      const draft = { from: sender, to: this.#directory.address(to), subject, body, thread: createThreadId() }
      return once(tx, this.#post(tx, MailSent, draft, rig ?? ''))
    })
  }

  /** Writes to the people of the city in gc's own name. */
  tell(tx: Tx, subject: string, body: string): void {
    checkLetter(subject, body)
    const draft = { from: { name: 'gc' }, to: { route: HUMAN, shown: HUMAN }, subject, body, thread: createThreadId() }
    this.#post(tx, MailSent, draft, '')
  }

  /** Answers a message: its sender gets the reply, in the same thread. */
  reply(
    caller: Caller,
    id: string,
    { from, subject, body = '' }: MailReplyInputBody,
    { rig, once = withoutReplay }: { rig?: string | undefined; once?: SaveResponse } = {},
  ): Promise<Message> {
    return this.needs.store.write((tx) => {
      const answered = this.#marks.need(id)
      const draft = {
        from: senderOf(caller, this.needs.city, from),
        to: this.#back(answered),
        subject: subjectOf(subject, answered.title, body),
        body,
        thread: answered.thread,
        replyTo: id,
      }
      checkLetter(draft.subject, body)
      return once(tx, this.#post(tx, MailReplied, draft, this.#label(rig)))
    })
  }

  read(id: string, rig?: string): Promise<OKResponseBody> {
    return this.#done('read', (tx) => this.#marks.mark(tx, this.#marks.need(id), MailMarkedRead, { rig }))
  }

  markUnread(id: string, rig?: string): Promise<OKResponseBody> {
    return this.#done('unread', (tx) => this.#marks.mark(tx, this.#marks.need(id), MailMarkedUnread, { rig }))
  }

  /** Takes a message out of every list; archiving what is archived or gone changes nothing. */
  archive(id: string, rig?: string): Promise<OKResponseBody> {
    return this.#done('archived', (tx) => this.#marks.close(tx, id, MailArchived, { rig }))
  }

  /** The same as archiving, under the name of a deletion: its bead stays, closed. */
  delete(id: string, rig?: string): Promise<OKResponseBody> {
    return this.#done('deleted', (tx) => this.#marks.close(tx, id, MailDeleted, { rig }))
  }

  /** Marks a message and answers with it: what is marked as read here was read by the caller. */
  patch(caller: Caller, id: string, { read, archived }: MailPatch): Promise<Message> {
    return this.needs.store.write((tx) => {
      const row = archived === undefined ? this.#marks.need(id) : this.#find(id)
      if (!row) throw missing(id)
      if (archived === false && row.open === 0) this.needs.beads.reopen(tx, id)
      if (read === true) this.#marks.mark(tx, row, MailRead, { actor: speaker(caller, undefined) })
      if (read === false) this.#marks.mark(tx, row, MailMarkedUnread)
      if (archived === true) this.#marks.close(tx, id, MailArchived)
      return toMessage(this.#find(id) ?? row, this.#label(undefined))
    })
  }

  #post(tx: Tx, sent: EventDefinition, draft: Draft, rig: string): Message {
    const { from, to, subject, body, thread, replyTo } = draft
    const bead = this.needs.beads.add(
      tx,
      {
        title: subject,
        description: body,
        type: 'message',
        from: from.name,
        assignee: to.route,
        labels: [`thread:${thread}`, ...(replyTo ? [`reply-to:${replyTo}`] : [])],
        ephemeral: true,
      },
      {
        beside: (id) => {
          const row = {
            id,
            thread,
            replyTo: replyTo ?? null,
            fromSession: from.session ?? null,
            fromClaimed: from.claimed ?? null,
            toSession: to.session ?? null,
            toDisplay: to.shown,
            recipient: to.route,
            open: true,
            createdAt: sql`(SELECT created_at FROM beads WHERE id = ${id})`,
          }
          tx.orm.insert(messages).values(row).run()
        },
      },
    )
    const message = this.#message(bead.id, rig)
    const facts = { actor: from.name, subject: bead.id, ...(from.session && { session_id: from.session }) }
    this.needs.log.append(tx, sent, facts, { rig, message })
    return message
  }

  #message(id: string, rig: string): Message {
    const row = this.#lists.row(id)
    if (!row) throw new Error(`message ${id} has no row`)
    return toMessage(row, rig)
  }

  /** Where an answer goes. */
  #back(answered: LetterRow): Address {
    const session = answered.from_session === null ? undefined : this.#directory.back(answered.from_session)
    if (session) return { ...session, shown: answered.sender || session.shown }
    const name = answered.sender.trim()
    if (name === '') {
      throw new AppError('invalid-request', `message ${answered.id} does not say who sent it; send a new one instead`)
    }
    try {
      return this.#directory.address(name)
    } catch {
      return { route: name, shown: name }
    }
  }

  async #done(status: string, work: (tx: Tx) => void): Promise<OKResponseBody> {
    await this.needs.store.write((tx) => void work(tx))
    return { status }
  }

  #find(id: string): LetterRow | undefined {
    return this.#lists.row(id)
  }

  #routes(agent: string | undefined): string[] | undefined {
    return agent?.trim() ? this.#directory.routes(agent) : undefined
  }

  #label(rig: string | undefined): string {
    return rig || this.needs.city
  }
}

const ownName = (caller: Caller): string => (caller.kind === 'session' ? caller.session : HUMAN)
