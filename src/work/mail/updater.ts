import { eq } from 'drizzle-orm'
import { AppError } from '../../core/errors.ts'
import type { EventDefinition } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Tx } from '../../core/store.ts'
import type { BeadRepository } from '../beads/repository.ts'
import { MailMarkedUnread } from './events.ts'
import type { MailLists } from './lists.ts'
import type { StoredMessage } from './message.ts'
import { messages } from './table.ts'

/** What the event of an update says. */
interface UpdateOptions {
  /** The label that the request had. */
  rig?: string | undefined
  /** Why it was archived, when nobody requested it. */
  reason?: string
}

/** Marks and archives messages; the event says how. What changes nothing is not recorded. */
export class MessageUpdater {
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

export const mailNotFound = (id: string): AppError =>
  new AppError('mail-not-found', `message ${id} does not exist, or was archived`)
