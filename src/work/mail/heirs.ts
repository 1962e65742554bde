import type { Statement } from 'bun:sqlite'
import { eq } from 'drizzle-orm'
import type { Reactions } from '../../core/events/reactions.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Beads } from '../beads/beads.ts'
import type { Announcer } from './announce.ts'
import type { Directory } from './directory.ts'
import { messages } from './table.ts'

interface Needs {
  store: Store
  beads: Beads
  directory: Directory
  announcer: Announcer
}

/** How much mail one write hands on. */
export const HANDED_ON = 20

/**
 * Hands on the unread mail of those who will never read it: of a session that is over to its agent, whose next session
 * is told of it, and of what is nobody any more to the people of the city. What was read stays where it is.
 */
export class Heirs {
  readonly #unread: Statement<{ id: string }, [string, number, number]>
  readonly #boxes: Statement<{ recipient: string }, []>

  constructor(
    private readonly needs: Needs,
    reactions: Reactions,
  ) {
    this.#unread = needs.store.prepare(
      stablePlan(`SELECT id FROM messages
       WHERE open = 1 AND read = 0 AND recipient = ? AND created_at < ? ORDER BY created_at, id LIMIT ?`),
    )
    this.#boxes = needs.store.prepare("SELECT recipient FROM mail_counts WHERE recipient != '' AND unread > 0")
    reactions.on('mail.heirs', ['bead.closed', 'bead.deleted'], (tx, { subject }) => {
      if (subject !== undefined) this.#give(tx, this.#waiting(subject), () => needs.directory.heirOf(subject))
    })
  }

  /** Boxes with unread mail that nobody will come to. */
  abandoned(): string[] {
    const boxes = this.#boxes.all().map(({ recipient }) => recipient)
    return boxes.filter((box) => this.needs.directory.heir(box) !== undefined)
  }

  /** Hands on some of the unread mail of a box from before a moment, if nobody will come for it; how much went. */
  handOn(tx: Tx, box: string, before: number): number {
    return this.#give(tx, this.#waiting(box, before), () => this.needs.directory.heir(box))
  }

  #waiting = (box: string, before = Number.MAX_SAFE_INTEGER): string[] =>
    this.#unread.all(box, before, HANDED_ON).map(({ id }) => id)

  #give(tx: Tx, letters: readonly string[], heirOf: () => string | undefined): number {
    const { beads, announcer } = this.needs
    const heir = letters.length > 0 ? heirOf() : undefined
    if (heir === undefined) return 0
    for (const id of letters) {
      const beside = () =>
        void tx.orm.update(messages).set({ toSession: null, told: null }).where(eq(messages.id, id)).run()
      beads.change(tx, id, { assignee: heir }, { beside })
      announcer.arrived(tx, id)
    }
    return letters.length
  }
}
