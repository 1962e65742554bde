import { and, asc, eq, sql } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Delivery } from '../../host/terminal/deliver.ts'
import { SessionMessageSucceeded, SessionSubmitSucceeded } from '../sessions/events.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SubmitIntent } from '../sessions/schema.ts'
import { type MessageRow, type SessionRow, sessionMessages } from '../sessions/table.ts'
import type { SessionRequests } from './requests.ts'
import type { TypeOptions } from './terminal-input.ts'

/** `prompt`: its first one, which comes before whatever waits already. */
type Intent = SubmitIntent | 'prompt'

/** How long a program may take to be ready for a message, and for one that waits for its turn to end. */
const READY_TIMEOUT = 30_000
const FOLLOW_UP_TIMEOUT = 600_000
/** How long to wait before a busy or asking program is tried again. */
const RETRY_DELAY = 5_000
/** How long a message waits for its session, when no request waits for it. */
const DEFAULT_LIMIT = 24 * 3_600_000

interface Parts {
  store: Store
  clock: Clock
  deadlines: Deadlines
  book: SessionRepository
  outcomes: SessionRequests
  /** Brings a message to a session's program; says what became of it. */
  deliver(row: SessionRow, key: string, message: MessageRow, options: TypeOptions): Promise<Delivery>
  /** Whether a message can be brought to a program twice and is taken once. */
  repeatable(key: string | null): boolean
  interrupt(row: SessionRow): Promise<void>
  /** A message was brought to a session's program, or could not be. */
  told(tx: Tx, row: SessionRow, message: MessageRow, began: number, failure: string | undefined): void
  /** A session was asked for with a first message, and that has been delivered, or could not be. */
  created(tx: Tx, session: string, failure: string | undefined): void
  report(message: string): void
}

/** Hears how a message ended that was queued under a name; `abandoned` because its session is over. */
export type MessageEnd = (tx: Tx, request: string, how: 'delivered' | 'failed' | 'abandoned', reason: string) => void

/** What is said to sessions: kept in order, typed one at a time once the program can take it, never twice. */
export class Messages {
  readonly #pumping = new Set<string>()
  /** Whose program became free while it was told something. */
  readonly #again = new Set<string>()
  readonly #closed = new AbortController()
  readonly #ends: MessageEnd[] = []

  constructor(private readonly parts: Parts) {}

  /** Puts a text in a session's queue. */
  queue(tx: Tx, session: string, body: string, more: { intent?: Intent; request?: string; limit?: number } = {}): void {
    const now = this.parts.clock.now()
    tx.orm
      .insert(sessionMessages)
      .values({
        sessionId: session,
        requestId: more.request ?? null,
        intent: more.intent ?? 'default',
        body,
        state: 'queued',
        createdAt: now,
        dueAt: now + (more.limit ?? DEFAULT_LIMIT),
      })
      .run()
    tx.after(() => this.pump(session))
  }

  onEnd(hear: MessageEnd): void {
    this.#ends.push(hear)
  }

  /** How many messages wait, by session. */
  waiting(): Map<string, number> {
    const counted = this.parts.store.read((orm) =>
      orm
        .select({ id: sessionMessages.sessionId, n: sql<number>`count(*)` })
        .from(sessionMessages)
        .where(sql`state = 'queued'`)
        .groupBy(sessionMessages.sessionId)
        .all(),
    )
    return new Map(counted.map(({ id, n }) => [id, n]))
  }

  /** Delivers what waits for a session, as soon as and as long as its program runs. */
  pump(session: string): void {
    if (this.#closed.signal.aborted) return
    if (this.#pumping.has(session)) {
      this.#again.add(session)
      return
    }
    this.#pumping.add(session)
    void this.#run(session).catch((error) => {
      this.#pumping.delete(session)
      if (!this.#closed.signal.aborted) this.parts.report(`a message to ${session} is stuck: ${errorMessage(error)}`)
    })
  }

  /** Gives up what waits for a session that is over. */
  abandon(tx: Tx, session: string, reason: string): void {
    for (const message of this.#queued(session)) this.#failed(tx, message, reason, 'abandoned')
  }

  /** Whether a message of this request still waits or is being typed. */
  pending(request: string): boolean {
    return this.parts.store.read((orm) => {
      const mine = eq(sessionMessages.requestId, request)
      const found = orm.select().from(sessionMessages).where(and(mine, sql`state IN ('queued', 'typing')`)).get()
      return found !== undefined
    })
  }

  /** Whether the message of this request was given up. */
  firstFailed(request: string): boolean {
    return this.parts.store.read((orm) => {
      const mine = eq(sessionMessages.requestId, request)
      return (
        orm
          .select()
          .from(sessionMessages)
          .where(and(mine, eq(sessionMessages.state, 'failed')))
          .get() !== undefined
      )
    })
  }

  /** Takes a message back because its request was given up. */
  withdraw(tx: Tx, request: string): void {
    tx.orm
      .update(sessionMessages)
      .set({ state: 'failed', reason: 'timeout', endedAt: this.parts.clock.now() })
      .where(and(eq(sessionMessages.requestId, request), sql`state = 'queued'`))
      .run()
  }

  /** Messages that wait have the time again that they had before the clock was set. */
  shift(tx: Tx, ms: number): void {
    const dueAt = sql`due_at + ${ms}`
    tx.orm.update(sessionMessages).set({ dueAt }).where(sql`state = 'queued'`).run()
  }

  /** Whether a message that was being typed when the supervisor stopped arrived is not known; it is not typed again. */
  recover(tx: Tx): void {
    const cut = tx.orm.select().from(sessionMessages).where(sql`state = 'typing'`).all()
    for (const message of cut) {
      if (this.parts.repeatable(this.parts.book.find(message.sessionId)?.hostKey ?? null))
        this.#mark(tx, message, 'queued')
      else this.#failed(tx, message, 'the supervisor stopped while it was being typed')
    }
  }

  close(): void {
    this.#closed.abort(new Error('the city is closing'))
  }

  async #run(session: string): Promise<void> {
    for (;;) {
      const [message] = this.#queued(session)
      const row = this.parts.book.find(session)
      if (!message || !row?.hostKey || row.pid === null || row.state !== 'active' || this.#closed.signal.aborted) break
      if (!(await this.#say(row, row.hostKey, message))) {
        this.parts.deadlines.after(RETRY_DELAY, () => this.pump(session))
        break
      }
    }
    this.#pumping.delete(session)
    if (this.#again.delete(session)) this.pump(session)
  }

  /** Says one message; false when it has to be tried again later. */
  async #say(row: SessionRow, key: string, message: MessageRow): Promise<boolean> {
    const { store, clock, interrupt } = this.parts
    if (message.dueAt <= clock.now()) {
      await store.write((tx) => this.#failed(tx, message, 'it could not be delivered in time'))
      return true
    }
    if (message.intent === 'interrupt_now') await interrupt(row).catch(() => {})
    let typed = false
    const began = clock.now()
    const delivery = await this.parts.deliver(row, key, message, {
      signal: this.#closed.signal,
      timeout: message.intent === 'follow_up' ? FOLLOW_UP_TIMEOUT : READY_TIMEOUT,
      onTyping: async () => {
        await store.write((tx) => this.#begin(tx, message))
        typed = true
      },
    })
    if (delivery.state !== 'delivered' && !typed) return this.#closed.signal.aborted
    if (delivery.state === 'queued') {
      await store.write((tx) => this.#mark(tx, message, 'queued'))
      return false
    }
    await store.write((tx) => {
      const delivered = delivery.state === 'delivered'
      this.parts.told(tx, row, message, began, delivered ? undefined : delivery.reason)
      if (delivered) this.#delivered(tx, row, message)
      else this.#failed(tx, message, delivery.reason)
    })
    return true
  }

  #queued(session: string): MessageRow[] {
    return this.parts.store.read((orm) =>
      orm
        .select()
        .from(sessionMessages)
        .where(and(eq(sessionMessages.sessionId, session), sql`state = 'queued'`))
        .orderBy(
          sql`CASE intent WHEN 'prompt' THEN 0 WHEN 'interrupt_now' THEN 1 WHEN 'follow_up' THEN 3 ELSE 2 END`,
          asc(sessionMessages.id),
        )
        .all(),
    )
  }

  /** From here on the message is typed at most once; one that was given up meanwhile is not typed at all. */
  #begin(tx: Tx, message: MessageRow): void {
    const now = tx.orm.select().from(sessionMessages).where(eq(sessionMessages.id, message.id)).get()
    if (now?.state !== 'queued') throw new Error('the message was given up')
    this.#mark(tx, message, 'typing')
  }

  #mark(tx: Tx, { id }: MessageRow, state: MessageRow['state'], reason = ''): void {
    const endedAt = state === 'delivered' || state === 'failed' ? this.parts.clock.now() : null
    tx.orm.update(sessionMessages).set({ state, reason, endedAt }).where(eq(sessionMessages.id, id)).run()
  }

  #delivered(tx: Tx, row: SessionRow, message: MessageRow): void {
    this.#mark(tx, message, 'delivered')
    this.#tellEnd(tx, message, 'delivered', '')
    this.parts.book.update(tx, row.id, { nudgedAt: this.parts.clock.now() })
    const accepted = message.requestId === null ? undefined : this.parts.outcomes.get(message.requestId)
    if (!accepted) return
    const facts = { actor: 'api', subject: row.id, session_id: row.id }
    const payload = { request_id: accepted.id, session_id: row.id }
    if (accepted.operation === 'session.create') this.parts.created(tx, row.id, undefined)
    if (accepted.operation === 'session.message') {
      this.parts.outcomes.succeed(tx, accepted.id, SessionMessageSucceeded, facts, payload)
    }
    if (accepted.operation === 'session.submit') {
      const submitted = { ...payload, queued: false, intent: message.intent }
      this.parts.outcomes.succeed(tx, accepted.id, SessionSubmitSucceeded, facts, submitted)
    }
  }

  #failed(tx: Tx, message: MessageRow, reason: string, how: 'failed' | 'abandoned' = 'failed'): void {
    this.#mark(tx, message, 'failed', reason)
    this.#tellEnd(tx, message, how, reason)
    const accepted = message.requestId === null ? undefined : this.parts.outcomes.get(message.requestId)
    if (!accepted) return
    const code = accepted.operation === 'session.submit' ? 'submit_failed' : 'message_failed'
    if (accepted.operation === 'session.create') this.parts.created(tx, message.sessionId, reason)
    else this.parts.outcomes.fail(tx, accepted, code, reason)
  }

  #tellEnd(tx: Tx, { requestId }: MessageRow, how: 'delivered' | 'failed' | 'abandoned', reason: string): void {
    if (requestId !== null) for (const hear of this.#ends) hear(tx, requestId, how, reason)
  }
}
