import { and, asc, desc, eq, isNull } from 'drizzle-orm'
import type { Actor } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import { Signal } from '../../core/signal.ts'
import { command, query, type Tx } from '../../core/store/index.ts'
import { redactTokens } from '../../core/text/index.ts'
import type { Question } from '../../host/protocol/index.ts'
import type { AskedSubject } from '../../programs/terminal-profile.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import { SessionAnswered, SessionAsked } from '../events.ts'
import type { AnswerCounts } from './answer-counts.ts'
import { QuestionOver, questionId } from './outcome.ts'
import { type Choice, type QuestionRow, questions, type StoredQuestion } from './table.ts'

/** Asker and subject of a question. */
export interface Asking {
  sessionId: string
  hostKey: string
  by: QuestionRow['by']
  beadId: string | null
  folder: string
}

/** A running session that asks, over the bead that it works on. */
export const askingOf = (
  row: SessionRow & { hostKey: string },
  by: Asking['by'],
  bead: string | undefined,
): Asking => ({
  sessionId: row.id,
  hostKey: row.hostKey,
  by,
  beadId: bead ?? null,
  folder: row.workDir,
})

const RETENTION_MS = 30 * 24 * 3_600_000
/** Number of old questions that are deleted with each new one. */
const DELETED_AT_ONCE = 20
const MAX_LISTED = 200

const ASKING = query<{ id: string }>('SELECT session_id AS id FROM questions WHERE ended_at IS NULL')

const DELETE_OLD = command<[number]>(`DELETE FROM questions WHERE id IN (SELECT id FROM questions
       WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ${DELETED_AT_ONCE})`)

/** Questions of programs to people. Each is a row with its answer, and every change is an event. */
export class Questions {
  /** End of the last question of a session. */
  readonly #lastEnded = new Map<string, number>()
  readonly #lastAnswered = new Map<string, number>()
  /** Those that are not over, by number. */
  readonly #open = new Map<number, QuestionRow>()
  readonly #changes = new Signal<[session: string]>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      counts: Pick<AnswerCounts, 'note'>
      /** Hears of an answer once it is on disk. */
      onAnswered?(row: QuestionRow): void
    },
  ) {
    const { store } = context
    for (const row of store.read((orm) => orm.select().from(questions).where(isNull(questions.endedAt)).all()))
      this.#open.set(row.id, row)
  }

  /** Those that are not over, oldest first, as far as that is on disk. */
  open(): QuestionRow[] {
    return [...this.#open.values()].sort((a, b) => a.id - b.id)
  }

  /** Those of one run of a session that are not over, oldest first. */
  openOf(hostKey: string): QuestionRow[] {
    const condition = and(eq(questions.hostKey, hostKey), isNull(questions.endedAt))
    return this.context.store.read((orm) =>
      orm.select().from(questions).where(condition).orderBy(asc(questions.id)).all(),
    )
  }

  /** The sessions that ask something now. */
  asking(): ReadonlySet<string> {
    return new Set(this.context.store.all(ASKING).map(({ id }) => id))
  }

  /** End of the last question of a session since this city was opened; 0 for none. */
  lastEnded(session: string): number {
    return this.#lastEnded.get(session) ?? 0
  }

  /** Time a person last answered a session since this city was opened; 0 for never. */
  lastAnswered(session: string): number {
    return this.#lastAnswered.get(session) ?? 0
  }

  /** Forgets the times of a session that is closed. */
  forget(session: string): void {
    this.#lastEnded.delete(session)
    this.#lastAnswered.delete(session)
  }

  /** A question by its number; fails when there is none. */
  get(id: number): QuestionRow {
    const row = this.context.store.read((orm) => orm.select().from(questions).where(eq(questions.id, id)).get())
    if (!row) throw new AppError('question-not-found', `there is no question ${questionId({ id })}`)
    return row
  }

  /** The newest question of a session that its program knows under this id. */
  findRequest(session: string, request: string): QuestionRow | undefined {
    const condition = and(eq(questions.sessionId, session), eq(questions.request, request))
    return this.context.store.read((orm) =>
      orm.select().from(questions).where(condition).orderBy(desc(questions.id)).limit(1).get(),
    )
  }

  /** Questions of a session with their answers, oldest first. */
  history(session: string): QuestionRow[] {
    return this.context.store
      .read((orm) =>
        orm
          .select()
          .from(questions)
          .where(eq(questions.sessionId, session))
          .orderBy(desc(questions.id))
          .limit(MAX_LISTED)
          .all(),
      )
      .reverse()
  }

  /** Records that a question came up, unless it is known and not over. */
  raise(tx: Tx, asking: Asking, question: Question, subject?: AskedSubject): void {
    const { hostKey } = asking
    const condition = and(eq(questions.hostKey, hostKey), eq(questions.request, question.id), isNull(questions.endedAt))
    if (tx.orm.select().from(questions).where(condition).get()) return
    tx.run(DELETE_OLD, this.context.clock.now() - RETENTION_MS)
    this.#changed(tx, this.#add(tx, asking, question, subject))
  }

  /** Records a question that a rule answers before its program shows it. */
  answerAtOnce(tx: Tx, asking: Asking, question: Question, subject: AskedSubject, choice: Choice, rule: string): void {
    const { id } = this.#add(tx, asking, question, subject)
    this.begin(tx, id, choice, rule)
    this.end(tx, id)
  }

  #add(tx: Tx, asking: Asking, question: Question, subject: AskedSubject | undefined): QuestionRow {
    const stored = withSubject(question, bounded(question), subject)
    const draft = { ...asking, request: question.id, question: stored, state: 'open' as const }
    const row = tx.orm.insert(questions).values(draft).returning().get()
    this.context.log.append(tx, SessionAsked, subjectOf(row), payloadOf(row))
    return row
  }

  /** Takes a question for one answer, which is stored before it is given; fails unless it is open. */
  begin(tx: Tx, id: number, choice: Choice, rule: string | null = null): QuestionRow {
    const row = this.#find(tx, id)
    if (row.state !== 'open') throw new QuestionOver(row)
    const answeredAt = this.context.clock.now()
    return this.#update(tx, row, { state: 'answering', choice, actor: tx.actor, answeredAt, rule })
  }

  /** The answer did not reach the program: the question is as open as before. */
  reopen(tx: Tx, id: number): void {
    const row = this.#find(tx, id)
    if (row.state !== 'answering') return
    this.#update(tx, row, { state: 'open', choice: null, actor: null, answeredAt: null, rule: null })
  }

  /** A question is over: with the answer that was being given, with one given elsewhere, or without any. */
  end(tx: Tx, id: number, elsewhere?: { choice: Choice; actor: Actor }): void {
    const row = this.#find(tx, id)
    if (row.endedAt !== null) return
    const now = this.context.clock.now()
    const given =
      row.state === 'answering' && row.choice && row.actor ? { choice: row.choice, actor: row.actor } : elsewhere
    const outcome = given
      ? { state: 'answered' as const, ...given, answeredAt: row.answeredAt ?? now }
      : { state: 'gone' as const }
    const ended = this.#update(tx, row, { ...outcome, endedAt: now })
    const attributes = { ...subjectOf(ended), ...(given && { actor: given.actor }) }
    const payload = { ...payloadOf(ended), ...(given && choiceOf(given.choice)) }
    this.context.log.append(tx, SessionAnswered, attributes, payload)
    if (!given) return
    this.peers.counts.note(tx, ended)
    tx.after(() => this.peers.onAnswered?.(ended))
  }

  /** Ends a question without an answer, also one that was being answered. */
  drop(tx: Tx, id: number): void {
    this.reopen(tx, id)
    this.end(tx, id)
  }

  /** Ends every question of a run that is over. */
  endRun(tx: Tx, hostKey: string): void {
    const condition = and(eq(questions.hostKey, hostKey), isNull(questions.endedAt))
    const rows = tx.orm.select().from(questions).where(condition).orderBy(asc(questions.id)).all()
    for (const { id } of rows) this.drop(tx, id)
  }

  /** Calls the listener with a session whose questions changed, once that is on disk. */
  readonly onChange = this.#changes.listen

  #find(tx: Tx, id: number): QuestionRow {
    const row = tx.orm.select().from(questions).where(eq(questions.id, id)).get()
    if (!row) throw new AppError('question-not-found', `there is no question ${questionId({ id })}`)
    return row
  }

  #update(tx: Tx, row: QuestionRow, change: Partial<QuestionRow>): QuestionRow {
    tx.orm.update(questions).set(change).where(eq(questions.id, row.id)).run()
    const changed = { ...row, ...change }
    this.#changed(tx, changed)
    return changed
  }

  #changed(tx: Tx, row: QuestionRow): void {
    tx.after(() => {
      if (row.endedAt === null) this.#open.set(row.id, row)
      else this.#open.delete(row.id)
      if (row.endedAt !== null) this.#lastEnded.set(row.sessionId, row.endedAt)
      if (row.endedAt !== null && row.state === 'answered') this.#lastAnswered.set(row.sessionId, row.endedAt)
      this.#changes.emit(row.sessionId)
    })
  }
}

/** Summary of an answer for events. */
const choiceOf = ({ label, words }: Choice) => ({
  choice: label,
  ...(words !== undefined && { choice_text: cut(words, MAX_EVENT_TEXT) }),
})

/** Common payload of both events of a question. */
function payloadOf(row: QuestionRow) {
  const { sessionId, request, question, folder, beadId, rule } = row
  return {
    ...{ session_id: sessionId, request_id: request, question_id: questionId(row), folder },
    prompt: cut(question.prompt, MAX_EVENT_TEXT),
    ...(question.text !== '' && { text: cut(question.text, MAX_EVENT_TEXT) }),
    ...(beadId !== null && { bead_id: beadId }),
    ...(rule !== null && { rule }),
  }
}

/** Maximum length of a text in an event. */
const MAX_EVENT_TEXT = 8_000
const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

const subjectOf = ({ sessionId }: QuestionRow) => ({ subject: sessionId, session_id: sessionId })

const MAX_TEXT = 64 << 10
const MAX_LINE = 1_000
const MAX_ROWS = 200
const MAX_OPTIONS = 50
const MAX_CHOICES = 500

/** Control characters but for line ends and tabs, and what is invisible or turns the direction of writing. */
const MISLEADING = /[^\P{Cc}\n\t]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** A text of a program as people are shown it: no secrets, and a sign in place of each character that would mislead. */
const shown = (text: string, max: number): string => redactTokens(text.slice(0, max)).replace(MISLEADING, '\ufffd')

/** A question as it is stored and shown: bounded, and nothing in it that misleads. */
const bounded = (question: Question): Question => ({
  ...question,
  prompt: shown(question.prompt, MAX_LINE),
  text: shown(question.text, MAX_TEXT),
  cut: question.cut || question.text.length > MAX_TEXT,
  options: question.options.slice(0, MAX_OPTIONS).map(({ choices, description, ...option }) => ({
    ...{ ...option, label: shown(option.label, MAX_LINE) },
    ...(description !== undefined && { description: shown(description, MAX_LINE) }),
    ...(choices && { choices: choices.slice(0, MAX_CHOICES).map((choice) => shown(choice, MAX_LINE)) }),
  })),
  picture: question.picture.slice(0, MAX_ROWS).map((row) => shown(row, MAX_LINE)),
})

/** A question names its subject only if it is complete. People see it as the program wrote it. */
function withSubject({ prompt, text }: Question, stored: Question, subject: AskedSubject | undefined): StoredQuestion {
  const isAsWritten = !stored.cut && stored.prompt === prompt && stored.text === text
  return isAsWritten && subject ? { ...stored, subject } : stored
}
