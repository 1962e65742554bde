import type { Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store } from '../../core/store.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { PermissionChoice } from '../../host/protocol/record.ts'
import type { AcpConversations } from '../conversations/acp/conversations.ts'
import { SessionAnswered } from '../conversations/acp/events.ts'
import { actionsFor, choiceFor, toPendingInteraction } from '../conversations/acp/questions.ts'
import type { QuestionRow } from '../conversations/acp/table.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionActivity } from '../sessions/activity.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type {
  CityPendingEntry,
  PendingInteraction,
  PendingList,
  Respond,
  Responded,
  SessionPending,
} from '../sessions/schema.ts'
import type { SessionRow } from '../sessions/table.ts'
import { isRunning, type RunningSession } from '../sessions/view.ts'
import { choicesOf, readDialog, toInteraction } from './dialogs.ts'
import { pendingOf } from './pending.ts'
import type { TerminalInput } from './terminal-input.ts'

interface Parts {
  store: Store
  log: EventLog
  book: SessionRepository
  host: Pick<SessionHost, 'screen' | 'answer'>
  launcher: Launcher
  conversations: AcpConversations
  live: SessionActivity
  keys: Pick<TerminalInput, 'choose'>
  messages: { pump(session: string): void }
  deadlines: Deadlines
}

/** What a session asks. */
export interface OpenInteraction {
  row: SessionRow
  pending: PendingInteraction
  since: number
  /** Whether its agent asks, by protocol, or its program on the screen. */
  by: 'agent' | 'screen'
  /** What `respond` takes for an answer; nothing when only a person at its terminal can give one. */
  answers: string[]
}

/** So many screens are looked at together. */
const BATCH = 8
/** How long an answer may take to be seen as given; it is given by then anyway. */
const ANSWER_TIMEOUT = 2_000

/** What sessions ask people, and what people answer. */
export class Interactions {
  constructor(private readonly parts: Parts) {}

  pending(row: SessionRow): Promise<SessionPending> {
    return pendingOf(this.parts, row)
  }

  /** Everything that sessions ask now, as a list. */
  async all(): Promise<PendingList> {
    const { asked, faults } = await this.open()
    const items = asked.map(({ row, pending }): CityPendingEntry => {
      return { session_id: row.id, request_id: pending.request_id, kind: pending.kind }
    })
    return { items, total: items.length, ...(faults.length > 0 && { partial: true, partial_errors: faults }) }
  }

  /** Everything that sessions ask now. A session that cannot be looked at is named, and no reason to fail. */
  async open(): Promise<{ asked: OpenInteraction[]; faults: string[] }> {
    const rows = this.parts.book
      .live()
      .filter((row) => row.state !== 'creating')
      .filter(isRunning)
    const asked: OpenInteraction[] = []
    const faults: string[] = []
    for (let at = 0; at < rows.length; at += BATCH) {
      const some = rows.slice(at, at + BATCH)
      const looked = await Promise.allSettled(some.map((row) => this.#asked(row)))
      for (const [index, look] of looked.entries()) {
        if (look.status === 'fulfilled') asked.push(...look.value)
        else faults.push(`session ${some[index]?.id}: ${errorMessage(look.reason)}`)
      }
    }
    return { asked, faults }
  }

  /** Answers what a session asks: by protocol, or with the keys of the dialog that its screen shows. */
  async respond(row: SessionRow, answer: Respond): Promise<Responded> {
    if (!isRunning(row)) throw noPending()
    if (this.parts.conversations.usesAcp(row.hostKey)) await this.#toAgent(row.hostKey, answer)
    else await this.#onScreen(row, answer)
    return { status: 'accepted', id: row.id }
  }

  async #toAgent(key: string, { action, request_id: wanted }: Respond): Promise<void> {
    const questions = this.parts.conversations.questions(key)
    const question = wanted === undefined ? questions[0] : questions.find(({ request }) => request === wanted)
    if (questions.length === 0) throw noPending()
    if (!question) throw doesNotMatch(wanted)
    await this.#answer(key, question, choiceFor(action, question.choices).id)
  }

  async #answer(key: string, { request, sessionId }: QuestionRow, choice: string): Promise<void> {
    const { conversations, host, deadlines } = this.parts
    const seen = Promise.withResolvers<void>()
    const look = (session: string) => {
      const open = session === sessionId && conversations.questions(key).some((one) => one.request === request)
      if (session === sessionId && !open) seen.resolve()
    }
    const stop = conversations.onRecords(look)
    const late = deadlines.after(ANSWER_TIMEOUT, () => seen.resolve())
    try {
      await host.answer(key, request, choice)
      look(sessionId)
      await seen.promise
    } catch (error) {
      const gone = error instanceof AppError && ['conflict-wrong-state', 'session-not-found'].includes(error.code)
      throw gone ? noPending() : error
    } finally {
      stop()
      late.cancel()
    }
  }

  async #asked(row: RunningSession): Promise<OpenInteraction[]> {
    const { conversations, live } = this.parts
    if (conversations.usesAcp(row.hostKey)) {
      return conversations.questions(row.hostKey).map((question) => {
        const answers = actionsFor(question.choices)
        return { row, pending: toPendingInteraction(question), since: question.askedAt, by: 'agent', answers }
      })
    }
    const asked = await readDialog(this.parts, row)
    if (!asked) return []
    const since = live.lastOutput(row.id) ?? row.activeAt ?? row.createdAt
    return [{ row, pending: toInteraction(asked), since, by: 'screen', answers: answersOf(choicesOf(asked)) }]
  }

  /** Presses the keys that take an option of the dialog, and no other. */
  async #onScreen(row: RunningSession, { action, request_id: wanted }: Respond): Promise<void> {
    const { keys, launcher, store, log, messages } = this.parts
    const asked = await readDialog(this.parts, row)
    if (!asked) throw noPending()
    if (wanted !== undefined && wanted !== asked.id) throw doesNotMatch(wanted)
    const choices = choicesOf(asked)
    if (choices.length === 0) throw notAnswerable()
    const choice = choiceFor(action, choices, answersOf(choices))
    const taking = { question: asked.id, option: choices.indexOf(choice) }
    const chosen = await keys.choose(row.hostKey, launcher.program(row), taking)
    if (chosen === 'gone') throw doesNotMatch(asked.id)
    if (chosen === 'stuck') throw notTaken(row.id)
    const payload = { session_id: row.id, request_id: asked.id, choice: choice.name }
    const facts = { actor: 'gc', subject: row.id, session_id: row.id }
    await store.write((tx) => log.append(tx, SessionAnswered, facts, payload))
    messages.pump(row.id)
  }
}

/** Of a dialog each option has a number. */
const answersOf = (choices: readonly PermissionChoice[]): string[] => choices.map(({ id }) => id)

const noPending = () => new AppError(SESSION_CONFLICT, 'no_pending: session has no pending interaction')

const doesNotMatch = (wanted: string | undefined) =>
  new AppError(SESSION_CONFLICT, `invalid_interaction: pending interaction does not match request: ${wanted}`)

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
