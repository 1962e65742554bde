import { eq, sql } from 'drizzle-orm'
import type { CityConfig } from '../../config/city/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import type { EventDefinition, EventLog, Reactions } from '../../core/events/index.ts'
import { randomHex } from '../../core/ids.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { BeadImporter, BeadRepository } from '../beads/index.ts'
import {
  MailArchived,
  MailDeleted,
  MailMarkedRead,
  MailMarkedUnread,
  MailRead,
  MailReplied,
  MailSent,
} from '../events.ts'
import { MAIL_PREFIX, MailKey } from '../metadata.ts'
import type { Message } from '../schema.ts'
import type { MessageQueue, SessionRepository } from '../sessions/index.ts'
import { type Address, HUMAN, MailDirectory, type MailRecipients, routesOf } from './directory.ts'
import { MailForwarder } from './forwarder.ts'
import { MailLists } from './lists.ts'
import { replySubject, type StoredMessage, toMessage, validateMessage } from './message.ts'
import { MailNotifier } from './notifier.ts'
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
} from './schema.ts'
import { type Sender, senderOf } from './sender.ts'
import { messages } from './table.ts'

/** Mail between sessions, agents and people. A message is a bead; it stays until it is archived. */
export class Mail {
  readonly retention: MailRetention
  readonly #lists: MailLists
  readonly #updater: MessageUpdater
  readonly #directory: MailDirectory

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's name. */
      city: string
      reactions: Reactions
      beads: BeadRepository
      config: { readonly current: MailRecipients & { readonly mail: Pick<CityConfig['mail'], 'retentionTtl'> } }
      sessions: SessionRepository
      queue: MessageQueue
    },
  ) {
    const { store, log } = context
    const { beads, config, sessions, reactions, queue } = options
    const lists = new MailLists(store)
    const updater = new MessageUpdater(lists, beads, log)
    const directory = new MailDirectory(config, sessions)
    const notifier = new MailNotifier({ reactions, lists, directory, sessions, queue })
    this.#lists = lists
    this.#updater = updater
    this.#directory = directory
    this.retention = new MailRetention(context, {
      beads,
      forwarder: new MailForwarder(context, { reactions, beads, directory, notifier }),
      ttl: () => config.current.mail.retentionTtl,
      archive: (tx, id, reason) => updater.archive(tx, id, MailArchived, { reason }),
    })
    beads.registerProjection('message', (ids) => lists.metadata(ids))
    beads.registerImporter('message', messageImporter)
  }

  /** Messages newest first: the unread ones, or all that are not archived. */
  list({ agent, status: requested, rig, ...page }: MailQuery): MailListBody {
    const status = requested || 'unread'
    if (status !== 'unread' && status !== 'all') {
      throw new AppError('invalid-request', `status may be unread or all, not "${status}"`)
    }
    return this.#lists.list(this.#routes(agent), status === 'unread', page, this.#label(rig))
  }

  /** The newest unread messages of others to people, and how many there are. */
  unreadByPeople(limit: number): { messages: Message[]; unread: number } {
    const { messages, unread } = this.#lists.unreadFromOthers(HUMAN, limit)
    return { messages: messages.map((row) => toMessage(row, undefined)), unread }
  }

  /** Everything in one recipient's inbox, newest first. */
  inbox(caller: Caller, { agent, ...page }: InboxQuery): MailListBody {
    return this.#lists.list(this.#routes(agent || ownName(caller)), false, page, this.#label(undefined))
  }

  /** The newest message of each thread, newest first. */
  threads({ agent, ...page }: InboxQuery): MailListBody {
    return this.#lists.threads(this.#routes(agent), page, this.#label(undefined))
  }

  count({ agent }: MailCountQuery): MailCountOutputBody {
    return this.#lists.count(this.#routes(agent))
  }

  /** A thread by its own id or that of one of its messages, oldest first. */
  thread(id: string, rig?: string): MailListBody {
    return this.#lists.thread(id, this.#label(rig))
  }

  /** True if a message is for this session; one that does not exist is no one's, and everybody may be told so. */
  isFor(id: string, session: string): boolean {
    const message = this.#lists.find(id)
    const row = this.options.sessions.find(session)
    if (!message || !row) return message === undefined
    return message.to_session === session || routesOf(row).includes(message.recipient)
  }

  get(id: string, rig?: string): Message {
    return toMessage(this.#updater.getOpen(id), this.#label(rig))
  }

  /** A message as its sender was answered, under the label that it was sent with. */
  sent(id: string, rig: string): Message {
    const message = this.#lists.find(id)
    if (!message) throw mailNotFound(id)
    return toMessage(message, rig)
  }

  send(caller: Caller, { to, subject, body = '', from, rig = '' }: MailSendInputBody): Promise<Message> {
    return this.context.store.write(
      (tx) => {
        validateMessage(subject, body)
        const sender = this.#senderOf(caller, from)
        const draft = { from: sender, to: this.#directory.addressFor(to), subject, body, thread: createThreadId() }
        return this.#post(tx, MailSent, draft, rig)
      },
      actorOf(caller, from),
    )
  }

  /** Sends a message from gc itself to the people of the city. */
  notifyPeople(tx: Tx, subject: string, body: string): void {
    this.notify(tx, HUMAN, subject, body)
  }

  /** Sends a message from gc itself; throws for a name that no one has. */
  notify(tx: Tx, to: string, subject: string, body: string): void {
    validateMessage(subject, body)
    const thread = createThreadId()
    const draft = { from: { name: 'gc' }, to: this.#directory.addressFor(to), subject, body, thread }
    this.#post(tx, MailSent, draft, '')
  }

  /** Replies to the sender of a message, in the same thread. */
  reply(
    caller: Caller,
    id: string,
    { from, subject, body = '' }: MailReplyInputBody,
    { rig }: { rig?: string | undefined } = {},
  ): Promise<Message> {
    return this.context.store.write(
      (tx) => {
        const original = this.#updater.getOpen(id)
        const draft = {
          from: this.#senderOf(caller, from),
          to: this.#returnAddress(original),
          subject: replySubject(subject, original.title, body),
          body,
          thread: original.thread,
          replyTo: id,
        }
        validateMessage(draft.subject, body)
        return this.#post(tx, MailReplied, draft, this.#label(rig))
      },
      actorOf(caller, from),
    )
  }

  read(caller: Caller, id: string, rig?: string): Promise<OKResponseBody> {
    return this.#update(caller, 'read', (tx) =>
      this.#updater.mark(tx, this.#updater.getOpen(id), MailMarkedRead, { rig }),
    )
  }

  markUnread(caller: Caller, id: string, rig?: string): Promise<OKResponseBody> {
    return this.#update(caller, 'unread', (tx) =>
      this.#updater.mark(tx, this.#updater.getOpen(id), MailMarkedUnread, { rig }),
    )
  }

  /** Takes a message out of every list; archiving one that is archived or gone changes nothing. */
  archive(caller: Caller, id: string, rig?: string): Promise<OKResponseBody> {
    return this.#update(caller, 'archived', (tx) => this.#updater.archive(tx, id, MailArchived, { rig }))
  }

  /** Archives a message and records that as a deletion: its bead stays, closed. */
  delete(caller: Caller, id: string, rig?: string): Promise<OKResponseBody> {
    return this.#update(caller, 'deleted', (tx) => this.#updater.archive(tx, id, MailDeleted, { rig }))
  }

  /** Marks a message and returns it; one that is marked as read here was read by the caller. */
  patch(caller: Caller, id: string, { read, archived }: MailPatch): Promise<Message> {
    return this.context.store.write((tx) => {
      const message = archived === undefined ? this.#updater.getOpen(id) : this.#lists.find(id)
      if (!message) throw mailNotFound(id)
      if (archived === false && message.open === 0) this.options.beads.reopen(tx, id)
      if (read === true) this.#updater.mark(tx, message, MailRead)
      if (read === false) this.#updater.mark(tx, message, MailMarkedUnread)
      if (archived === true) this.#updater.archive(tx, id, MailArchived)
      return toMessage(this.#lists.find(id) ?? message, this.#label(undefined))
    }, actorOf(caller))
  }

  #post(tx: Tx, event: EventDefinition, draft: MessageDraft, rig: string): Message {
    const { from, to, subject, body, thread, replyTo } = draft
    const labels = [`thread:${thread}`, ...(replyTo ? [`reply-to:${replyTo}`] : [])]
    const bead = this.options.beads.add(
      tx,
      {
        title: subject,
        description: body,
        type: 'message',
        from: from.name,
        assignee: to.route,
        labels,
        ephemeral: true,
      },
      { writeSideTable: (id) => insertMessage(tx, id, draft) },
    )
    const stored = this.#lists.find(bead.id)
    if (!stored) throw new Error(`message ${bead.id} has no row`)
    const message = toMessage(stored, rig)
    const facts = {
      subject: bead.id,
      ...(from.session && { session_id: from.session }),
      ...(from.claimed !== undefined && { message: `sent by a person as ${from.claimed}` }),
    }
    this.context.log.append(tx, event, facts, { rig, message })
    return message
  }

  #senderOf(caller: Caller, label: string | undefined): Sender {
    return senderOf(caller, this.options.city, label, (name) => this.#directory.isName(name))
  }

  /** Reply address. */
  #returnAddress({ id, sender, from_session: session }: StoredMessage): Address {
    const address = session === null ? undefined : this.#directory.returnAddress(session)
    if (address) return { ...address, display: sender || address.display }
    const name = sender.trim()
    if (name === '') {
      throw new AppError('invalid-request', `message ${id} does not say who sent it; send a new one instead`)
    }
    try {
      return this.#directory.addressFor(name)
    } catch {
      return { route: name, display: name }
    }
  }

  async #update(caller: Caller, status: string, work: (tx: Tx) => void): Promise<OKResponseBody> {
    return this.context.store.write((tx) => {
      work(tx)
      return { status }
    }, actorOf(caller))
  }

  #routes(agent: string | undefined): string[] | undefined {
    return agent?.trim() ? this.#directory.routesFor(agent) : undefined
  }

  #label(rig: string | undefined): string {
    return rig || this.options.city
  }
}

const ownName = (caller: Caller): string => (caller.kind === 'session' ? caller.session : HUMAN)

/** A message to send. */
interface MessageDraft {
  from: Sender
  to: Address
  subject: string
  body: string
  thread: string
  replyTo?: string
}

/** Writes the row of a message beside its bead. */
function insertMessage(tx: Tx, id: string, { from, to, thread, replyTo }: MessageDraft): void {
  const row = {
    id,
    thread,
    replyTo: replyTo ?? null,
    fromSession: from.session ?? null,
    fromClaimed: from.claimed ?? null,
    toSession: to.session ?? null,
    toDisplay: to.display,
    recipient: to.route,
    open: true,
    createdAt: sql`(SELECT created_at FROM beads WHERE id = ${id})`,
  }
  tx.orm.insert(messages).values(row).run()
}

/** Restores a message from its imported bead: from the labels, and the metadata that the bead showed. */
const messageImporter: BeadImporter = {
  owns: (key) => key.startsWith(MAIL_PREFIX),
  import(tx, { id, labels, assignee, created_at: createdAt }, metadata) {
    const all: string[] = JSON.parse(labels)
    const afterPrefix = (prefix: string) => all.find((label) => label.startsWith(prefix))?.slice(prefix.length)
    const read = metadata[MailKey.read] === undefined ? all.includes('read') : metadata[MailKey.read] === 'true'
    const row = {
      thread: afterPrefix('thread:') ?? createThreadId(),
      replyTo: afterPrefix('reply-to:') ?? null,
      fromSession: metadata[MailKey.fromSessionId] ?? null,
      fromClaimed: metadata[MailKey.fromClaimed] ?? null,
      toSession: metadata[MailKey.toSessionId] ?? null,
      toDisplay: metadata[MailKey.toDisplay] ?? assignee,
      read,
      createdAt,
    }
    const open = sql<boolean>`(SELECT closed = 0 FROM beads WHERE id = ${id})`
    tx.orm
      .insert(messages)
      .values({ ...row, id, recipient: assignee, open })
      .onConflictDoNothing()
      .run()
    tx.orm.update(messages).set({ read }).where(eq(messages.id, id)).run()
  },
}

/** A new id for a mail thread: `thread-` and 12 hex characters. */
const createThreadId = (): string => `thread-${randomHex(6)}`

/** Options for the event of an update. */
interface UpdateOptions {
  /** The label that the request had. */
  rig?: string | undefined
  /** Reason it was archived, when no one requested it. */
  reason?: string
}

/** Marks and archives messages; the event says how. What changes nothing is not recorded. */
class MessageUpdater {
  constructor(
    private readonly lists: MailLists,
    private readonly beads: BeadRepository,
    private readonly log: EventLog,
  ) {}

  /** A message that is not archived; throws `mail-not-found` when there is none. */
  getOpen(id: string): StoredMessage {
    const message = this.lists.find(id)
    if (message?.open === 1) return message
    throw mailNotFound(id)
  }

  /** Marks a message as the event says: as unread, or else as read. */
  mark(tx: Tx, message: StoredMessage, event: EventDefinition, { rig = '' }: UpdateOptions = {}): void {
    const read = event !== MailMarkedUnread
    if ((message.read === 1) === read) return
    const writeSideTable = () => {
      tx.orm.update(messages).set({ read }).where(eq(messages.id, message.id)).run()
    }
    this.beads.change(tx, message.id, {}, { writeSideTable })
    this.log.append(tx, event, { subject: message.id }, { rig })
  }

  /** Takes a message out of every list; one that is archived already, or gone, stays so. */
  archive(tx: Tx, id: string, event: EventDefinition, { rig = '', reason }: UpdateOptions = {}): void {
    const message = this.lists.find(id)
    if (!message && this.beads.find(id)) throw mailNotFound(id)
    if (!message || message.open === 0) return
    this.beads.close(tx, id, reason)
    this.log.append(tx, event, { subject: id }, { rig })
  }
}

const mailNotFound = (id: string): AppError =>
  new AppError('mail-not-found', `message ${id} does not exist, or was archived`)
