import { fenceText } from '../../config/providers/prompt.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { RecordedEvent } from '../../core/events/event.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { Beads } from '../beads/beads.ts'
import { beginning } from './draft.ts'
import type { WaitCreate, WaitListBody, WaitQuery, WaitView } from './schema.ts'
import { toView, WaitShelf } from './shelf.ts'
import type { WaitRow, WaitState } from './table.ts'

/** What a wait has to know of the session that waits. */
export interface Waiter {
  id: string
  sessionName: string
  state: string
  generation: number
}

/** What waits do with sessions. */
export interface Waiters {
  find(id: string): Waiter | undefined
  /** The live session a token names; refuses when there is none. */
  resolve(token: string): Waiter
  titleOf(id: string): string
  /** Has a sleeping session started. */
  rouse(tx: Tx, id: string): void
  /** Puts a text in a session's queue, under a name by which its end is told. */
  nudge(tx: Tx, id: string, text: string, name: string): void
  /** Takes a text back that still waits. */
  withdraw(tx: Tx, name: string): void
  /** Hears how a named text ended; `abandoned` because its session is over. */
  onNudged(hear: (tx: Tx, name: string, how: 'delivered' | 'failed' | 'abandoned', reason: string) => void): void
  /** Hears of a session that somebody wakes. */
  onWake(hear: (tx: Tx, id: string) => void): void
  /** Hears of a session that begins another conversation. */
  onReset(hear: (tx: Tx, id: string) => void): void
}

interface Needs {
  /** The city's name. */
  city: string
  store: Store
  clock: Clock
  deadlines: Deadlines
  reactions: Reactions
  beads: Beads
  sessions: Waiters
  report(message: string): void
}

/** Most waits of one list. */
const CAP = 1000
/** Most waits of one session at a time. */
const MOST = 100

const LIVE: ReadonlySet<string> = new Set(['pending', 'ready'])

/** Sessions that wait for beads: each is woken or reminded once when they are closed. */
export class Waits {
  readonly #shelf: WaitShelf
  #deadline: Deadline | undefined
  #watching = false

  constructor(private readonly needs: Needs) {
    const { store, beads, reactions, sessions } = needs
    this.#shelf = new WaitShelf(store)
    beads.projects('gate', (ids) => this.#shelf.metadata(ids))
    reactions.on('waits.resolve', ['bead.closed', 'bead.deleted'], (tx, recorded) => this.#follow(tx, recorded))
    sessions.onNudged((tx, name, how, reason) => this.#nudged(tx, name, how, reason))
    sessions.onWake((tx, id) => this.#cancelAll(tx, id, 'session-woken'))
    sessions.onReset((tx, id) => this.#cancelAll(tx, id, 'continuation-stale'))
  }

  /** Watches for waits that run out, also those that did while nobody watched. */
  start(): void {
    this.#watching = true
    this.#arm()
  }

  stop(): void {
    this.#watching = false
    this.#deadline?.cancel()
  }

  list({ state, session }: WaitQuery): WaitListBody {
    const rows = this.#shelf.live(session || undefined, CAP + 1)
    const shown = rows.slice(0, CAP).filter((row) => !state || row.state === state)
    const beads = this.#shelf.beads(shown.map(({ id }) => id))
    const waits = shown.map((row) => toView(row, this.needs.beads.get(row.id), beads.get(row.id) ?? []))
    return { waits, capped: rows.length > CAP }
  }

  get(id: string): WaitView {
    const row = this.#shelf.find(id)
    if (row) return this.#view(row)
    const what = this.needs.beads.find(id) ? 'not_a_wait' : 'not_found'
    throw new AppError('wait-not-found', `${what}: ${id}`)
  }

  /** Begins a wait; when its beads are closed already it is ready at once. */
  create(caller: Caller, body: WaitCreate, once: SaveResponse = withoutReplay): Promise<WaitView> {
    const { store, clock, beads, sessions, city } = this.needs
    return store.write((tx) => {
      const { waiter, by, expiresAt, on } = beginning({ caller, city, body, now: clock.now(), sessions, beads })
      if (this.#shelf.live(waiter.id, MOST).length === MOST) {
        throw new AppError('invalid-request', `session ${waiter.id} waits ${MOST} times already; cancel some first`)
      }
      const bead = beads.add(
        tx,
        {
          title: `wait:${sessions.titleOf(waiter.id)}`.slice(0, 250),
          type: 'gate',
          description: body.note,
          labels: ['gc:wait', `session:${waiter.id}`],
        },
        { beside: (id) => this.#shelf.add(tx, begun(id, waiter, body, { by, expiresAt, now: clock.now() }), on) },
      )
      this.#look(tx, bead.id)
      tx.after(() => this.#arm())
      return once(tx, this.get(bead.id))
    })
  }

  /** Ends a wait without telling its session; one that is over stays as it is. */
  cancel(caller: Caller, id: string): Promise<WaitView> {
    return this.needs.store.write((tx) => {
      if (LIVE.has(this.#own(caller, id).state)) this.#end(tx, id, 'canceled')
      return this.get(id)
    })
  }

  /** Wakes the session of a wait whether or not its beads are closed; one that is not pending stays as it is. */
  ready(caller: Caller, id: string): Promise<WaitView> {
    return this.needs.store.write((tx) => {
      const row = this.#own(caller, id).state === 'pending' ? this.#shelf.find(id) : undefined
      if (row) this.#ready(tx, row, 'is over: it need not wait any longer')
      return this.get(id)
    })
  }

  /** A wait that the caller may end. */
  #own(caller: Caller, id: string): WaitView {
    const view = this.get(id)
    const { city, session } = caller.kind === 'session' ? caller : { city: this.needs.city, session: view.session_id }
    if (city === this.needs.city && session === view.session_id) return view
    throw new AppError('forbidden', `forbidden: wait ${id} is of session ${view.session_id}`)
  }

  #follow(tx: Tx, { subject = '' }: RecordedEvent): void {
    const own = this.#shelf.find(subject)
    if (own && LIVE.has(own.state)) this.#end(tx, subject, 'canceled', 'its bead was closed')
    if (this.needs.sessions.find(subject)?.state === 'closed') this.#cancelAll(tx, subject, 'session-closed')
    for (const id of this.#shelf.on(subject)) this.#look(tx, id)
  }

  /** Looks whether a pending wait is over. */
  #look(tx: Tx, id: string): void {
    const row = this.#shelf.find(id)
    if (row?.state !== 'pending') return
    const { total, closed, missing, lost } = this.#shelf.progress(id)
    const done = row.mode === 'all' ? closed === total : closed > 0
    const hopeless = row.mode === 'all' ? missing > 0 : missing === total
    if (done) this.#ready(tx, row, 'is over: what it waited for is closed')
    else if (hopeless) this.#giveUp(tx, row, 'failed', `bead ${lost} does not exist any more`)
  }

  #ready(tx: Tx, row: WaitRow, how: string): void {
    const nudge = nudgeOf(row)
    const change = { state: 'ready', readyAt: this.needs.clock.now(), nudge } as const
    this.needs.beads.change(tx, row.id, {}, { beside: () => this.#shelf.set(tx, row.id, change) })
    this.#remind(tx, row, how, nudge)
  }

  /** A wait that came to nothing; its session is told, so that it does not wait on. */
  #giveUp(tx: Tx, row: WaitRow, state: 'expired' | 'failed', error: string): void {
    const nudge = nudgeOf(row)
    this.#shelf.set(tx, row.id, { nudge })
    this.#end(tx, row.id, state, error)
    this.#remind(tx, row, `has ${state}: ${error}`, nudge)
  }

  #remind(tx: Tx, row: WaitRow, how: string, nudge: string): void {
    const { sessions, beads } = this.needs
    const waiter = sessions.find(row.session)
    if (!waiter || waiter.state === 'closed') return
    const note = beads.get(row.id).description
    const text = `Your wait ${row.id} ${how}. \`gc wait inspect ${row.id}\` shows it.`
    sessions.rouse(tx, row.session)
    sessions.nudge(tx, row.session, note ? `${text}\n${fenceText(note, `the note of wait ${row.id}`)}` : text, nudge)
  }

  #nudged(tx: Tx, nudge: string, how: 'delivered' | 'failed' | 'abandoned', reason: string): void {
    const row = this.#shelf.nudged(nudge)
    if (!row) return
    if (how === 'delivered') this.#end(tx, row.id, 'closed')
    if (how === 'failed') this.#end(tx, row.id, 'failed', reason)
    if (how === 'abandoned') this.#end(tx, row.id, 'canceled', 'session-closed')
  }

  #cancelAll(tx: Tx, session: string, error: string): void {
    for (const { id } of this.#shelf.live(session, MOST)) this.#end(tx, id, 'canceled', error)
  }

  #end(tx: Tx, id: string, state: WaitState, error = ''): void {
    const { nudge } = this.#shelf.find(id) ?? {}
    if (state === 'canceled' && nudge) this.needs.sessions.withdraw(tx, nudge)
    const change = { state, error, endedAt: this.needs.clock.now() }
    const beside = () => this.#shelf.set(tx, id, change)
    if (this.needs.beads.get(id).status === 'closed') this.needs.beads.change(tx, id, {}, { beside })
    else this.needs.beads.close(tx, id, undefined, { beside })
  }

  #view(row: WaitRow): WaitView {
    return toView(row, this.needs.beads.get(row.id), this.#shelf.beads([row.id]).get(row.id) ?? [])
  }

  #arm(): void {
    this.#deadline?.cancel()
    const nearest = this.#watching ? this.#shelf.nearest() : undefined
    if (nearest === undefined) return
    this.#deadline = this.needs.deadlines.at(nearest, () => {
      this.#sweep().catch((error) => this.needs.report(`waits did not run out in time: ${errorMessage(error)}`))
    })
  }

  async #sweep(): Promise<void> {
    await this.needs.store.write((tx) => {
      for (const id of this.#shelf.due(this.needs.clock.now())) {
        const row = this.#shelf.find(id)
        if (row) this.#giveUp(tx, row, 'expired', 'its time ran out')
      }
    })
    this.#arm()
  }
}

const nudgeOf = ({ id, epoch }: WaitRow): string => `wait-${id}-${epoch}-1`

interface Begun {
  by: string | null
  expiresAt: number | null
  now: number
}

const begun = (id: string, waiter: Waiter, { mode = 'all' }: WaitCreate, { by, expiresAt, now }: Begun): WaitRow => ({
  id,
  session: waiter.id,
  sessionName: waiter.sessionName,
  mode,
  state: 'pending',
  epoch: waiter.generation,
  nudge: null,
  expiresAt,
  createdBy: by,
  createdAt: now,
  readyAt: null,
  endedAt: null,
  error: '',
})
