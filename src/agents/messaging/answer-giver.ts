import type { Actor } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import type { SessionHost } from '../../host/client/index.ts'
import { type ChoiceOutcome, SESSION_CONFLICT, splitOptions } from '../../host/protocol/index.ts'
import type { ScreenQuestion } from '../../host/terminal/index.ts'
import type { MessageQueue, SessionRepository } from '../../work/sessions/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'
import { type Choice, QuestionOver, type QuestionRow, type Questions, questionId } from '../questions/index.ts'
import type { MessageDelivery } from './message-delivery.ts'
import type { QuestionWatcher } from './question-watcher.ts'
import type { TerminalInput } from './terminal-input.ts'

/** Maximum wait for an answer by protocol to show; it has been given by then in any case. */
const ANSWER_TIMEOUT = 2_000
/** Message of the host about a question that its agent no longer asks. */
const GONE: ReadonlySet<string> = new Set(['conflict-wrong-state', 'session-not-found'])

/**
 * Gives answers to programs. An answer is stored before its first key, so that exactly one is given to a question; one
 * that a stop or a crash interrupted is finished after the next start.
 */
export class AnswerGiver {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      host: Pick<SessionHost, 'answer' | 'list' | 'choose' | 'reportsQuestions' | 'whenQuestionsKnown'>
      repository: Pick<SessionRepository, 'find'>
      launchPlanner: LaunchPlanner
      questions: Questions
      queue: Pick<MessageQueue, 'add' | 'withdraw'>
      watcher: Pick<QuestionWatcher, 'alone'>
      terminal: Pick<TerminalInput, 'choose'>
      delivery: Pick<MessageDelivery, 'deliver'>
    },
  ) {}

  /** Gives an answer, and resolves once the program has taken it. */
  async give(row: QuestionRow, choice: Choice, actor: Actor, rule?: string): Promise<QuestionRow> {
    const { store } = this.context
    const { watcher } = this.peers
    if (row.by === 'agent') {
      const begun = await store.write((tx) => this.#begin(tx, row, choice, rule), actor)
      return this.#giveByProtocol(begun, choice)
    }
    return watcher.alone(row.sessionId, async () => {
      const begun = await store.write((tx) => this.#begin(tx, row, choice, rule), actor)
      return this.#giveOnScreen(begun, choice)
    })
  }

  /** A text that the option does not take waits in the session's queue until the answer is given. */
  #begin(tx: Tx, { id, sessionId }: QuestionRow, choice: Choice, rule: string | undefined): QuestionRow {
    const { questions, queue } = this.peers
    tx.answer(undefined)
    const begun = questions.begin(tx, id, choice, rule)
    const { words, text } = choice
    if (words !== undefined && text === undefined) queue.add(tx, sessionId, words, { request: messageOf(id) })
    return begun
  }

  #reopen(id: number): Promise<void> {
    const { store } = this.context
    const { questions, queue } = this.peers
    return store.write((tx) => {
      questions.reopen(tx, id)
      queue.withdraw(tx, messageOf(id))
    })
  }

  #drop(id: number): Promise<void> {
    const { store } = this.context
    const { questions, queue } = this.peers
    return store.write((tx) => {
      questions.drop(tx, id)
      queue.withdraw(tx, messageOf(id))
    })
  }

  /** Finishes what was being answered when gc stopped. */
  async recover(): Promise<void> {
    const { report } = this.context
    const { questions, watcher, host } = this.peers
    const interrupted = questions.open().filter(({ state }) => state === 'answering')
    if (interrupted.length === 0) return
    const running = new Set((await host.list()).flatMap(({ key, state }) => (state === 'running' ? [key] : [])))
    for (const row of interrupted) {
      const { choice, sessionId, hostKey } = row
      if (!choice) continue
      const finish = async () => {
        if (!running.has(hostKey)) await this.#drop(row.id)
        else if (row.by === 'agent') await this.#giveByProtocol(row, choice)
        else await this.#giveOnScreen(row, choice)
      }
      await watcher.alone(sessionId, finish).catch((error) => report(`${questionId(row)}: ${errorMessage(error)}`))
    }
  }

  /** The record of the answer ends the question; this only waits for it. */
  async #giveByProtocol({ id, hostKey, request }: QuestionRow, choice: Choice): Promise<QuestionRow> {
    const { host, questions } = this.peers
    try {
      const over = this.#whenOver(id)
      await host.answer(hostKey, request, choice.id, choice.text === undefined ? undefined : choice.words)
      await over
    } catch (error) {
      if (!(error instanceof AppError) || !GONE.has(error.code)) {
        await this.#reopen(id)
        throw error
      }
      await this.#whenOver(id)
      const row = questions.get(id)
      if (row.state !== 'answered' || row.choice?.id !== choice.id) throw new QuestionOver(row)
    }
    return questions.get(id)
  }

  #whenOver(id: number): Promise<void> {
    const { deadlines } = this.context
    const { questions } = this.peers
    const isOver = () => questions.get(id).endedAt !== null
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = questions.onChange(() => isOver() && resolve())
    const timeout = deadlines.after(ANSWER_TIMEOUT, () => resolve())
    if (isOver()) resolve()
    return promise.finally(() => {
      stop()
      timeout.cancel()
    })
  }

  /** Has an option of the dialog taken. */
  async #giveOnScreen(row: QuestionRow, choice: Choice): Promise<QuestionRow> {
    const { store } = this.context
    const { questions, delivery } = this.peers
    const { id, sessionId } = row
    const { result, option = choice.id } = await this.#choose(row, choice).catch(async (error) => {
      await this.#reopen(id)
      throw error
    })
    if (result === 'stuck') {
      await this.#reopen(id)
      throw notTaken(sessionId)
    }
    const isTaken = result === 'taken' && option === choice.id
    if (isTaken) await store.write((tx) => questions.end(tx, id))
    else await this.#drop(id)
    if (!isTaken) throw new QuestionOver(questions.get(id))
    delivery.deliver(sessionId)
    return questions.get(id)
  }

  /** The host presses the keys, once for each question; one of an earlier build must be told each key. */
  async #choose({ sessionId, hostKey, request, question }: QuestionRow, choice: Choice): Promise<ChoiceOutcome> {
    const { host, terminal, launchPlanner, repository } = this.peers
    const session = repository.find(sessionId)
    if (session?.hostKey !== hostKey) return { result: 'gone' }
    await host.whenQuestionsKnown()
    if (host.reportsQuestions(hostKey)) {
      const { id, text, words } = choice
      return host.choose(hostKey, request, id, text === undefined ? undefined : words)
    }
    const isAsked = ({ id }: ScreenQuestion) => id === request
    const { options } = question
    const taken = splitOptions(choice.id)
    return { result: await terminal.choose(hostKey, launchPlanner.program(session), { isAsked, options, taken }) }
  }
}

/** Names the message that follows an answer. */
const messageOf = (question: number): string => `answer-${question}`

const notTaken = (id: string) =>
  new AppError(
    SESSION_CONFLICT,
    `conflict: the program did not take the answer; see what its terminal shows with \`gc session attach ${id}\``,
  )
