import { type SessionCloser, STILL_ENDING } from '../../agents/lifecycle/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { BEAD_LIMITS, type BeadRepository } from '../../work/beads/index.ts'
import {
  HELD,
  type MessageOutcome,
  type MessageQueue,
  type SessionRepository,
  type SessionRow,
  type SessionWaker,
} from '../../work/sessions/index.ts'

/**
 * `waiting`: until its session can be opened. `sent`: it is in the queue of the session. `checking`: it may have arrived.
 * `reopened`: the bead was reopened with it.
 */
export const TURN_STATES = ['waiting', 'sent', 'checking', 'delivered', 'reopened', 'failed'] as const
export type TurnState = (typeof TURN_STATES)[number]

/** A turn that must arrive exactly once. */
export interface Turn {
  /** Its name among those of its kind. */
  readonly key: string
  /** The session that it was sent to last. */
  readonly session: string
  readonly state: TurnState
  /** The number of times it was sent and did not arrive. */
  readonly tries: number
  /** The mark by which the log of a program names it. */
  readonly mark: string
  readonly reason: string | null
  readonly endedAt: number | null
}

/** The content of a turn, and its owner. */
export interface TurnContents {
  readonly session: string
  readonly text: string
  /** The bead that is opened again where the session cannot be, with these notes. */
  readonly bead: string | null
  readonly notes: string
  /** The reason why its session cannot take it, even though it is there. */
  readonly problem?: string | undefined
}

/** The rows of turns of one kind. */
export interface TurnSource {
  /** Begins the names of its requests and of what it does. */
  readonly kind: string
  /** Words of errors: the session cannot be …, and the description has no room for …. */
  readonly words: { readonly purpose: string; readonly content: string }
  /** Turns that are `waiting`, `sent` or `checking`. */
  open(): Turn[]
  find(key: string): Turn | undefined
  update(tx: Tx, key: string, change: Partial<Omit<Turn, 'key' | 'mark'>>): void
  /** Undefined once it is about nothing any more. */
  contents(turn: Turn): TurnContents | undefined
  /** Done before a turn that waits is sent. */
  prepare?(turn: Turn): Promise<void>
  /** Called in the write in which a turn is given up. */
  onFailed?(tx: Tx, turn: Turn): void
}

/** The conversations of sessions, as their programs log them. */
interface ConversationLogs {
  entries(row: SessionRow): Promise<readonly { entry: { blocks(): unknown } }[] | undefined>
}

export interface TurnOptions {
  readonly beads: BeadRepository
  readonly sessions: SessionRepository
  readonly queue: MessageQueue
  readonly waker: SessionWaker
  readonly closer: Pick<SessionCloser, 'reopen'>
  readonly logs: ConversationLogs
}

const MAX_TRIES = 3
const MAX_UNPREPARED = 10
/** A program logs what it was sent a moment later. */
const LOG_DELAY_MS = 5_000
const RETRY_MS = 30_000

/**
 * Gives turns to the conversations of sessions, each once. Where it is not known whether a turn arrived, the log of the
 * program decides: it names the turn by a mark that no other has. A closed session is opened again; where that cannot
 * be done, the bead is opened again instead, with the turn in its description.
 */
export class TurnDelivery {
  readonly #unprepared = new Map<string, number>()
  #working: Promise<void> = Promise.resolve()
  #due: Deadline | undefined
  #unsubscribe: () => void = () => {}
  #isWanted = false
  #isStarted = false
  #isClosed = false

  constructor(
    private readonly context: CityContext,
    private readonly options: TurnOptions,
    private readonly source: TurnSource,
  ) {
    options.queue.onEnd((tx, request, outcome, reason) => this.#onEnd(tx, request, outcome, reason))
  }

  start(): void {
    this.#isStarted = true
    this.#unsubscribe = this.options.sessions.onChange(() => this.#onSessions())
    if (this.#unsettled().length > 0) this.wake()
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

  /** Does what there is to do for turns that wait. */
  wake(): void {
    if (!this.#isStarted || this.#isClosed || this.#isWanted) return
    this.#isWanted = true
    this.#working = this.#working.then(() => {
      this.#isWanted = false
      return this.#work()
    })
  }

  /** Gives a turn to its session: once it is on disk, it arrives once. Throws when no one can take it. */
  send(tx: Tx, turn: Turn, contents: TurnContents): void {
    const { sessions, queue, waker, closer } = this.options
    const session = sessions.find(contents.session)
    const problem = session === undefined ? 'it is gone' : (contents.problem ?? openProblem(tx, closer, session))
    if (problem === STILL_ENDING) return void this.source.update(tx, turn.key, { state: 'waiting', reason: problem })
    if (problem !== undefined) return void this.#reopenBead(tx, turn, contents, problem)
    queue.add(tx, contents.session, contents.text, { request: this.#requestOf(turn) })
    if (HELD.has(sessions.get(contents.session).state)) waker.release(tx, contents.session)
    this.source.update(tx, turn.key, { state: 'sent', session: contents.session, reason: null, endedAt: null })
  }

  /** Takes back turns that have not arrived yet. */
  withdraw(tx: Tx, turns: readonly Turn[], reason: string): void {
    const { clock } = this.context
    const { queue } = this.options
    for (const turn of turns) {
      if (turn.state !== 'waiting' && turn.state !== 'sent' && turn.state !== 'checking') continue
      queue.withdraw(tx, this.#requestOf(turn))
      this.source.update(tx, turn.key, { state: 'failed', reason, endedAt: clock.now() })
    }
  }

  #requestOf({ key, tries }: Turn): string {
    return `${this.source.kind}:${key}:${tries}`
  }

  /** Offers the bead again, with what is asked for in its description. */
  #reopenBead(tx: Tx, turn: Turn, { session, bead: id, notes }: TurnContents, problem: string): void {
    const { clock } = this.context
    const { beads } = this.options
    const { purpose, content } = this.source.words
    const failed = `session ${session} cannot be ${purpose}: ${problem}`
    const bead = id === null ? undefined : beads.find(id)
    if (!bead) {
      const why = 'there is no bead to open again; create one with gc bead create'
      throw new AppError('conflict-wrong-state', `${failed}, and ${why}`)
    }
    const description = [bead.description, notes].filter(Boolean).join('\n\n')
    if (Buffer.byteLength(description) > BEAD_LIMITS.description) {
      const why = `the description of bead ${bead.id} has no room for ${content}`
      throw new AppError('conflict-wrong-state', `${failed}, and ${why}`)
    }
    if (bead.status === 'closed') beads.reopen(tx, bead.id)
    const isFree = bead.status === 'closed' || bead.status === 'open'
    beads.change(tx, bead.id, { description, ...(isFree && { assignee: '' }) })
    this.source.update(tx, turn.key, { state: 'reopened', reason: problem, endedAt: clock.now() })
  }

  #onEnd(tx: Tx, request: string, outcome: MessageOutcome, reason: string): void {
    const prefix = `${this.source.kind}:`
    if (!request.startsWith(prefix)) return
    const end = request.lastIndexOf(':')
    const turn = this.source.find(request.slice(prefix.length, end))
    if (turn?.state !== 'sent' || String(turn.tries) !== request.slice(end + 1)) return
    const endedAt = this.context.clock.now()
    if (outcome === 'delivered') return void this.source.update(tx, turn.key, { state: 'delivered', endedAt })
    const state = outcome === 'abandoned' ? 'waiting' : 'checking'
    this.source.update(tx, turn.key, { state, reason, endedAt })
    tx.after(() => this.wake())
  }

  #unsettled(): Turn[] {
    return this.source.open().filter(({ state }) => state !== 'sent')
  }

  /** A session whose program has ended can be opened again. */
  #onSessions(): void {
    if (this.#unsettled().some(({ state }) => state === 'waiting')) this.wake()
  }

  async #work(): Promise<void> {
    for (const turn of this.#unsettled()) {
      if (this.#isClosed) return
      await this.#settle(turn).catch((error) => {
        this.context.report(`${this.source.kind} ${turn.key}: ${errorMessage(error)}`)
      })
    }
    this.#due?.cancel()
    const [next] = this.#unsettled()
    const delay = next?.state === 'checking' ? LOG_DELAY_MS : RETRY_MS
    this.#due = next && this.context.deadlines.after(delay, () => this.#onDue())
  }

  #onDue(): void {
    this.#due = undefined
    this.wake()
  }

  async #settle(turn: Turn): Promise<void> {
    const { store, clock } = this.context
    const isChecked = turn.state !== 'checking' || clock.now() - (turn.endedAt ?? 0) >= LOG_DELAY_MS
    if (!isChecked) return
    const arrived = turn.state === 'checking' ? await this.#hasArrived(turn) : false
    if (arrived === false && !(await this.#isPrepared(turn))) return
    await store.write((tx) => {
      const contents = this.source.contents(turn)
      if (!contents || this.source.find(turn.key)?.state !== turn.state) return
      if (arrived === true) {
        return this.source.update(tx, turn.key, { state: 'delivered', endedAt: clock.now() })
      }
      const tries = turn.state === 'checking' ? turn.tries + 1 : turn.tries
      if (arrived === undefined || tries >= MAX_TRIES) return this.#fail(tx, turn)
      this.source.update(tx, turn.key, { tries })
      try {
        this.send(tx, { ...turn, tries }, contents)
      } catch (error) {
        this.#fail(tx, { ...turn, reason: errorMessage(error) })
      }
    }, gcPart(this.source.kind))
  }

  /** True if everything is there that a turn needs; one for which that fails again and again is given up. */
  async #isPrepared(turn: Turn): Promise<boolean> {
    try {
      await this.source.prepare?.(turn)
      this.#unprepared.delete(turn.key)
      return true
    } catch (error) {
      const failures = (this.#unprepared.get(turn.key) ?? 0) + 1
      this.#unprepared.set(turn.key, failures)
      if (failures < MAX_UNPREPARED) throw error
      this.#unprepared.delete(turn.key)
      const reason = errorMessage(error)
      await this.context.store.write((tx) => this.#fail(tx, { ...turn, reason }), gcPart(this.source.kind))
      return false
    }
  }

  /** True if a turn is in the conversation of its session; undefined where its program logs none. */
  async #hasArrived({ session, mark }: Turn): Promise<boolean | undefined> {
    const row = this.options.sessions.find(session)
    const entries = row && (await this.options.logs.entries(row))
    return entries?.some(({ entry }) => JSON.stringify(entry.blocks()).includes(mark))
  }

  #fail(tx: Tx, turn: Turn): void {
    this.source.update(tx, turn.key, { state: 'failed', reason: turn.reason, endedAt: this.context.clock.now() })
    this.source.onFailed?.(tx, turn)
  }
}

function openProblem(tx: Tx, closer: TurnOptions['closer'], session: SessionRow): string | undefined {
  if (session.state === 'failed-create') return 'it could not be started'
  return session.state === 'closed' ? closer.reopen(tx, session.id) : undefined
}
