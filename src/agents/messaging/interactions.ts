import type { Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store } from '../../core/store.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { ChoiceOutcome, Question, QuestionOption } from '../../host/protocol/question.ts'
import type { ScreenQuestion } from '../../host/terminal/question.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { AcpConversations } from '../conversations/acp/conversations.ts'
import { SessionAnswered } from '../conversations/acp/events.ts'
import { actionsFor, optionFor, toPendingInteraction, toQuestion } from '../conversations/acp/questions.ts'
import type { QuestionRow } from '../conversations/acp/table.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionActivity } from '../sessions/activity.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionResolver } from '../sessions/resolver.ts'
import { isRunning, type RunningSession } from '../sessions/running.ts'
import type {
  CityPendingEntry,
  PendingInteraction,
  PendingList,
  Respond,
  Responded,
  SessionPending,
} from '../sessions/schema.ts'
import type { SessionRow } from '../sessions/table.ts'
import { findDialog, toInteraction } from './dialogs.ts'
import type { MessageDelivery } from './message-delivery.ts'
import { pendingOf } from './pending.ts'
import type { TerminalInput } from './terminal-input.ts'

interface InteractionsOptions {
  store: Store
  log: EventLog
  deadlines: Deadlines
  host: Pick<SessionHost, 'screen' | 'answer' | 'question' | 'reportsQuestions' | 'choose'>
  repository: SessionRepository
  resolver: SessionResolver
  launcher: Launcher
  conversations: AcpConversations
  activity: SessionActivity
  terminal: Pick<TerminalInput, 'choose'>
  delivery: Pick<MessageDelivery, 'deliver'>
}

/** A question of a session that nobody has answered yet. */
export interface OpenInteraction {
  row: SessionRow
  /** What is asked, whole. */
  question: Question
  pending: PendingInteraction
  /** Whether its agent asks, by protocol, or its program on the screen. */
  by: 'agent' | 'screen'
  /** The answers that `respond` accepts; none when only a person at its terminal can give one. */
  answers: string[]
}

/** How many screens are read at once. */
const BATCH_SIZE = 8
/** How long to wait until an answer shows; it has been given by then in any case. */
const ANSWER_TIMEOUT = 2_000

/** The questions of sessions to people, and people's answers. */
export class Interactions {
  constructor(private readonly options: InteractionsOptions) {}

  /** What a session asks, if anything. */
  async pending(token: string): Promise<SessionPending> {
    return pendingOf(this.options, this.options.resolver.resolve(token))
  }

  /** Everything that sessions ask now, as clients see it. */
  async list(): Promise<PendingList> {
    const { interactions, errors } = await this.findOpen()
    const items = interactions.map(({ row, pending }): CityPendingEntry => {
      return { session_id: row.id, request_id: pending.request_id, kind: pending.kind }
    })
    return { items, total: items.length, ...(errors.length > 0 && { partial: true, partial_errors: errors }) }
  }

  /** Everything that sessions ask now. A session whose screen cannot be read is listed as an error. */
  async findOpen(): Promise<{ interactions: OpenInteraction[]; errors: string[] }> {
    const rows = this.options.repository
      .live()
      .filter((row) => row.state !== 'creating')
      .filter(isRunning)
    const interactions: OpenInteraction[] = []
    const errors: string[] = []
    for (let start = 0; start < rows.length; start += BATCH_SIZE) {
      const batch = rows.slice(start, start + BATCH_SIZE)
      const results = await Promise.allSettled(batch.map((row) => this.#openOf(row)))
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') interactions.push(...result.value)
        else errors.push(`session ${batch[index]?.id}: ${errorMessage(result.reason)}`)
      }
    }
    return { interactions, errors }
  }

  /** Answers the question of a session. */
  async respond(token: string, caller: Caller, answer: Respond): Promise<Responded> {
    const row = this.options.resolver.resolve(token)
    if (!isRunning(row)) throw noPending()
    if (this.options.conversations.usesAcp(row.hostKey)) await this.#answerByProtocol(row.hostKey, caller, answer)
    else await this.#answerOnScreen(row, caller, answer)
    return { status: 'accepted', id: row.id }
  }

  async #answerByProtocol(key: string, caller: Caller, { action, request_id: request }: Respond): Promise<void> {
    const questions = this.options.conversations.questions(key)
    if (questions.length === 0) throw noPending()
    const question = request === undefined ? questions[0] : questions.find((each) => each.request === request)
    if (!question) throw doesNotMatch(request)
    await this.#sendChoice(key, caller, question, optionFor(action, toQuestion(question).options).id)
  }

  /** Sends a choice, and waits until the question is gone. */
  async #sendChoice(key: string, caller: Caller, { request, sessionId }: QuestionRow, choice: string): Promise<void> {
    const { conversations, host, deadlines } = this.options
    const answered = Promise.withResolvers<void>()
    const stopExpecting = conversations.expectAnswer(request, actorOf(caller))
    const check = (session: string) => {
      if (session !== sessionId) return
      if (!conversations.questions(key).some((question) => question.request === request)) answered.resolve()
    }
    const stop = conversations.onRecords(check)
    const timeout = deadlines.after(ANSWER_TIMEOUT, () => answered.resolve())
    try {
      await host.answer(key, request, choice)
      check(sessionId)
      await answered.promise
    } catch (error) {
      const isGone = error instanceof AppError && ['conflict-wrong-state', 'session-not-found'].includes(error.code)
      throw isGone ? noPending() : error
    } finally {
      stop()
      stopExpecting()
      timeout.cancel()
    }
  }

  async #openOf(row: RunningSession): Promise<OpenInteraction[]> {
    const { conversations, activity } = this.options
    if (conversations.usesAcp(row.hostKey)) {
      return conversations.questions(row.hostKey).map((asked) => {
        const question = toQuestion(asked)
        return {
          row,
          question,
          pending: toPendingInteraction(asked),
          by: 'agent',
          answers: actionsFor(question.options),
        }
      })
    }
    const since = () => activity.lastOutput(row.id) ?? row.activeAt ?? row.createdAt
    const question = await findDialog(this.options, row, since)
    if (!question) return []
    return [{ row, question, pending: toInteraction(question), by: 'screen', answers: answersOf(question.options) }]
  }

  /** Presses the keys that take one option of the dialog. */
  async #answerOnScreen(row: RunningSession, caller: Caller, { action, request_id: request }: Respond): Promise<void> {
    const { store, log, delivery } = this.options
    const dialog = await findDialog(this.options, row, () => row.createdAt)
    if (!dialog) throw noPending()
    if (request !== undefined && request !== dialog.id) throw doesNotMatch(request)
    const { options } = dialog
    if (options.length === 0) throw notAnswerable()
    const chosen = optionFor(action, options, answersOf(options))
    const { result, option = chosen.id } = await this.#choose(row, dialog, chosen)
    if (result === 'gone' || option !== chosen.id) throw doesNotMatch(dialog.id)
    if (result === 'stuck') throw notTaken(row.id)
    const payload = { session_id: row.id, request_id: dialog.id, choice: chosen.label }
    const facts = { subject: row.id, session_id: row.id }
    await store.write((tx) => log.append(tx, SessionAnswered, facts, payload), actorOf(caller))
    delivery.deliver(row.id)
  }

  /** Has the host press the keys; a host of an earlier build has to be told each of them. */
  async #choose(row: RunningSession, question: Question, option: QuestionOption): Promise<ChoiceOutcome> {
    const { host, terminal, launcher } = this.options
    if (host.reportsQuestions(row.hostKey)) return host.choose(row.hostKey, question.id, option.id)
    const isAsked = (seen: ScreenQuestion) => seen.id === question.id
    const choice = { isAsked, option: question.options.indexOf(option) }
    return { result: await terminal.choose(row.hostKey, launcher.program(row), choice) }
  }
}

/** The options of a dialog are answered by their numbers. */
const answersOf = (options: readonly QuestionOption[]): string[] => options.map(({ id }) => id)

const noPending = () => new AppError(SESSION_CONFLICT, 'no_pending: session has no pending interaction')

const doesNotMatch = (request: string | undefined) =>
  new AppError(SESSION_CONFLICT, `invalid_interaction: pending interaction does not match request: ${request}`)

const notAnswerable = () =>
  new AppError(
    'not-implemented',
    'unsupported: session provider does not support interactive responses to this; attach to its terminal and answer there',
  )

const notTaken = (id: string) =>
  new AppError(
    SESSION_CONFLICT,
    `conflict: the program did not take the answer; see what its terminal shows with \`gc session attach ${id}\``,
  )
