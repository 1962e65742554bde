import { eq } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import { Signal } from '../../core/signal.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { type ConversationRow, conversations, type UndeliveredRow, undelivered } from './table.ts'

/** A conversation whose messages reach no one. */
export interface UndeliveredConversation {
  readonly row: ConversationRow
  readonly known: UndeliveredRow
}

const MAX = 100
/** Maximum stored length of a message. */
const MAX_SAID = 500

/** The conversations whose last message reached no one. */
export class Undelivered {
  readonly #known: Map<number, UndeliveredRow>
  readonly #changes = new Signal()

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    const rows = store.read((orm) => orm.select().from(undelivered).all())
    this.#known = new Map(rows.map((row) => [row.conversation, row]))
  }

  /** True if another conversation can be added. */
  get hasRoom(): boolean {
    return this.#known.size < MAX
  }

  all(): UndeliveredConversation[] {
    return this.store.read((orm) =>
      orm
        .select({ row: conversations, known: undelivered })
        .from(undelivered)
        .innerJoin(conversations, eq(conversations.n, undelivered.conversation))
        .all(),
    )
  }

  find({ n }: Pick<ConversationRow, 'n'>): UndeliveredRow | undefined {
    return this.#known.get(n)
  }

  add(tx: Tx, { n }: Pick<ConversationRow, 'n'>, reason: string, said = ''): void {
    const known = this.#known.get(n)
    if (known ? known.reason === reason && known.said === said : !this.hasRoom) return
    const row = { conversation: n, reason, said: said.slice(0, MAX_SAID), since: known?.since ?? this.clock.now() }
    tx.orm.insert(undelivered).values(row).onConflictDoUpdate({ target: undelivered.conversation, set: row }).run()
    tx.after(() => {
      this.#known.set(n, row)
      this.#changed()
    })
  }

  clear(tx: Tx, { n }: Pick<ConversationRow, 'n'>): void {
    if (!this.#known.has(n)) return
    tx.orm.delete(undelivered).where(eq(undelivered.conversation, n)).run()
    tx.after(() => {
      this.#known.delete(n)
      this.#changed()
    })
  }

  readonly onChange = this.#changes.listen

  #changed(): void {
    this.#changes.emit()
  }
}

/** Reason messages reach no one, with the last of them if no transcript has it. */
export const undeliveredText = ({ reason, said }: UndeliveredRow): string =>
  `${reason}${said === '' ? '' : `. The last: ${said}`}`
