import { and, eq, lte } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { OutboundResult } from './message-schema.ts'
import { type ReceiptRow, receipts } from './table.ts'

/** What tells one message of a session from its others, with what it says. */
export interface ReceiptKey {
  readonly conversation: number
  readonly sessionId: string
  readonly key: string
  readonly digest: string
}

/** How many receipts a city keeps. */
const MAX_RECEIPTS = 20_000

/** What became of messages that carried a key. */
export class Receipts {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  static keyFor(conversation: number, sessionId: string, key: string, text: string): ReceiptKey {
    return { conversation, sessionId, key, digest: new Bun.CryptoHasher('sha256').update(text).digest('hex') }
  }

  static nameOf({ conversation, sessionId, key }: ReceiptKey): string {
    return `${conversation} ${sessionId} ${key}`
  }

  find(key: ReceiptKey): ReceiptRow | undefined {
    return this.store.read((orm) => orm.select().from(receipts).where(isOf(key)).get())
  }

  /** Says, before a message is sent, that it may have been. */
  begin(tx: Tx, key: ReceiptKey): void {
    const { n } = tx.orm
      .insert(receipts)
      .values({ ...key, createdAt: this.clock.now() })
      .returning()
      .get()
    tx.orm
      .delete(receipts)
      .where(lte(receipts.n, n - MAX_RECEIPTS))
      .run()
  }

  finish(tx: Tx, key: ReceiptKey, result: OutboundResult): void {
    tx.orm.update(receipts).set({ result }).where(isOf(key)).run()
  }
}

const isOf = ({ conversation, sessionId, key }: ReceiptKey) =>
  and(eq(receipts.conversation, conversation), eq(receipts.sessionId, sessionId), eq(receipts.key, key))
