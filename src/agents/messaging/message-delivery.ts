import { type Actor, gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { SessionMessageSucceeded, SessionSubmitSucceeded } from '../../work/events.ts'
import type {
  MessageQueue,
  MessageRow,
  SessionEventRecorder,
  SessionRepository,
  SessionRow,
  TurnGate,
} from '../../work/sessions/index.ts'
import type { SessionActivity } from '../conversations/index.ts'
import type { CreateRequests } from './create-requests.ts'
import type { ProgramInput } from './program-input.ts'
import type { SessionRequests } from './requests.ts'

/** Maximum time a program may take to be ready for a message, and for one that waits for its turn to end. */
const READY_TIMEOUT = 30_000
const FOLLOW_UP_TIMEOUT = 600_000
/** A program that wrote nothing for this long need not be watched before something is typed. */
const QUIET = 1_000
/** Delay before a busy or asking program is tried again. */
const RETRY_DELAY = 5_000

/** Delivers queued messages in order: one at a time, once the program can take it, and never twice. */
export class MessageDelivery {
  readonly #running = new Set<string>()
  /** Sessions whose queue should be looked at again after the present delivery. */
  readonly #again = new Set<string>()
  /** Messages that were being typed when the supervisor stopped, by session. */
  readonly #unfinished = new Map<string, MessageRow>()
  readonly #closed = new AbortController()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      repository: SessionRepository
      activity: Pick<SessionActivity, 'lastOutput'>
      queue: MessageQueue
      input: ProgramInput
      requests: SessionRequests
      createRequests: CreateRequests
      recorder: SessionEventRecorder
      turns: TurnGate
    },
  ) {
    const { queue, requests, turns } = peers
    turns.onChange(() => this.#deliverHeld())
    queue.onAdded((session) => this.deliver(session))
    requests.onTimeout((tx, request) => queue.withdraw(tx, request.id))
  }

  /** Delivers what waits for a session, as long as its program runs and takes it. */
  deliver(session: string): void {
    if (this.#closed.signal.aborted) return
    if (this.#running.has(session)) {
      this.#again.add(session)
      return
    }
    this.#running.add(session)
    void this.#deliverAll(session).catch((error) => {
      this.#running.delete(session)
      if (!this.#closed.signal.aborted) this.context.report(`a message to ${session} is stuck: ${errorMessage(error)}`)
    })
  }

  /** Fails what waits for a session that is closed. */
  abandon(tx: Tx, session: string, reason: string): void {
    for (const message of this.peers.queue.waiting(session)) this.#fail(tx, message, reason, 'abandoned')
  }

  /**
   * Decides about messages that were being typed when the supervisor stopped. One that still is in the input line of
   * its program is submitted. Otherwise it is not known whether it arrived, so it is sent again only where a repetition
   * is recognized.
   */
  recover(tx: Tx): void {
    const { queue, input, repository } = this.peers
    for (const message of queue.interrupted(tx)) {
      const row = repository.find(message.sessionId)
      if (input.isRepeatable(row?.hostKey ?? null)) queue.requeue(tx, message)
      else if (!row || keyOf(row) === undefined) this.#fail(tx, message, INTERRUPTED)
      else {
        this.#unfinished.set(row.id, message)
        tx.after(() => this.deliver(row.id))
      }
    }
  }

  close(): void {
    this.#closed.abort(new Error('the city is closing'))
  }

  /** Delivers the messages that waited while their session got no turns. */
  #deliverHeld(): void {
    for (const session of this.peers.queue.counts().keys()) this.deliver(session)
  }

  async #deliverAll(session: string): Promise<void> {
    const { deadlines } = this.context
    const { queue, repository } = this.peers
    await this.#finish(session)
    for (;;) {
      const [message] = queue.waiting(session)
      const row = repository.find(session)
      const key = row && keyOf(row)
      if (!message || !row || key === undefined || this.#closed.signal.aborted) break
      if (this.peers.turns.closedFor(row) !== undefined) break
      if (!(await this.#deliverOne(row, key, message))) {
        deadlines.after(RETRY_DELAY, () => this.deliver(session))
        break
      }
    }
    this.#running.delete(session)
    if (this.#again.delete(session)) this.deliver(session)
  }

  /** Decides about the message that was being typed to a session when the supervisor stopped. */
  async #finish(session: string): Promise<void> {
    const { store } = this.context
    const { repository, input } = this.peers
    const message = this.#unfinished.get(session)
    if (!message || this.#closed.signal.aborted) return
    const row = repository.find(session)
    const key = row && keyOf(row)
    const delivery = row && key !== undefined ? await input.finish(row, key, message, this.#closed.signal) : undefined
    if (this.#closed.signal.aborted) return
    await store.write((tx) => {
      if (row && delivery?.state === 'delivered') this.#succeed(tx, row, message)
      else this.#fail(tx, message, INTERRUPTED)
    }, senderOf(message))
    this.#unfinished.delete(session)
  }

  /** Delivers one message; false when it must be tried again later. */
  async #deliverOne(row: SessionRow, key: string, message: MessageRow): Promise<boolean> {
    const { store, clock } = this.context
    const { queue, input, activity } = this.peers
    if (message.dueAt <= clock.now()) {
      await store.write((tx) => this.#fail(tx, message, 'it could not be delivered in time'), senderOf(message))
      return true
    }
    if (message.intent === 'interrupt_now') await input.interrupt(row).catch(() => {})
    let isTyped = false
    const startedAt = clock.now()
    const delivery = await input.deliver(row, key, message, {
      signal: this.#closed.signal,
      isQuiet: clock.now() - (activity.lastOutput(row.id) ?? Number.POSITIVE_INFINITY) >= QUIET,
      timeout: message.intent === 'follow_up' ? FOLLOW_UP_TIMEOUT : READY_TIMEOUT,
      onTyping: async () => {
        await store.write((tx) => queue.startTyping(tx, message), senderOf(message))
        isTyped = true
      },
    })
    if (delivery.state !== 'delivered' && !isTyped) return this.#closed.signal.aborted
    if (delivery.state === 'queued') {
      await store.write((tx) => queue.requeue(tx, message), senderOf(message))
      return false
    }
    await store.write((tx) => {
      const error = delivery.state === 'delivered' ? undefined : delivery.reason
      this.#recordOperation(tx, row, message, startedAt, error)
      if (error === undefined) this.#succeed(tx, row, message)
      else this.#fail(tx, message, error)
    }, senderOf(message))
    return true
  }

  #recordOperation(tx: Tx, row: SessionRow, { requestId }: MessageRow, startedAt: number, error?: string): void {
    const operation = requestId === null ? 'nudge' : 'message'
    const details = { delivered: error === undefined, ...(error !== undefined && { error }) }
    this.peers.recorder.operation(tx, row, operation, startedAt, details)
  }

  #succeed(tx: Tx, row: SessionRow, message: MessageRow): void {
    const { clock } = this.context
    const { queue, repository, requests, createRequests } = this.peers
    queue.end(tx, message, 'delivered')
    repository.update(tx, row.id, { nudgedAt: clock.now() })
    const accepted = message.requestId === null ? undefined : requests.get(message.requestId)
    if (!accepted) return
    const facts = { subject: row.id, session_id: row.id }
    const payload = { request_id: accepted.id, session_id: row.id }
    if (accepted.operation === 'session.create') createRequests.succeed(tx, row.id)
    if (accepted.operation === 'session.message') {
      requests.succeed(tx, accepted.id, SessionMessageSucceeded, facts, payload)
    }
    if (accepted.operation === 'session.submit') {
      const submitted = { ...payload, queued: false, intent: message.intent }
      requests.succeed(tx, accepted.id, SessionSubmitSucceeded, facts, submitted)
    }
  }

  #fail(tx: Tx, message: MessageRow, reason: string, outcome: 'failed' | 'abandoned' = 'failed'): void {
    const { queue, requests, createRequests } = this.peers
    queue.end(tx, message, outcome, reason)
    const accepted = message.requestId === null ? undefined : requests.get(message.requestId)
    if (!accepted) return
    const code = accepted.operation === 'session.submit' ? 'submit_failed' : 'message_failed'
    if (accepted.operation === 'session.create') createRequests.fail(tx, message.sessionId, reason)
    else requests.fail(tx, accepted, code, reason)
  }
}

const INTERRUPTED = 'the supervisor stopped while it was being typed'

/** The name under which the host knows the program of a session that takes messages. */
const keyOf = ({ hostKey, pid, state }: SessionRow): string | undefined =>
  hostKey !== null && pid !== null && state === 'active' ? hostKey : undefined

/** Sender of a message; unknown for messages of an earlier version. */
const senderOf = ({ sender }: MessageRow): Actor => sender ?? gcPart('messages')
