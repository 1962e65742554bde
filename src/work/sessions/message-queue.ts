import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import { Signal } from '../../core/signal.ts'
import { command, query, type Store, type Tx } from '../../core/store/index.ts'
import type { SubmitIntent } from './schema.ts'
import { type MessageRow, sessionMessages } from './table.ts'

/** `prompt` is a session's first prompt, which comes before whatever waits already. */
export type MessageIntent = SubmitIntent | 'prompt'

export interface MessageOptions {
  intent?: MessageIntent
  /** The accepted request that the message completes, or another name to withdraw it by. */
  request?: string
  /** Maximum time it may wait, in milliseconds; a day when absent. */
  limit?: number
}

/** The outcome of a message; `abandoned` if its session closed first. */
export type MessageOutcome = 'delivered' | 'failed' | 'abandoned'

/** Called in the write that ends a message with a request name. */
type MessageEndListener = (tx: Tx, request: string, outcome: MessageOutcome, reason: string) => void

/** Time a message waits for its session when no request waits for it. */
const DEFAULT_LIMIT = 24 * 3_600_000

const COUNTS = query<{ id: string; n: number }>(
  `SELECT id, count(*) AS n FROM (
     SELECT session_id AS id FROM session_messages WHERE state = 'queued'
     UNION ALL SELECT session_id FROM session_messages WHERE state = 'typing'
   ) GROUP BY id`,
)

const STATE = query<Pick<MessageRow, 'state'>, [number]>('SELECT state FROM session_messages WHERE id = ?')
const SET_STATE = command<[MessageRow['state'], number]>('UPDATE session_messages SET state = ? WHERE id = ?')
const END = command<[MessageRow['state'], number, number]>(
  'UPDATE session_messages SET state = ?, ended_at = ? WHERE id = ?',
)

/** Columns of a message; its sender is JSON. */
const COLUMNS = Object.entries(getTableColumns(sessionMessages))
  .map(([key, { name }]) => `${name} AS ${key}`)
  .join(', ')

const WAITING = query<Omit<MessageRow, 'sender'> & { sender: string | null }, [string]>(
  `SELECT ${COLUMNS} FROM session_messages WHERE session_id = ? AND state = 'queued'
   ORDER BY CASE intent WHEN 'prompt' THEN 0 WHEN 'interrupt_now' THEN 1 WHEN 'follow_up' THEN 3 ELSE 2 END, id`,
)

/** The messages of sessions and the outcome of them, as rows. */
export class MessageQueue {
  readonly #added = new Signal<[session: string]>()
  readonly #ended = new Signal<Parameters<MessageEndListener>>()

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Adds a message to a session's queue. */
  add(tx: Tx, session: string, body: string, { intent, request, limit = DEFAULT_LIMIT }: MessageOptions = {}): void {
    tx.orm
      .insert(sessionMessages)
      .values({
        sessionId: session,
        requestId: request ?? null,
        intent: intent ?? 'default',
        body,
        state: 'queued',
        dueAt: this.clock.now() + limit,
        sender: tx.actor,
      })
      .run()
    tx.after(() => this.#added.emit(session))
  }

  /** Calls the listener with the session of every message that was added, once it is on disk. */
  readonly onAdded = this.#added.listen

  /** Number of messages that wait or are being delivered, by session. */
  counts(): Map<string, number> {
    return new Map(this.store.all(COUNTS).map(({ id, n }) => [id, n]))
  }

  /** Messages that wait for a session, in the order of delivery. */
  waiting(session: string): MessageRow[] {
    const rows = this.store.all(WAITING, session)
    return rows.map((row) => ({ ...row, sender: row.sender === null ? null : JSON.parse(row.sender) }))
  }

  /** True if a message of this request waits or is being typed. */
  isPending(request: string): boolean {
    return this.#has(request, sql`state IN ('queued', 'typing')`)
  }

  /** True if the message of this request could not be delivered. */
  hasFailed(request: string): boolean {
    return this.#has(request, sql`state = 'failed'`)
  }

  /** Takes a waiting message back because no one waits for its request any more; false when none waits. */
  withdraw(tx: Tx, request: string): boolean {
    const withdrawn = tx.orm
      .update(sessionMessages)
      .set({ state: 'failed', endedAt: this.clock.now() })
      .where(and(eq(sessionMessages.requestId, request), sql`state = 'queued'`))
      .returning({ id: sessionMessages.id })
      .all()
    return withdrawn.length > 0
  }

  /** Moves the due times of waiting messages by as much as the clock was changed. */
  shift(tx: Tx, ms: number): void {
    tx.orm
      .update(sessionMessages)
      .set({ dueAt: sql`due_at + ${ms}` })
      .where(sql`state = 'queued'`)
      .run()
  }

  /** Messages that were being typed when the supervisor stopped. */
  interrupted(tx: Tx): MessageRow[] {
    return tx.orm.select().from(sessionMessages).where(sql`state = 'typing'`).all()
  }

  /** Marks a message as being typed, from where on it is typed at most once; throws when it was withdrawn. */
  startTyping(tx: Tx, { id }: MessageRow): void {
    if (tx.get(STATE, id)?.state !== 'queued') throw new Error('the message was withdrawn')
    tx.run(SET_STATE, 'typing', id)
  }

  requeue(tx: Tx, { id }: MessageRow): void {
    tx.run(SET_STATE, 'queued', id)
  }

  end(tx: Tx, { id, requestId }: MessageRow, outcome: MessageOutcome, reason = ''): void {
    tx.run(END, outcome === 'delivered' ? 'delivered' : 'failed', this.clock.now(), id)
    if (requestId !== null) this.#ended.emit(tx, requestId, outcome, reason)
  }

  /** Calls the listener when a message with a request id is delivered, fails or is abandoned, but not when it is withdrawn. */
  readonly onEnd = this.#ended.listen

  #has(request: string, states: ReturnType<typeof sql>): boolean {
    const row = this.store.read((orm) =>
      orm
        .select({ id: sessionMessages.id })
        .from(sessionMessages)
        .where(and(eq(sessionMessages.requestId, request), states))
        .get(),
    )
    return row !== undefined
  }
}
