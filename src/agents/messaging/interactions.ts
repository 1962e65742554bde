import type { Actor } from '../../core/actor.ts'
import { AppError, errorMessage, invalidField } from '../../core/errors.ts'
import { type QuestionOption, SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { toPlainText } from '../../host/terminal/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import {
  isRunning,
  type PendingList,
  type Respond,
  type Responded,
  type SessionPending,
  type SessionResolver,
} from '../../work/sessions/index.ts'
import {
  type Choice,
  describeOutcome,
  type GroupAnswer,
  type GroupAnswered,
  type HostPrompts,
  identityOf,
  numberOf,
  type QuestionAnswer,
  type QuestionList,
  QuestionOver,
  type QuestionRow,
  type Questions,
  type QuestionView,
  questionId,
  toView,
} from '../questions/index.ts'
import type { AnswerGiver } from './answer-giver.ts'
import { selectOptions, textFor } from './answer-words.ts'
import { type PendingOptions, pendingOf } from './pending.ts'

interface InteractionsOptions extends PendingOptions {
  questions: Questions
  resolver: SessionResolver
  answers: Pick<AnswerGiver, 'give'>
  askedHosts: Pick<HostPrompts, 'names' | 'answer'>
}

/** The questions of sessions to people, and people's answers. */
export class Interactions {
  constructor(private readonly options: InteractionsOptions) {}

  /** Open question of a session, if any. */
  pending(token: string): SessionPending {
    return pendingOf(this.options, this.options.resolver.resolve(token))
  }

  /** Everything that sessions ask now, as clients of the contract see it. */
  list(): PendingList {
    const items = this.options.questions
      .open()
      .map(({ sessionId, request, question }) => ({ session_id: sessionId, request_id: request, kind: question.kind }))
    return { items, total: items.length }
  }

  /** Questions of a session with their answers, oldest first. */
  history(token: string): QuestionList {
    const { questions, resolver } = this.options
    const items = questions.history(resolver.resolve(token, { past: true }).id).map(toView)
    return { items, total: items.length }
  }

  /** Answers the question of a session. */
  async respond(token: string, caller: Caller, { action, text, request_id: request }: Respond): Promise<Responded> {
    const { questions, resolver } = this.options
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
    const { askedHosts } = this.options
    if (askedHosts.names(name)) return askedHosts.answer(name, caller, { answer, ...(text && { text }) })
    const id = numberOf(name)
    if (id === undefined) throw new AppError('question-not-found', `${name} is not a question; gc attention lists them`)
    const row = this.options.questions.get(id)
    if (row.state !== 'open') throw new QuestionOver(row)
    return toView(await this.#answer(row, actorOf(caller), answer, text))
  }

  /** Gives one answer to all of these questions that are equal to what was read; the others are left as they are. */
  async answerGroup(caller: Caller, { ids, same, answer, text }: GroupAnswer): Promise<GroupAnswered> {
    const { askedHosts, questions } = this.options
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
      return id === undefined ? 'it is not a question' : describeOutcome(this.options.questions.get(id))
    } catch (error) {
      return errorMessage(error)
    }
  }

  #answer(row: QuestionRow, actor: Actor, answer: string, text: string | undefined): Promise<QuestionRow> {
    return this.options.answers.give(row, this.#choiceOf(row, answer, text), actor)
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
    const past = request === undefined ? undefined : this.options.questions.findRequest(session, request)
    const outcome = past && describeOutcome(past)
    return open.length === 0 ? noPending(outcome) : doesNotMatch(request, outcome)
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
