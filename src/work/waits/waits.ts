import { fenceText } from '../../config/providers/prompt.ts'
import { gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { RecordedEvent } from '../../core/events/event.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { fillPage } from '../../http/page.ts'
import type { BeadRepository } from '../beads/repository.ts'
import { WaitRepository } from './repository.ts'
import { parseWait, type WaitRequest } from './request.ts'
import type { WaitCreate, WaitListBody, WaitQuery, WaitView } from './schema.ts'
import type { NudgeOutcome, WaitingSessions } from './sessions.ts'
import type { WaitRow, WaitState } from './table.ts'
import { toWaitView, waitMetadata } from './view.ts'

export interface WaitsOptions {
  /** The city's name. */
  city: string
  store: Store
  clock: Clock
  deadlines: Deadlines
  reactions: Reactions
  beads: BeadRepository
  sessions: WaitingSessions
  report(message: string): void
}

const MAX_LISTED = 1000
/** How many waits one session may have at a time. */
const MAX_PER_SESSION = 100

const LIVE_STATES: ReadonlySet<string> = new Set(['pending', 'ready'])

/** Sessions that wait for beads: each is woken or nudged once when they are closed. */
export class Waits {
  readonly #options: WaitsOptions
  readonly #repository: WaitRepository
  #deadline: Deadline | undefined
  #isStarted = false

  constructor(options: WaitsOptions) {
    this.#options = options
    const { store, beads, reactions, sessions } = options
    this.#repository = new WaitRepository(store)
    beads.registerProjection('gate', (ids) => this.#metadata(ids))
    reactions.on('waits.resolve', ['bead.closed', 'bead.deleted'], (tx, recorded) => this.#react(tx, recorded))
    sessions.onNudgeEnded((tx, name, outcome, reason) => this.#endNudged(tx, name, outcome, reason))
    sessions.onWake((tx, id) => this.#cancelAll(tx, id, 'session-woken'))
    sessions.onReset((tx, id) => this.#cancelAll(tx, id, 'continuation-stale'))
  }

  /** Watches for waits that expire, and ends those that did while nothing ran. */
  start(): void {
    this.#isStarted = true
    this.#arm()
  }

  stop(): void {
    this.#isStarted = false
    this.#deadline?.cancel()
  }

  list({ state, session }: WaitQuery): WaitListBody {
    const rows = this.#repository.listLive(session || undefined, MAX_LISTED + 1)
    const listed = rows.slice(0, MAX_LISTED).filter((row) => !state || row.state === state)
    const beads = this.#repository.beadsOf(listed.map(({ id }) => id))
    const toView = (row: WaitRow) => toWaitView(row, this.#options.beads.get(row.id), beads.get(row.id) ?? [])
    const { items: waits, last } = fillPage(listed, MAX_LISTED, toView)
    return { waits, capped: rows.length > MAX_LISTED || last !== undefined }
  }

  get(id: string): WaitView {
    const row = this.#repository.find(id)
    if (row) {
      const beads = this.#repository.beadsOf([id]).get(id) ?? []
      return toWaitView(row, this.#options.beads.get(id), beads)
    }
    const prefix = this.#options.beads.find(id) ? 'not_a_wait' : 'not_found'
    throw new AppError('wait-not-found', `${prefix}: ${id}`)
  }

  /** Creates a wait; when its beads are closed already it is ready at once. */
  create(caller: Caller, body: WaitCreate, saveResponse: SaveResponse = withoutReplay): Promise<WaitView> {
    const { store, clock, beads, sessions, city } = this.#options
    return store.write((tx) => {
      const now = clock.now()
      const request = parseWait(body, { caller, city, now, sessions, beads })
      const { session } = request
      if (this.#repository.listLive(session.id, MAX_PER_SESSION).length === MAX_PER_SESSION) {
        throw new AppError(
          'invalid-request',
          `session ${session.id} waits ${MAX_PER_SESSION} times already; cancel some first`,
        )
      }
      const bead = beads.add(
        tx,
        {
          title: `wait:${sessions.titleOf(session.id)}`.slice(0, 250),
          type: 'gate',
          description: body.note,
          labels: ['gc:wait', `session:${session.id}`],
        },
        {
          writeSideTable: (id) => this.#repository.insert(tx, newRow(id, body, request, now), request.beads),
        },
      )
      this.#checkProgress(tx, bead.id)
      tx.after(() => this.#arm())
      return saveResponse(tx, this.get(bead.id))
    }, actorOf(caller))
  }

  /** Ends a wait without notifying its session; one that is over stays as it is. */
  cancel(caller: Caller, id: string): Promise<WaitView> {
    return this.#options.store.write((tx) => {
      if (LIVE_STATES.has(this.#getOwn(caller, id).state)) this.#end(tx, id, 'canceled')
      return this.get(id)
    }, actorOf(caller))
  }

  /** Wakes the session of a wait whether or not its beads are closed; one that is not pending stays as it is. */
  ready(caller: Caller, id: string): Promise<WaitView> {
    return this.#options.store.write((tx) => {
      const row = this.#getOwn(caller, id).state === 'pending' ? this.#repository.find(id) : undefined
      if (row) this.#markReady(tx, row, 'is over: it need not wait any longer')
      return this.get(id)
    }, actorOf(caller))
  }

  /** A wait that the caller may end. */
  #getOwn(caller: Caller, id: string): WaitView {
    const view = this.get(id)
    const city = caller.kind === 'session' ? caller.city : this.#options.city
    const session = caller.kind === 'session' ? caller.session : view.session_id
    if (city === this.#options.city && session === view.session_id) return view
    throw new AppError('forbidden', `forbidden: wait ${id} is of session ${view.session_id}`)
  }

  #react(tx: Tx, { subject = '' }: RecordedEvent): void {
    const wait = this.#repository.find(subject)
    if (wait && LIVE_STATES.has(wait.state)) this.#end(tx, subject, 'canceled', 'its bead was closed')
    if (this.#options.sessions.find(subject)?.state === 'closed') this.#cancelAll(tx, subject, 'session-closed')
    for (const id of this.#repository.listByBead(subject)) this.#checkProgress(tx, id)
  }

  /** Ends the pending state of a wait once its beads are closed, or cannot be any more. */
  #checkProgress(tx: Tx, id: string): void {
    const row = this.#repository.find(id)
    if (row?.state !== 'pending') return
    const { total, closed, missing, missingBead } = this.#repository.progress(id)
    const isDone = row.mode === 'all' ? closed === total : closed > 0
    const isHopeless = row.mode === 'all' ? missing > 0 : missing === total
    if (isDone) this.#markReady(tx, row, 'is over: what it waited for is closed')
    else if (isHopeless) this.#giveUp(tx, row, 'failed', `bead ${missingBead} does not exist any more`)
  }

  #markReady(tx: Tx, row: WaitRow, sentence: string): void {
    const nudge = nudgeName(row)
    const change = { state: 'ready', readyAt: this.#options.clock.now(), nudge } as const
    const writeSideTable = () => this.#repository.update(tx, row.id, change)
    this.#options.beads.change(tx, row.id, {}, { writeSideTable })
    this.#nudge(tx, row, sentence, nudge)
  }

  /** Ends a wait whose beads were not closed; its session is nudged, so that it does not wait on. */
  #giveUp(tx: Tx, row: WaitRow, state: 'expired' | 'failed', error: string): void {
    const nudge = nudgeName(row)
    this.#repository.update(tx, row.id, { nudge })
    this.#end(tx, row.id, state, error)
    this.#nudge(tx, row, `has ${state}: ${error}`, nudge)
  }

  #nudge(tx: Tx, row: WaitRow, sentence: string, nudge: string): void {
    const { sessions, beads } = this.#options
    const session = sessions.find(row.session)
    if (!session || session.state === 'closed') return
    const note = beads.get(row.id).description
    const text = `Your wait ${row.id} ${sentence}. \`gc wait inspect ${row.id}\` shows it.`
    sessions.wake(tx, row.session)
    sessions.nudge(tx, row.session, note ? `${text}\n${fenceText(note, `the note of wait ${row.id}`)}` : text, nudge)
  }

  #endNudged(tx: Tx, nudge: string, outcome: NudgeOutcome, reason: string): void {
    const row = this.#repository.findByNudge(nudge)
    if (!row) return
    if (outcome === 'delivered') this.#end(tx, row.id, 'closed')
    if (outcome === 'failed') this.#end(tx, row.id, 'failed', reason)
    if (outcome === 'abandoned') this.#end(tx, row.id, 'canceled', 'session-closed')
  }

  #cancelAll(tx: Tx, session: string, error: string): void {
    for (const { id } of this.#repository.listLive(session, MAX_PER_SESSION)) this.#end(tx, id, 'canceled', error)
  }

  #end(tx: Tx, id: string, state: WaitState, error = ''): void {
    const { beads, clock, sessions } = this.#options
    const nudge = this.#repository.find(id)?.nudge
    if (state === 'canceled' && nudge) sessions.withdraw(tx, nudge)
    const change = { state, error, endedAt: clock.now() }
    const writeSideTable = () => this.#repository.update(tx, id, change)
    if (beads.get(id).status === 'closed') beads.change(tx, id, {}, { writeSideTable })
    else beads.close(tx, id, undefined, { writeSideTable })
  }

  #metadata(ids: string[]): Map<string, Record<string, string>> {
    const beads = this.#repository.beadsOf(ids)
    return new Map(this.#repository.list(ids).map((row) => [row.id, waitMetadata(row, beads.get(row.id) ?? [])]))
  }

  #arm(): void {
    this.#deadline?.cancel()
    const next = this.#isStarted ? this.#repository.nextExpiry() : undefined
    if (next === undefined) return
    const { deadlines, report } = this.#options
    this.#deadline = deadlines.at(next, () => {
      this.#expire().catch((error) => report(`waits did not expire in time: ${errorMessage(error)}`))
    })
  }

  async #expire(): Promise<void> {
    await this.#options.store.write((tx) => {
      for (const id of this.#repository.listExpired(this.#options.clock.now())) {
        const row = this.#repository.find(id)
        if (row) this.#giveUp(tx, row, 'expired', 'its time ran out')
      }
    }, gcPart('waits'))
    this.#arm()
  }
}

const nudgeName = ({ id, epoch }: WaitRow): string => `wait-${id}-${epoch}-1`

function newRow(id: string, { mode = 'all' }: WaitCreate, request: WaitRequest, now: number): WaitRow {
  const { session, createdBy, expiresAt } = request
  return {
    id,
    session: session.id,
    sessionName: session.sessionName,
    mode,
    state: 'pending',
    epoch: session.generation,
    nudge: null,
    expiresAt,
    createdBy,
    createdAt: now,
    readyAt: null,
    endedAt: null,
    error: '',
  }
}
