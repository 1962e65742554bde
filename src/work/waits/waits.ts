import { desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { fenceText } from '../../config/providers/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError, errorMessage, invalidField } from '../../core/errors.ts'
import type { Reactions, RecordedEvent } from '../../core/events/index.ts'
import { type Orm, query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { fillPage } from '../../http/respond/index.ts'
import type { Bead, BeadRepository } from '../beads/index.ts'
import type { WaitKey } from '../metadata.ts'
import type {
  MessageOutcome,
  MessageQueue,
  SessionRepository,
  SessionResolver,
  SessionRow,
  SessionWaker,
} from '../sessions/index.ts'
import type { WaitCreate, WaitListBody, WaitQuery, WaitView } from './schema.ts'
import { type WaitRow, type WaitState, waitBeads, waits } from './table.ts'

export interface WaitsOptions {
  /** The city's name. */
  city: string
  reactions: Reactions
  beads: BeadRepository
  sessions: SessionRepository
  resolver: SessionResolver
  waker: SessionWaker
  queue: MessageQueue
}

const MAX_LISTED = 1000
/** Maximum number of waits one session may have at a time. */
const MAX_PER_SESSION = 100

const LIVE_STATES: ReadonlySet<string> = new Set(['pending', 'ready'])

/** Sessions that wait for beads: each is woken or nudged once when they are closed. */
export class Waits {
  readonly #repository: WaitRepository
  #deadline: Deadline | undefined
  #isStarted = false

  constructor(
    private readonly context: CityContext,
    private readonly options: WaitsOptions,
  ) {
    const { store } = context
    const { beads, reactions, sessions, waker, queue } = options
    this.#repository = new WaitRepository(store)
    beads.registerProjection('gate', (ids) => this.#metadata(ids))
    reactions.on('waits.resolve', ['bead.closed', 'bead.deleted'], (tx, recorded) => this.#react(tx, recorded))
    queue.onEnd((tx, name, outcome, reason) => this.#endNudged(tx, name, outcome, reason))
    waker.onWake((tx, id) => this.#cancelAll(tx, id, 'session-woken'))
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
    const toView = (row: WaitRow) => toWaitView(row, this.options.beads.get(row.id), beads.get(row.id) ?? [])
    const { items: waits, last } = fillPage(listed, MAX_LISTED, toView)
    return { waits, capped: rows.length > MAX_LISTED || last !== undefined }
  }

  get(id: string): WaitView {
    const row = this.#repository.find(id)
    if (row) {
      const beads = this.#repository.beadsOf([id]).get(id) ?? []
      return toWaitView(row, this.options.beads.get(id), beads)
    }
    const prefix = this.options.beads.find(id) ? 'not_a_wait' : 'not_found'
    throw new AppError('wait-not-found', `${prefix}: ${id}`)
  }

  /** Creates a wait; when its beads are closed already it is ready immediately. */
  create(caller: Caller, body: WaitCreate): Promise<WaitView> {
    const { store, clock } = this.context
    const { beads, sessions, resolver, city } = this.options
    return store.write((tx) => {
      const now = clock.now()
      const request = parseWait(body, { caller, city, now, resolver, beads })
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
      return this.get(bead.id)
    }, actorOf(caller))
  }

  /** Ends a wait without notifying its session; one that is over stays unchanged. */
  cancel(caller: Caller, id: string): Promise<WaitView> {
    return this.context.store.write((tx) => {
      if (LIVE_STATES.has(this.#getOwn(caller, id).state)) this.#end(tx, id, 'canceled')
      return this.get(id)
    }, actorOf(caller))
  }

  /** Wakes the session of a wait whether or not its beads are closed; one that is not pending stays unchanged. */
  ready(caller: Caller, id: string): Promise<WaitView> {
    return this.context.store.write((tx) => {
      const row = this.#getOwn(caller, id).state === 'pending' ? this.#repository.find(id) : undefined
      if (row) this.#markReady(tx, row, 'is over: it need not wait any longer')
      return this.get(id)
    }, actorOf(caller))
  }

  /** A wait that the caller may end. */
  #getOwn(caller: Caller, id: string): WaitView {
    const view = this.get(id)
    const city = caller.kind === 'session' ? caller.city : this.options.city
    const session = caller.kind === 'session' ? caller.session : view.session_id
    if (city === this.options.city && session === view.session_id) return view
    throw new AppError('forbidden', `forbidden: wait ${id} is of session ${view.session_id}`)
  }

  #react(tx: Tx, { subject = '' }: RecordedEvent): void {
    const wait = this.#repository.find(subject)
    if (wait && LIVE_STATES.has(wait.state)) this.#end(tx, subject, 'canceled', 'its bead was closed')
    if (this.options.sessions.find(subject)?.state === 'closed') this.#cancelAll(tx, subject, 'session-closed')
    for (const id of this.#repository.listByBead(subject)) this.#checkProgress(tx, id)
  }

  /** Ends the pending state of a wait once its beads are closed, or cannot be any more. */
  #checkProgress(tx: Tx, id: string): void {
    const row = this.#repository.find(id)
    if (row?.state !== 'pending') return
    const { total, closed, missing, missingBead } = this.#repository.progress(id)
    const isDone = row.mode === 'all' ? closed === total : closed > 0
    const isHopeless = row.mode === 'all' ? missing > 0 : missing === total
    if (isDone) this.#markReady(tx, row, 'is over: its bead is closed')
    else if (isHopeless) this.#giveUp(tx, row, 'failed', `bead ${missingBead} no longer exists`)
  }

  #markReady(tx: Tx, row: WaitRow, sentence: string): void {
    const nudge = nudgeName(row)
    const change = { state: 'ready', readyAt: this.context.clock.now(), nudge } as const
    const writeSideTable = () => this.#repository.update(tx, row.id, change)
    this.options.beads.change(tx, row.id, {}, { writeSideTable })
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
    const { sessions, waker, queue, beads } = this.options
    const session = sessions.find(row.session)
    if (!session || session.state === 'closed') return
    const note = beads.get(row.id).description
    const text = `Your wait ${row.id} ${sentence}. \`gc wait inspect ${row.id}\` shows it.`
    const body = note ? `${text}\n${fenceText(note, `the note of wait ${row.id}`)}` : text
    waker.wakeIfAsleep(tx, row.session)
    queue.add(tx, row.session, body, { request: nudge })
  }

  #endNudged(tx: Tx, nudge: string, outcome: MessageOutcome, reason: string): void {
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
    const { clock } = this.context
    const { beads, queue } = this.options
    const nudge = this.#repository.find(id)?.nudge
    if (state === 'canceled' && nudge) queue.withdraw(tx, nudge)
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
    const { deadlines, report } = this.context
    this.#deadline = deadlines.at(next, () => {
      this.#expire().catch((error) => report(`waits did not expire in time: ${errorMessage(error)}`))
    })
  }

  async #expire(): Promise<void> {
    await this.context.store.write((tx) => {
      for (const id of this.#repository.listExpired(this.context.clock.now())) {
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

/** Every wait is for beads. */
const KIND = 'deps'
/** A wait sends one nudge. */
const ATTEMPT = '1'

/** The columns of a wait that its bead shows as metadata. */
function waitMetadata(row: WaitRow, beads: readonly string[]): Partial<Record<WaitKey, string>> {
  const ended = row.endedAt === null ? {} : { [`${row.state}_at`]: toTimestamp(row.endedAt) }
  return {
    session_id: row.session,
    session_name: row.sessionName,
    kind: KIND,
    state: row.state,
    dep_ids: beads.join(','),
    dep_mode: row.mode,
    registered_epoch: String(row.epoch),
    delivery_attempt: ATTEMPT,
    created_at: toTimestamp(row.createdAt),
    ...(row.nudge !== null && { nudge_id: row.nudge }),
    ...(row.expiresAt !== null && { expires_at: toTimestamp(row.expiresAt) }),
    ...(row.createdBy !== null && { created_by_session: row.createdBy }),
    ...(row.readyAt !== null && { ready_at: toTimestamp(row.readyAt) }),
    ...(row.error !== '' && { last_error: row.error }),
    ...ended,
  }
}

function toWaitView(row: WaitRow, bead: Bead, beads: readonly string[]): WaitView {
  return {
    id: row.id,
    session_id: row.session,
    kind: KIND,
    state: row.state,
    status: bead.status,
    session_name: row.sessionName,
    dep_ids: [...beads],
    dep_mode: row.mode,
    registered_epoch: String(row.epoch),
    delivery_attempt: ATTEMPT,
    ...(row.nudge !== null && { nudge_id: row.nudge }),
    ...(row.expiresAt !== null && { expires_at: toTimestamp(row.expiresAt) }),
    ...(bead.description !== undefined && { note: bead.description }),
    created_at: toTimestamp(row.createdAt),
    ...(bead.labels && { labels: bead.labels }),
  }
}

interface WaitContext {
  caller: Caller
  /** The city's name. */
  city: string
  now: number
  resolver: SessionResolver
  beads: Pick<BeadRepository, 'assertExists'>
}

/** A wait that may be created. */
interface WaitRequest {
  session: SessionRow
  /** The session that requested it; null for people. */
  createdBy: string | null
  beads: readonly string[]
  expiresAt: number | null
}

const MAX_NOTE = 8 * 1024

/** Validates a request to wait; throws for a session, bead or time that cannot be waited for. */
function parseWait(body: WaitCreate, context: WaitContext): WaitRequest {
  const session = waitingSession(body.session, context)
  if (Buffer.byteLength(body.note ?? '') > MAX_NOTE) throw invalidField('body.note', 'note is too long: at most 8 KB')
  const beads = [...new Set(body.on_beads)]
  for (const id of beads) context.beads.assertExists(id)
  const createdBy = context.caller.kind === 'session' ? context.caller.session : null
  return { session, createdBy, beads, expiresAt: parseExpiry(body.expires_at, context.now) }
}

/** A session can only wait itself; a person has to name one. */
function waitingSession(token: string | undefined, { caller, city, resolver }: WaitContext): SessionRow {
  const name = token?.trim()
  if (caller.kind !== 'session') {
    if (!name) throw invalidField('body.session', 'say which session waits, by its id, alias or name')
    return resolver.resolve(name)
  }
  if (caller.city !== city) throw new AppError('forbidden', `forbidden: this session is of the city ${caller.city}`)
  const session = resolver.resolve(name || caller.session)
  if (session.id === caller.session) return session
  throw new AppError('forbidden', `forbidden: a session can only wait itself, and this is not ${session.id}`)
}

function parseExpiry(value: string | undefined, now: number): number | null {
  if (value === undefined) return null
  const timestamp = Date.parse(value)
  if (Number.isNaN(timestamp)) {
    throw invalidField('body.expires_at', `expires_at is not a timestamp: ${value}; write it as 2030-01-31T09:00:00Z`)
  }
  if (timestamp <= now) throw invalidField('body.expires_at', `expires_at is in the past: ${value}`)
  return timestamp
}

/** Number of of the beads of a wait are closed. */
interface WaitProgress {
  total: number
  closed: number
  /** Number of missing beads, with one of them. */
  missing: number
  missingBead: string | null
}

/** Queries that run for every bead that is closed and every nudge that ends. */
function prepareQueries(orm: Orm) {
  const select = (where: SQL) => orm.select().from(waits).where(where).prepare()
  return {
    byId: select(eq(waits.id, sql.placeholder('id'))),
    byNudge: select(sql`${waits.nudge} = ${sql.placeholder('nudge')} AND state = 'ready'`),
  }
}

const PENDING = "waits WHERE state = 'pending' AND expires_at IS NOT NULL"

const PROGRESS = query<WaitProgress, [string]>(
  stablePlan(`SELECT count(*) AS total, coalesce(sum(b.closed), 0) AS closed, sum(b.id IS NULL) AS missing,
         max(CASE WHEN b.id IS NULL THEN w.bead END) AS missingBead
       FROM wait_beads w LEFT JOIN beads b ON b.id = w.bead WHERE w.wait = ?`),
)

const BY_BEAD = query<{ wait: string }, [string]>(
  stablePlan('SELECT wait FROM wait_beads WHERE bead = ? ORDER BY wait'),
)

const NEXT_EXPIRY = query<{ expires: number | null }>(`SELECT min(expires_at) AS expires FROM ${PENDING}`)

const EXPIRED = query<{ id: string }, [number]>(
  `SELECT id FROM ${PENDING} AND expires_at <= ? ORDER BY expires_at LIMIT 100`,
)

/** Stores waits. */
class WaitRepository {
  readonly #queries: ReturnType<typeof prepareQueries>

  constructor(private readonly store: Store) {
    this.#queries = prepareQueries(store.orm)
  }

  find(id: string): WaitRow | undefined {
    return this.#queries.byId.get({ id })
  }

  /** The wait whose session is being sent this nudge. */
  findByNudge(nudge: string): WaitRow | undefined {
    return this.#queries.byNudge.get({ nudge })
  }

  /** Waits that are not over, newest first; of one session or of all. */
  listLive(session: string | undefined, limit: number): WaitRow[] {
    const isLive = sql`state IN ('pending', 'ready')`
    const where = session === undefined ? isLive : sql`${isLive} AND session = ${session}`
    return this.store.read((orm) =>
      orm.select().from(waits).where(where).orderBy(desc(waits.createdAt), desc(waits.id)).limit(limit).all(),
    )
  }

  progress(id: string): WaitProgress {
    return this.store.get(PROGRESS, id) ?? { total: 0, closed: 0, missing: 0, missingBead: null }
  }

  /** The waits for a bead, whether or not they are over. */
  listByBead(bead: string): string[] {
    return this.store.all(BY_BEAD, bead).map(({ wait }) => wait)
  }

  /** Expiry of the next pending wait. */
  nextExpiry(): number | undefined {
    return this.store.get(NEXT_EXPIRY)?.expires ?? undefined
  }

  listExpired(now: number): string[] {
    return this.store.all(EXPIRED, now).map(({ id }) => id)
  }

  insert(tx: Tx, row: WaitRow, beads: readonly string[]): void {
    tx.orm.insert(waits).values(row).run()
    const rows = beads.map((bead, place) => ({ wait: row.id, place, bead }))
    tx.orm.insert(waitBeads).values(rows).run()
  }

  update(tx: Tx, id: string, change: Partial<Omit<WaitRow, 'id'>>): void {
    tx.orm.update(waits).set(change).where(eq(waits.id, id)).run()
  }

  /** These waits, whether or not they are over. */
  list(ids: string[]): WaitRow[] {
    return this.store.read((orm) => orm.select().from(waits).where(inArray(waits.id, ids)).all())
  }

  /** The beads that each of these waits is for. */
  beadsOf(ids: readonly string[]): Map<string, string[]> {
    const rows = this.store.read((orm) =>
      orm
        .select()
        .from(waitBeads)
        .where(inArray(waitBeads.wait, [...ids]))
        .orderBy(waitBeads.wait, waitBeads.place)
        .all(),
    )
    const byWait = Map.groupBy(rows, ({ wait }) => wait)
    return new Map([...byWait].map(([wait, own]) => [wait, own.map(({ bead }) => bead)]))
  }
}
