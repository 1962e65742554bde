import { eq } from 'drizzle-orm'
import { AppError } from '../../core/errors.ts'
import type { EventDefinition } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Tx } from '../../core/store.ts'
import type { Beads } from '../beads/beads.ts'
import { MailMarkedUnread } from './events.ts'
import type { LetterRow } from './letter.ts'
import type { MailLists } from './lists.ts'
import { messages } from './table.ts'

/** What is said with a change of a message. */
interface Said {
  /** The label it was asked with. */
  rig?: string | undefined
  actor?: string
  /** Why it was archived, when nobody asked for it. */
  reason?: string
}

/** The actor of what is done to a message over the wire. */
const ACTOR = 'api'

/** How a message is marked and archived; the event says by which name. What changes nothing is not recorded. */
export class Marks {
  constructor(
    private readonly lists: MailLists,
    private readonly beads: Beads,
    private readonly log: EventLog,
  ) {}

  /** A message that is in somebody's box. */
  need(id: string): LetterRow {
    const row = this.lists.row(id)
    if (row?.open === 1) return row
    throw missing(id)
  }

  mark(tx: Tx, row: LetterRow, event: EventDefinition, { rig = '', actor = ACTOR }: Said = {}): void {
    const read = event !== MailMarkedUnread
    if ((row.read === 1) === read) return
    const beside = () => tx.orm.update(messages).set({ read }).where(eq(messages.id, row.id)).run()
    this.beads.change(tx, row.id, {}, { beside })
    this.log.append(tx, event, { actor, subject: row.id }, { rig })
  }

  /** Takes a message out of every list; one that is out already, or gone, stays so. */
  close(tx: Tx, id: string, event: EventDefinition, { rig = '', actor = ACTOR, reason }: Said = {}): void {
    const row = this.lists.row(id)
    if (!row && this.beads.find(id)) throw missing(id)
    if (!row || row.open === 0) return
    this.beads.close(tx, id, reason)
    this.log.append(tx, event, { actor, subject: id }, { rig })
  }
}

export const missing = (id: string): AppError =>
  new AppError('mail-not-found', `message ${id} does not exist, or was archived`)
