import type { Deadlines } from '../../core/deadlines.ts'
import { Refusal, sentence } from '../../core/errors.ts'
import type { Conversations } from '../acp/conversations.ts'
import { answersTo, choiceFor, interactionOf } from '../acp/questions.ts'
import type { QuestionRow } from '../acp/table.ts'
import type { SessionBook } from './book.ts'
import type { SessionHost } from './host.ts'
import type { Launcher } from './launcher.ts'
import type { Live } from './live.ts'
import { pendingOf } from './pending.ts'
import type { CityPendingEntry, PendingInteraction, PendingList, Respond, Responded, SessionPending } from './schema.ts'
import type { SessionRow } from './table.ts'
import { runs } from './view.ts'

interface Parts {
  book: SessionBook
  host: Pick<SessionHost, 'screen' | 'answer'>
  launcher: Launcher
  conversations: Conversations
  live: Live
  deadlines: Deadlines
}

/** What a session asks. */
export interface Asked {
  row: SessionRow
  pending: PendingInteraction
  since: number
  /** What `respond` takes for an answer; nothing when only a person at its terminal can give one. */
  answers: string[]
}

/** So many screens are looked at together. */
const TOGETHER = 8
/** How long an answer may take to be seen as given; it is given by then anyway. */
const SEEN_MS = 2_000

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
  async open(): Promise<{ asked: Asked[]; faults: string[] }> {
    const rows = this.parts.book.live().filter((row) => runs(row) && row.state !== 'creating')
    const asked: Asked[] = []
    const faults: string[] = []
    for (let at = 0; at < rows.length; at += TOGETHER) {
      const some = rows.slice(at, at + TOGETHER)
      const looked = await Promise.allSettled(some.map((row) => this.#asked(row)))
      for (const [index, look] of looked.entries()) {
        if (look.status === 'fulfilled') asked.push(...look.value)
        else faults.push(`session ${some[index]?.id}: ${sentence(look.reason)}`)
      }
    }
    return { asked, faults }
  }

  /** Answers what a session asks. Dialogs on a screen are for a person at its terminal. */
  async respond(row: SessionRow, { action, request_id: wanted }: Respond): Promise<Responded> {
    const key = row.hostKey
    if (!key || !this.parts.conversations.speaks(key)) return this.#onScreen(row, wanted)
    const questions = runs(row) ? this.parts.conversations.questions(key) : []
    const question = wanted === undefined ? questions[0] : questions.find(({ request }) => request === wanted)
    if (questions.length === 0) throw nothing()
    if (!question) throw other(wanted)
    const { id: choice } = choiceFor(action, question.choices)
    await this.#answer(key, question, choice)
    return { status: 'accepted', id: row.id }
  }

  async #answer(key: string, { request, sessionId }: QuestionRow, choice: string): Promise<void> {
    const { conversations, host, deadlines } = this.parts
    const seen = Promise.withResolvers<void>()
    const look = (session: string) => {
      const open = session === sessionId && conversations.questions(key).some((one) => one.request === request)
      if (session === sessionId && !open) seen.resolve()
    }
    const stop = conversations.listen(look)
    const late = deadlines.after(SEEN_MS, () => seen.resolve())
    try {
      await host.answer(key, request, choice)
      look(sessionId)
      await seen.promise
    } catch (thrown) {
      const gone = thrown instanceof Refusal && ['conflict-wrong-state', 'session-not-found'].includes(thrown.code)
      throw gone ? nothing() : thrown
    } finally {
      stop()
      late.cancel()
    }
  }

  async #asked(row: SessionRow): Promise<Asked[]> {
    const { conversations, live } = this.parts
    if (row.hostKey && conversations.speaks(row.hostKey)) {
      return conversations.questions(row.hostKey).map((question) => {
        const answers = answersTo(question.choices)
        return { row, pending: interactionOf(question), since: question.askedAt, answers }
      })
    }
    const { pending } = await this.pending(row)
    const since = live.lastOutput(row.id) ?? row.activeAt ?? row.createdAt
    return pending ? [{ row, pending, since, answers: [] }] : []
  }

  async #onScreen(row: SessionRow, wanted: string | undefined): Promise<never> {
    const { pending } = await this.pending(row)
    if (!pending) throw nothing()
    if (wanted !== undefined && wanted !== pending.request_id) throw other(wanted)
    throw new Refusal(
      'not-implemented',
      'unsupported: session provider does not support interactive responses; attach to its terminal and answer there',
    )
  }
}

const nothing = () => new Refusal('session-conflict', 'no_pending: session has no pending interaction')

const other = (wanted: string | undefined) =>
  new Refusal('session-conflict', `invalid_interaction: pending interaction does not match request: ${wanted}`)
