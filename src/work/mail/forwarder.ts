import { eq } from 'drizzle-orm'
import type { CityContext } from '../../core/city-context.ts'
import type { Reactions } from '../../core/events/index.ts'
import { query, stablePlan, type Tx } from '../../core/store/index.ts'
import type { BeadRepository } from '../beads/index.ts'
import type { MailDirectory } from './directory.ts'
import type { MailNotifier } from './notifier.ts'
import { messages } from './table.ts'

/** Maximum messages that one write forwards. */
export const MAX_FORWARDED = 20

const UNREAD = query<{ id: string }, [string, number, number]>(
  stablePlan(`SELECT id FROM messages
       WHERE open = 1 AND read = 0 AND recipient = ? AND created_at < ? ORDER BY created_at, id LIMIT ?`),
)

const INBOXES = query<{ recipient: string }>("SELECT recipient FROM mail_counts WHERE recipient != '' AND unread > 0")

/**
 * Forwards the unread mail of recipients who will never read it: that of a closed session to its agent, whose next
 * session is notified, and that of a name which no longer exists to the people of the city. Read mail stays.
 */
export class MailForwarder {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      reactions: Reactions
      beads: BeadRepository
      directory: MailDirectory
      notifier: MailNotifier
    },
  ) {
    const { reactions, directory } = peers
    reactions.on('mail.heirs', ['bead.closed', 'bead.deleted'], (tx, { subject }) => {
      if (subject === undefined) return
      this.#forwardTo(tx, this.#listUnread(subject, Number.MAX_SAFE_INTEGER), () => directory.successorOf(subject))
    })
  }

  /** The inboxes with unread mail that no one will read. */
  abandonedInboxes(): string[] {
    const inboxes = this.context.store.all(INBOXES).map(({ recipient }) => recipient)
    return inboxes.filter((inbox) => this.peers.directory.successorAt(inbox) !== undefined)
  }

  /** Forwards some of the unread mail of an abandoned inbox that arrived before a time; returns how much. */
  forward(tx: Tx, inbox: string, before: number): number {
    return this.#forwardTo(tx, this.#listUnread(inbox, before), () => this.peers.directory.successorAt(inbox))
  }

  #listUnread(inbox: string, before: number): string[] {
    return this.context.store.all(UNREAD, inbox, before, MAX_FORWARDED).map(({ id }) => id)
  }

  #forwardTo(tx: Tx, ids: readonly string[], findSuccessor: () => string | undefined): number {
    const { beads, notifier } = this.peers
    const successor = ids.length > 0 ? findSuccessor() : undefined
    if (successor === undefined) return 0
    for (const id of ids) {
      const writeSideTable = () => {
        tx.orm.update(messages).set({ toSession: null, notifiedIncarnation: null }).where(eq(messages.id, id)).run()
      }
      beads.change(tx, id, { assignee: successor }, { writeSideTable })
      notifier.notifyArrival(tx, id)
    }
    return ids.length
  }
}
