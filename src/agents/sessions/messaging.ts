import type { Actor } from '../../core/actor.ts'
import { parseDuration } from '../../core/durations.ts'
import { AppError, errorMessage, invalidField } from '../../core/errors.ts'
import { type QuestionOption, SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { toPlainText } from '../../host/terminal/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { AsyncAcceptedBody, OKWithIDResponseBody } from '../../http/schema.ts'
import { SessionSubmitSucceeded } from '../../work/events.ts'
import {
  HELD,
  isRunning,
  type PendingList,
  type Respond,
  type Responded,
  type SessionMessage,
  type SessionPending,
  type SessionRow,
  type SessionSubmit,
  type SubmitIntent,
} from '../../work/sessions/index.ts'
import { MESSAGE_LIMIT, pendingOf, selectOptions, textFor } from '../messaging/index.ts'
import {
  type Choice,
  describeOutcome,
  type GroupAnswer,
  type GroupAnswered,
  identityOf,
  numberOf,
  type QuestionAnswer,
  type QuestionList,
  QuestionOver,
  type QuestionRow,
  type QuestionView,
  questionId,
  toView,
} from '../questions/index.ts'
import type { SessionParts } from './parts.ts'
import type { Conversation, Heartbeat } from './runtime-schema.ts'

interface Sending {
  message: string
  operation: 'session.message' | 'session.submit'
  intent: SubmitIntent
}

const DEFAULT_HEARTBEAT = 45 * 60_000
/** Reason why a program continues in another conversation. */
const CONTINUES: ReadonlySet<string> = new Set(['clear', 'resume', 'compact', 'fork'])
const MAX_HEARTBEAT = 24 * 3_600_000

/** Messages to sessions, their questions with the answers, and their reports about their own runs. */
export class SessionMessaging {
  constructor(private readonly parts: SessionParts) {}

  message(token: string, caller: Caller, { message }: SessionMessage): Promise<AsyncAcceptedBody> {
    return this.#send(token, caller, { message, operation: 'session.message', intent: 'default' })
  }

  submit(token: string, caller: Caller, { message, intent = 'default' }: SessionSubmit): Promise<AsyncAcceptedBody> {
    return this.#send(token, caller, { message, operation: 'session.submit', intent })
  }

  async #send(token: string, caller: Caller, sending: Sending): Promise<AsyncAcceptedBody> {
    const { message, operation, intent } = sending
    const { store, repository, launchPlanner, creator, waker, queue, requests } = this.parts
    const row = await creator.findOrCreate(token, caller)
    if (row.state === 'failed-create') throw new AppError(SESSION_CONFLICT, `session ${row.id} is failed-create`)
    const cursor = requests.head
    return store.write((tx) => {
      const request = requests.accept(tx, operation, row.id)
      const answer = requests.answer(request, cursor)
      const isFollowUp = operation === 'session.submit' && intent === 'follow_up'
      if (isFollowUp && launchPlanner.transport(row) === 'acp') {
        requests.fail(tx, request, 'submit_failed', 'follow_up is not supported by sessions that use ACP')
        return answer
      }
      queue.add(tx, row.id, message, { intent, ...(!isFollowUp && { request: request.id, limit: MESSAGE_LIMIT }) })
      if (HELD.has(repository.get(row.id).state)) waker.release(tx, row.id)
      if (!isFollowUp) return answer
      const facts = { subject: row.id, session_id: row.id }
      const payload = { request_id: request.id, session_id: row.id, queued: true, intent }
      requests.succeed(tx, request.id, SessionSubmitSucceeded, facts, payload)
      return answer
    }, actorOf(caller))
  }

  /** Open question of a session, if any. */
  pending(token: string): SessionPending {
    return pendingOf(this.parts, this.parts.resolver.resolve(token))
  }

  /** Everything that sessions ask now, as clients of the contract see it. */
  listPending(): PendingList {
    const items = this.parts.questions
      .open()
      .map(({ sessionId, request, question }) => ({ session_id: sessionId, request_id: request, kind: question.kind }))
    return { items, total: items.length }
  }

  /** Questions of a session with their answers, oldest first. */
  history(token: string): QuestionList {
    const { questions, resolver } = this.parts
    const items = questions.history(resolver.resolve(token, { past: true }).id).map(toView)
    return { items, total: items.length }
  }

  /** Answers the question of a session. */
  async respond(token: string, caller: Caller, { action, text, request_id: request }: Respond): Promise<Responded> {
    const { questions, resolver } = this.parts
    const row = resolver.resolve(token)
    const open = isRunning(row) ? questions.openOf(row.hostKey) : []
    const question = request === undefined ? open[0] : open.find((each) => each.request === request)
    if (!question) throw this.#noQuestion(row.id, open, request)
    await this.#answer(question, actorOf(caller), action, text).catch((error) => {
      throw error instanceof QuestionOver
        ? doesNotMatch(question.request, describeOutcome(questions.get(question.id)))
        : error
    })
    return { status: 'accepted', id: row.id }
  }

  /** Answers the question of this name; fails with the outcome of it when it is not open any more. */
  async answer(name: string, caller: Caller, { answer, text }: QuestionAnswer): Promise<QuestionView> {
    const { askedHosts } = this.parts
    if (askedHosts.names(name)) return askedHosts.answer(name, caller, { answer, ...(text && { text }) })
    const id = numberOf(name)
    if (id === undefined) throw new AppError('question-not-found', `${name} is not a question; gc attention lists them`)
    const row = this.parts.questions.get(id)
    if (row.state !== 'open') throw new QuestionOver(row)
    return toView(await this.#answer(row, actorOf(caller), answer, text))
  }

  /** Gives one answer to all of these questions that are equal to what was read; the others are left as they are. */
  async answerGroup(caller: Caller, { ids, same, answer, text }: GroupAnswer): Promise<GroupAnswered> {
    const { askedHosts, questions } = this.parts
    const open = new Map(questions.open().map((row) => [questionId(row), row]))
    const named = [...new Set(ids)].map((id) => ({ id, row: open.get(id) }))
    const equal = named.flatMap(({ id, row }) => (row && identityOf(row) === same ? [{ id, row }] : []))
    const [first] = equal
    const choice = first && this.#choiceOf(first.row, answer, text)
    const outcomes = await Promise.all(
      equal.map(({ id, row }) =>
        this.#answer(row, actorOf(caller), answer, text).then(
          () => ({ id, reason: undefined }),
          (error) => ({ id, reason: errorMessage(error) }),
        ),
      ),
    )
    const others = named.filter(({ row }) => !row || identityOf(row) !== same)
    const left = others.map(({ id, row }) => ({
      id,
      reason: row || askedHosts.names(id) ? 'it does not ask the same' : this.#outcomeOf(id),
    }))
    return {
      answered: outcomes.flatMap(({ id, reason }) => (reason === undefined ? [id] : [])),
      left: [...left, ...outcomes.flatMap(({ id, reason }) => (reason === undefined ? [] : [{ id, reason }]))],
      ...(choice && { choice: choice.label }),
    }
  }

  #outcomeOf(name: string): string {
    const id = numberOf(name)
    try {
      return id === undefined ? 'it is not a question' : describeOutcome(this.parts.questions.get(id))
    } catch (error) {
      return errorMessage(error)
    }
  }

  #answer(row: QuestionRow, actor: Actor, answer: string, text: string | undefined): Promise<QuestionRow> {
    return this.parts.answers.give(row, this.#choiceOf(row, answer, text), actor)
  }

  /** Option of a question that an answer selects; fails if there is none. */
  #choiceOf(row: QuestionRow, answer: string, text: string | undefined): Choice {
    const { options } = row.question
    if (options.length === 0) throw notAnswerable()
    const { options: taken, ...selected } = selectOptions(answer, row)
    const plain = toPlainText(text ?? '')
    if (text && plain === '') throw invalidField('body.text', 'there is nothing in the text to type')
    const lacking = taken.filter((option) => option.text === 'required')[plain === '' ? 0 : plain.split('\n').length]
    if (lacking) throw lacksText(lacking)
    const words = textFor(taken, plain)
    const takesText = taken.find((option) => option.text !== undefined)?.text
    return { ...selected, ...(takesText && { text: takesText }), ...(words !== '' && { words }) }
  }

  #noQuestion(session: string, open: readonly QuestionRow[], request: string | undefined): AppError {
    const past = request === undefined ? undefined : this.parts.questions.findRequest(session, request)
    const outcome = past && describeOutcome(past)
    return open.length === 0 ? noPending(outcome) : doesNotMatch(request, outcome)
  }

  /** The calling session reports that it is at work, although no output may show that for a while. */
  async heartbeat(token: string, caller: Caller, { duration }: Heartbeat = {}): Promise<OKWithIDResponseBody> {
    const { store, clock, repository } = this.parts
    const row = this.#ownSession(token, caller, 'say that it is at work')
    const length = duration === undefined ? DEFAULT_HEARTBEAT : parseDuration(duration)
    if (length === undefined) {
      throw new AppError('invalid-request', `duration takes a length of time such as 30m or 1h30m, not "${duration}"`)
    }
    const busyUntil = clock.now() + Math.min(length, MAX_HEARTBEAT)
    return store.write((tx) => {
      repository.update(tx, row.id, { busyUntil })
      return { status: 'ok', id: row.id }
    }, actorOf(caller))
  }

  /**
   * The calling session reports its program's name of the conversation. The first one stays until the program continues
   * in another: a program that the agent runs in its shell reports a start of its own.
   */
  async nameConversation(token: string, caller: Caller, { key, source }: Conversation): Promise<OKWithIDResponseBody> {
    const { store, repository } = this.parts
    const row = this.#ownSession(token, caller, 'name its conversation')
    return store.write((tx) => {
      const before = repository.get(row.id).sessionKey
      if (before === null || (before !== key && CONTINUES.has(source ?? '')))
        repository.update(tx, row.id, { sessionKey: key })
      return { status: 'ok', id: row.id }
    }, actorOf(caller))
  }

  #ownSession(token: string, caller: Caller, action: string): SessionRow {
    const row = this.parts.resolver.resolve(token)
    if (caller.kind === 'session' && row.id === caller.session) return row
    throw new AppError('forbidden', `forbidden: only session ${row.id} itself can ${action}`)
  }
}

const noPending = (outcome: string | undefined) =>
  new AppError(
    SESSION_CONFLICT,
    `no_pending: session has no pending interaction${outcome === undefined ? '' : `; ${outcome}`}`,
  )

const doesNotMatch = (request: string | undefined, outcome: string | undefined) =>
  new AppError(
    SESSION_CONFLICT,
    `invalid_interaction: pending interaction does not match request: ${request}${outcome === undefined ? '' : `; ${outcome}`}`,
  )

const lacksText = ({ label }: QuestionOption) =>
  invalidField(
    'body.text',
    `"${label}" wants words of yours; give them as text, a line for each option that does (gc attention answer … --text "…")`,
  )

const notAnswerable = () =>
  new AppError(
    'not-implemented',
    'unsupported: session provider does not support interactive responses to this; attach to its terminal and answer there',
  )
