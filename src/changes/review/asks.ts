import { type SessionCloser, STILL_ENDING } from '../../agents/lifecycle/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { BEAD_LIMITS, type BeadRepository } from '../../work/beads/index.ts'
import {
  HELD,
  type MessageOutcome,
  type MessageQueue,
  type SessionRepository,
  type SessionRow,
  type SessionWaker,
} from '../../work/sessions/index.ts'
import type { ChangeRows } from './rows.ts'
import type { AskRow, ChangeRow } from './table.ts'
import type { ChangeTracker } from './tracker.ts'
import { renderNotes, renderTurn } from './turn.ts'

/** The conversations of sessions, as their programs log them. */
interface ConversationLogs {
  entries(row: SessionRow): Promise<readonly { entry: { blocks(): unknown } }[] | undefined>
}

export interface AskOptions {
  store: Store
  clock: Clock
  deadlines: Deadlines
  rows: ChangeRows
  tracker: ChangeTracker
  beads: BeadRepository
  sessions: SessionRepository
  queue: MessageQueue
  waker: SessionWaker
  closer: Pick<SessionCloser, 'reopen'>
  logs: ConversationLogs
  report(message: string): void
}

const ASKS = gcPart('review')
const REQUEST = /^review:(ch-[a-z2-7]+):(\d+):(\d+)$/
const MAX_TRIES = 3
/** A program logs what it was sent a moment later. */
const LOG_DELAY_MS = 5_000
const RETRY_MS = 30_000

/**
 * Gives what people ask for to the conversation of a session, as one turn. Where it is not known whether the turn arrived, the
 * log of the program tells: it names the turn by a mark that no other has.
 */
export class AskDelivery {
  #working: Promise<void> = Promise.resolve()
  #due: Deadline | undefined
  #unsubscribe: () => void = () => {}
  #isClosed = false

  constructor(private readonly options: AskOptions) {
    options.queue.onEnd((tx, request, outcome, reason) => this.#onEnd(tx, request, outcome, reason))
  }

  start(): void {
    this.#unsubscribe = this.options.sessions.onChange(() => this.#onSessions())
    if (this.#unsettled().length > 0) this.#workSoon()
  }

  async stop(): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe()
    this.#due?.cancel()
    await this.#working
  }

  /** Resolves when nothing can be done just now for what did not arrive. */
  async whenIdle(): Promise<void> {
    await this.#working
  }

  /** Gives the turn of a request to the session of its change: once it is on disk, it arrives once. Throws when nobody can take it. */
  send(tx: Tx, change: ChangeRow, ask: AskRow): void {
    const { rows, sessions, queue, waker, closer } = this.options
    const session = sessions.find(change.session)
    const problem = session === undefined ? 'it is gone' : this.#problem(tx, closer, session)
    if (problem === STILL_ENDING) return void rows.updateAsk(tx, ask, { state: 'waiting', reason: problem })
    if (problem !== undefined) return void this.#reopenBead(tx, change, ask, problem)
    const comments = rows.comments(change.id).filter((comment) => comment.ask === ask.n)
    const request = `review:${change.id}:${ask.n}:${ask.tries}`
    queue.add(tx, change.session, renderTurn(change, ask, comments), { request })
    if (HELD.has(sessions.get(change.session).state)) waker.release(tx, change.session)
    rows.updateAsk(tx, ask, { state: 'sent', session: change.session, reason: null, endedAt: null })
  }

  /** Takes back what has not arrived yet. */
  withdraw(tx: Tx, id: string, reason: string): void {
    const { rows, queue, clock } = this.options
    for (const ask of rows.asks(id)) {
      if (ask.state !== 'waiting' && ask.state !== 'sent' && ask.state !== 'checking') continue
      queue.withdraw(tx, `review:${id}:${ask.n}:${ask.tries}`)
      rows.updateAsk(tx, ask, { state: 'failed', reason, endedAt: clock.now() })
    }
  }

  #problem(tx: Tx, closer: AskOptions['closer'], session: SessionRow): string | undefined {
    if (session.state === 'failed-create') return 'it could not be started'
    return session.state === 'closed' ? closer.reopen(tx, session.id) : undefined
  }

  /** Offers the bead again, with what is asked for in its description. */
  #reopenBead(tx: Tx, change: ChangeRow, ask: AskRow, problem: string): void {
    const { beads, rows, clock } = this.options
    const bead = change.bead === null ? undefined : beads.find(change.bead)
    if (!bead) {
      throw new AppError(
        'conflict-wrong-state',
        `session ${change.session} cannot be asked for changes: ${problem}, and there is no bead to open again; create one with gc bead create`,
      )
    }
    const comments = rows.comments(change.id).filter((comment) => comment.ask === ask.n)
    const notes = renderNotes(change, ask, comments)
    const description = [bead.description, notes].filter(Boolean).join('\n\n')
    if (Buffer.byteLength(description) > BEAD_LIMITS.description) {
      throw new AppError(
        'conflict-wrong-state',
        `session ${change.session} cannot be asked for changes: ${problem}, and the description of bead ${bead.id} has no room for the comments`,
      )
    }
    if (bead.status === 'closed') beads.reopen(tx, bead.id)
    const isFree = bead.status === 'closed' || bead.status === 'open'
    beads.change(tx, bead.id, { description, ...(isFree && { assignee: '' }) })
    rows.updateAsk(tx, ask, { state: 'reopened', reason: problem, endedAt: clock.now() })
  }

  #onEnd(tx: Tx, request: string, outcome: MessageOutcome, reason: string): void {
    const [, id = '', n, tries] = REQUEST.exec(request) ?? []
    const { rows, clock } = this.options
    const ask = n === undefined ? undefined : rows.ask(id, Number(n))
    if (ask?.state !== 'sent' || ask.tries !== Number(tries)) return
    if (outcome === 'delivered') return void rows.updateAsk(tx, ask, { state: 'delivered', endedAt: clock.now() })
    const state = outcome === 'abandoned' ? 'waiting' : 'checking'
    rows.updateAsk(tx, ask, { state, reason, endedAt: clock.now() })
    tx.after(() => this.#workSoon())
  }

  #unsettled(): AskRow[] {
    return this.options.rows.openAsks().filter(({ state }) => state !== 'sent')
  }

  /** A session whose program has ended can be opened again. */
  #onSessions(): void {
    if (this.#unsettled().some(({ state }) => state === 'waiting')) this.#workSoon()
  }

  #workSoon(): void {
    if (this.#isClosed) return
    this.#working = this.#working.then(() => this.#work())
  }

  async #work(): Promise<void> {
    for (const ask of this.#unsettled()) {
      if (this.#isClosed) return
      await this.#settle(ask).catch((error) => this.options.report(`review ${ask.change}: ${errorMessage(error)}`))
    }
    this.#due?.cancel()
    const [next] = this.#unsettled()
    const delay = next?.state === 'checking' ? LOG_DELAY_MS : RETRY_MS
    this.#due = next && this.options.deadlines.after(delay, () => this.#onDue())
  }

  #onDue(): void {
    this.#due = undefined
    this.#workSoon()
  }

  async #settle(ask: AskRow): Promise<void> {
    const { store, rows, clock } = this.options
    const isChecked = ask.state !== 'checking' || clock.now() - (ask.endedAt ?? 0) >= LOG_DELAY_MS
    if (!isChecked) return
    const arrived = ask.state === 'checking' ? await this.#hasArrived(ask) : false
    await store.write((tx) => {
      const current = rows.ask(ask.change, ask.n)
      const change = rows.find(ask.change)
      if (!change || current?.state !== ask.state) return
      if (arrived === true) return void rows.updateAsk(tx, ask, { state: 'delivered', endedAt: clock.now() })
      const tries = ask.state === 'checking' ? ask.tries + 1 : ask.tries
      if (arrived === undefined || tries >= MAX_TRIES) return void this.#fail(tx, change, ask)
      rows.updateAsk(tx, ask, { tries })
      try {
        this.send(tx, change, { ...ask, tries })
      } catch (error) {
        this.#fail(tx, change, { ...ask, reason: errorMessage(error) })
      }
    }, ASKS)
  }

  /** Whether a turn is in the conversation of its session; undefined where its program logs none. */
  async #hasArrived({ session, mark }: AskRow): Promise<boolean | undefined> {
    const row = this.options.sessions.find(session)
    const entries = row && (await this.options.logs.entries(row))
    return entries?.some(({ entry }) => JSON.stringify(entry.blocks()).includes(mark))
  }

  /** The change waits for people again, who have their comments back as drafts. */
  #fail(tx: Tx, change: ChangeRow, ask: AskRow): void {
    const { rows, clock, tracker } = this.options
    rows.updateAsk(tx, ask, { state: 'failed', reason: ask.reason, endedAt: clock.now() })
    for (const comment of rows.comments(change.id)) {
      if (comment.ask === ask.n && comment.state === 'open')
        rows.updateComment(tx, comment, { state: 'draft', ask: null })
    }
    if (change.state === 'asked') tracker.takeBack(tx, change)
  }
}
