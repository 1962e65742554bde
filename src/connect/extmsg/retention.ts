import { gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'

interface RetentionOptions {
  store: Store
  clock: Clock
  deadlines: Deadlines
  report(error: unknown): void
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long messages, receipts, and conversations that nobody answers are kept. */
const MESSAGE_AGE = 90 * DAY_MS
const RECEIPT_AGE = 7 * DAY_MS
const CONVERSATION_AGE = 90 * DAY_MS
/** How many rows one write removes. */
const SLICE = 200

type Removal = Statement<unknown, [number, number]>

/** Keeps conversations from growing for ever. */
export class ExternalMessageRetention {
  readonly #removals: readonly { statement: Removal; age: number }[]
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(private readonly options: RetentionOptions) {
    const { store } = options
    const removal = (table: string, key: string, condition: string): Removal =>
      store.prepare(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?2)`)
    this.#removals = [
      { statement: removal('extmsg_messages', 'n', 'recorded_at < ?1'), age: MESSAGE_AGE },
      { statement: removal('extmsg_receipts', 'n', 'created_at < ?1'), age: RECEIPT_AGE },
      { statement: removal('extmsg_memberships', 'conversation', UNUSED_ROUTE('conversation')), age: CONVERSATION_AGE },
      { statement: removal('extmsg_bindings', 'conversation', UNUSED_ROUTE('conversation')), age: CONVERSATION_AGE },
      { statement: removal('extmsg_undelivered', 'conversation', 'since < ?1'), age: CONVERSATION_AGE },
      { statement: removal('extmsg_conversations', 'n', UNUSED), age: CONVERSATION_AGE },
    ]
  }

  /** Runs now, and again an hour after each run. */
  start(): void {
    const { deadlines, report } = this.options
    this.#running = this.#run()
      .catch(report)
      .finally(() => {
        if (!this.#isStopped) this.#next = deadlines.after(HOUR_MS, () => this.start())
      })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#next?.cancel()
    await this.#running
  }

  async #run(): Promise<void> {
    const { store, clock } = this.options
    for (const { statement, age } of this.#removals) {
      const before = clock.now() - age
      while (!this.#isStopped) {
        const { changes } = await store.write((tx) => tx.run(statement, before, SLICE), gcPart('extmsg'))
        if (changes < SLICE) break
      }
    }
  }
}

/** A conversation that a default route bound, and in which nothing happened since. */
const UNUSED_ROUTE = (key: string): string =>
  `${key} IN (SELECT b.conversation FROM extmsg_conversations c JOIN extmsg_bindings b ON b.conversation = c.n
   WHERE c.updated_at < ?1 AND b.routed = 1)`

/** A conversation that nobody answers, and in which nothing happened since. */
const UNUSED = `updated_at < ?1
  AND NOT EXISTS (SELECT 1 FROM extmsg_bindings WHERE conversation = extmsg_conversations.n)
  AND NOT EXISTS (SELECT 1 FROM extmsg_groups WHERE conversation = extmsg_conversations.n)
  AND NOT EXISTS (SELECT 1 FROM extmsg_messages WHERE conversation = extmsg_conversations.n)`
