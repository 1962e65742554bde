import { and, count, desc, eq, lt, sql } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import type { ConversationRef } from './schema.ts'
import { type ConversationRow, conversations } from './table.ts'

/** Query for every message, built once. */
function prepareFind({ orm }: Store) {
  const is = (name: keyof ConversationRef) => eq(conversations[name], sql.placeholder(name))
  return orm
    .select()
    .from(conversations)
    .where(
      and(
        ...[is('conversation_id'), is('account_id'), is('provider'), is('scope_id'), is('kind')],
        is('parent_conversation_id'),
      ),
    )
    .prepare()
}

/** The rows of conversations. */
export class Conversations {
  readonly #find: ReturnType<typeof prepareFind>

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    this.#find = prepareFind(store)
  }

  find({ parent_conversation_id = '', ...ref }: ConversationRef): ConversationRow | undefined {
    return this.#find.get({ ...ref, parent_conversation_id })
  }

  byNumber(n: number): ConversationRow | undefined {
    return this.store.read((orm) => orm.select().from(conversations).where(eq(conversations.n, n)).get())
  }

  /** The row of a conversation, which is made when there is none. */
  ensure(tx: Tx, ref: ConversationRef): ConversationRow {
    const { parent_conversation_id = '', ...rest } = ref
    return (
      this.find(ref) ??
      tx.orm
        .insert(conversations)
        .values({ ...rest, parent_conversation_id, head: 0, generation: 0, updatedAt: this.clock.now() })
        .returning()
        .get()
    )
  }

  /** Counts a message; returns its sequence. */
  nextSequence(tx: Tx, { n }: ConversationRow): number {
    return this.#update(tx, n, { head: sql`head + 1` }).head
  }

  /** Counts a binding; returns its generation. */
  nextGeneration(tx: Tx, { n }: ConversationRow): number {
    return this.#update(tx, n, { generation: sql`generation + 1` }).generation
  }

  /** The newest first, below a number. */
  page(before: number, limit: number): ConversationRow[] {
    return this.store.read((orm) =>
      orm
        .select()
        .from(conversations)
        .where(lt(conversations.n, before))
        .orderBy(desc(conversations.n))
        .limit(limit)
        .all(),
    )
  }

  count(): number {
    return this.store.read((orm) => orm.select({ n: count() }).from(conversations).get()?.n ?? 0)
  }

  #update(tx: Tx, n: number, change: object): ConversationRow {
    return tx.orm
      .update(conversations)
      .set({ ...change, updatedAt: this.clock.now() })
      .where(eq(conversations.n, n))
      .returning()
      .get()
  }
}

/** A row as the wire names it. */
export const toRef = (row: ConversationRow): ConversationRef => ({
  scope_id: row.scope_id,
  provider: row.provider,
  account_id: row.account_id,
  conversation_id: row.conversation_id,
  ...(row.parent_conversation_id && { parent_conversation_id: row.parent_conversation_id }),
  kind: row.kind,
})
