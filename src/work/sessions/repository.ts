import { eq, getTableColumns } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import { Signal } from '../../core/signal.ts'
import {
  command,
  type Query,
  query,
  type Command as Sql,
  type Store,
  stablePlan,
  type Tx,
} from '../../core/store/index.ts'
import type { BeadRepository } from '../beads/index.ts'
import { ClosedSessions, NEWEST, type SessionPosition } from './closed-sessions.ts'
import { metadataOf } from './metadata.ts'
import { type SessionRow, sessions } from './table.ts'
import { type Command, transition } from './transitions.ts'

/** A session about to be created. Its bead gives it the id. */
export type SessionDraft = Pick<SessionRow, 'kind' | 'template' | 'rig' | 'provider' | 'origin' | 'workDir'> &
  Partial<
    Pick<SessionRow, 'alias' | 'agentName' | 'named' | 'slot' | 'options' | 'firstMessage' | 'project' | 'work'>
  > & {
    title: string
    /** The run-time name, which may contain the id. */
    sessionName: (id: string) => string
  }

export type SessionChange = Partial<Omit<SessionRow, 'id' | 'state'>>

/** The columns with names of a session. */
type NameColumn = 'sessionName' | 'alias' | 'named' | 'agentName'

const byNewest = (a: SessionRow, b: SessionRow): number =>
  b.createdAt - a.createdAt || (a.id === b.id ? 0 : a.id < b.id ? 1 : -1)

/** The rows of sessions and their beads, changed together. What a client can see of a change is a bead event. */
export class SessionRepository {
  readonly #changed = new Signal<[session?: string]>()
  readonly #reset = new Signal<[tx: Tx, id: string]>()
  readonly #closed: ClosedSessions
  /** The live rows; absent until they are asked for. */
  #live: LiveRows | undefined
  /** Sessions that were written since these rows were read. */
  readonly #written = new Set<string>()
  /** The row that was read last for a bead. */
  #lastRead: SessionRow | undefined

  constructor(
    private readonly store: Store,
    private readonly beads: BeadRepository,
    private readonly clock: Clock,
  ) {
    this.#closed = new ClosedSessions(store)
    beads.registerProjection('session', (ids) => {
      const shared = ids.flatMap((id) => this.#shared(id) ?? [])
      const rows = shared.length === ids.length ? shared : this.#rows(ROWS.byIds, JSON.stringify(ids))
      this.#lastRead = rows[0]
      return new Map(rows.map((row) => [row.id, metadataOf(row)]))
    })
  }

  /** The row may be one that is shared by all who ask. */
  find(id: string): SessionRow | undefined {
    // Several ask for a session that was just written.
    if (this.#written.has(id) && !this.store.isWriting) this.live()
    return this.#shared(id) ?? this.#rows(ROWS.byId, id)[0]
  }

  #shared(id: string): SessionRow | undefined {
    return this.#written.has(id) ? undefined : this.#live?.find(id)
  }

  /**
   * Every session that is not closed, newest first. The rows are shared by all who ask until they are written, and only
   * what was written is read again.
   */
  live(): readonly SessionRow[] {
    const live = this.#live
    if (!live) {
      const rows = this.#rows(ROWS.live)
      if (!this.store.isWriting) this.#live = new LiveRows(rows)
      return rows
    }
    if (this.#written.size > 0) {
      const read = this.#rows(ROWS.byIds, JSON.stringify([...this.#written]))
      if (this.store.isWriting) return live.with(this.#written, read)
      live.replace(this.#written, read)
      this.#written.clear()
    }
    return live.rows
  }

  /** To be called in a write that changes the row of a session without this repository. */
  touch(id: string): void {
    if (this.#live) this.#written.add(id)
    this.#lastRead = undefined
  }

  /** Closed sessions whose process may still run. */
  closedWithProcess(): SessionRow[] {
    return this.#rows(ROWS.closedWithProcess)
  }

  findByHostKey(key: string): SessionRow | undefined {
    return this.#rows(ROWS.byHostKey, key)[0]
  }

  liveByTemplate(template: string): SessionRow[] {
    return this.#rows(ROWS.liveByTemplate, template)
  }

  /**
   * Sessions in any of these states after a position in the list, newest first, and how many there are in all; `open`
   * means all but closed, `all` means all. Closed ones are read no further than the page goes.
   */
  page(
    { states, template }: { states: readonly string[]; template?: string | undefined },
    after: SessionPosition,
    limit: number,
  ) {
    const names = new Set(states.map((state) => ({ awake: 'active', drained: 'asleep' })[state] ?? state))
    const isAnyLive = names.has('all') || names.has('open')
    const all = template === undefined ? this.live() : this.liveByTemplate(template)
    const live = isAnyLive ? all : all.filter(({ state }) => names.has(state))
    const isAfter = ({ createdAt, id }: SessionRow) =>
      createdAt < after.createdAt || (createdAt === after.createdAt && id < after.id)
    const includesClosed = names.has('all') || names.has('closed')
    const ids = includesClosed ? this.#closed.page(template, after, limit) : []
    const rows = after === NEWEST ? live : live.filter(isAfter)
    const closed = ids.length === 0 ? [] : this.#rows(ROWS.byIds, JSON.stringify(ids))
    return {
      rows: (closed.length === 0 ? rows : [...rows, ...closed].sort(byNewest)).slice(0, limit),
      total: live.length + (includesClosed ? this.#closed.count(template) : 0),
    }
  }

  /** Live sessions by one of their names, newest first. */
  liveByName(column: NameColumn, name: string): SessionRow[] {
    return this.#rows(LIVE_BY_NAME[column], name)
  }

  /** Closed sessions by one of the names that were theirs alone, newest first. */
  closedByName(column: 'sessionName' | 'alias', name: string): SessionRow[] {
    return this.#rows(CLOSED_BY_NAME[column], name)
  }

  /** The title is the bead's. */
  titleOf(id: string): string {
    return this.beads.titleOf(id)
  }

  titlesOf(ids: readonly string[]): ReadonlyMap<string, string> {
    return this.beads.titlesOf(ids)
  }

  add(tx: Tx, { title, sessionName, ...draft }: SessionDraft): SessionRow {
    const bead = this.beads.add(
      tx,
      { title, type: 'session', labels: ['gc:session', `template:${draft.template}`] },
      {
        writeSideTable: (id) => {
          const row = {
            ...draft,
            id,
            sessionName: sessionName(id),
            state: 'start-pending' as const,
            createdAt: this.clock.now(),
          }
          insert(tx, row)
          this.touch(id)
        },
      },
    )
    tx.after(() => this.notifyChanged(bead.id))
    return this.#lastRead?.id === bead.id ? this.#lastRead : this.get(bead.id)
  }

  /** Applies a command to a session's state; throws where the state does not accept it. */
  transition(tx: Tx, id: string, command: Command, change: SessionChange = {}): SessionRow {
    const row = this.get(id)
    const state = transition(row.state, command)
    return this.#write(tx, id, { reason: '', ...change, state })
  }

  /** Changes columns other than the state. */
  update(tx: Tx, id: string, change: SessionChange): SessionRow {
    return this.#write(tx, id, change)
  }

  /** Gives up a session's conversation: its next start begins another. */
  resetConversation(tx: Tx, id: string): void {
    this.update(tx, id, { sessionKey: null })
    this.#reset.emit(tx, id)
  }

  /** Calls the listener in the write in which a session's conversation is given up on request. */
  readonly onReset = this.#reset.listen

  rename(tx: Tx, id: string, title: string): void {
    this.beads.change(tx, id, { title })
  }

  /** Deletes a session and its bead. */
  remove(tx: Tx, id: string): void {
    this.beads.remove(tx, id)
    tx.orm.delete(sessions).where(eq(sessions.id, id)).run()
    this.touch(id)
    tx.after(() => this.notifyChanged(id))
  }

  /** Calls the listener with each session that changed, once that is on disk. */
  readonly onChange = this.#changed.listen

  #write(tx: Tx, id: string, change: Partial<SessionRow>): SessionRow {
    const writeSideTable = () => {
      update(tx, id, change)
      this.touch(id)
    }
    const stored = this.beads.load(tx, id)
    const isClosed = stored.bead.status === 'closed'
    if (change.state === 'closed' && !isClosed) {
      this.beads.close(tx, stored, change.reason || undefined, { writeSideTable })
    } else if (change.state !== undefined && change.state !== 'closed' && isClosed)
      this.beads.reopen(tx, stored, { writeSideTable })
    else this.beads.change(tx, stored, {}, { writeSideTable })
    tx.after(() => this.notifyChanged(id))
    return this.#lastRead?.id === id ? this.#lastRead : this.get(id)
  }

  /** The row of a session that must exist. */
  get(id: string): SessionRow {
    const row = this.find(id)
    if (!row) throw new Error(`session ${id} has no row`)
    return row
  }

  /** `session` is absent when any of them may have changed. */
  notifyChanged(session?: string): void {
    this.#changed.emit(session)
  }

  #rows(query: Query<StoredRow, string[]>, ...values: string[]): SessionRow[] {
    return this.store.all(query, ...values).map(toRow)
  }
}

/** The rows of live sessions, newest first. Others hold the list and the rows, so both are replaced and never changed. */
class LiveRows {
  readonly #byId = new Map<string, SessionRow>()

  constructor(public rows: readonly SessionRow[]) {
    this.#share(rows)
  }

  find(id: string): SessionRow | undefined {
    return this.#byId.get(id)
  }

  /** The rows with those that were written as they were read again; the closed and the deleted are left out. */
  with(written: Iterable<string>, read: readonly SessionRow[]): readonly SessionRow[] {
    const rows = [...this.rows]
    for (const id of written) {
      const before = this.#byId.get(id)
      if (before) rows.splice(placeOf(rows, before), 1)
    }
    for (const row of read) if (row.state !== 'closed') rows.splice(placeOf(rows, row), 0, row)
    return rows
  }

  /** Keeps the rows that `with` returns. */
  replace(written: Iterable<string>, read: readonly SessionRow[]): void {
    this.rows = this.with(written, read)
    for (const id of written) this.#byId.delete(id)
    this.#share(read.filter(({ state }) => state !== 'closed'))
  }

  #share(rows: readonly SessionRow[]): void {
    for (const row of rows) this.#byId.set(row.id, Object.freeze(row))
  }
}

/** The place of a row in a list, newest first: where it is, or where it belongs. */
function placeOf(rows: readonly SessionRow[], row: SessionRow): number {
  let from = 0
  let to = rows.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const other = rows[middle]
    if (other && byNewest(other, row) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/** The columns that the database stores as JSON, and as 0 or 1. */
type TextColumn = 'aliasHistory' | 'options' | 'fingerprint'
type FlagColumn = 'resumed' | 'worked'
type StoredRow = Omit<SessionRow, TextColumn | FlagColumn> & Record<TextColumn, string> & Record<FlagColumn, number>

const COLUMNS = Object.entries(getTableColumns(sessions))
  .map(([key, { name }]) => `${name} AS ${key}`)
  .join(', ')

/** A query of rows, newest first. */
const where = (condition: string) =>
  query<StoredRow, string[]>(
    stablePlan(`SELECT ${COLUMNS} FROM sessions WHERE ${condition} ORDER BY created_at DESC, id DESC`),
  )

const LIVE = "state != 'closed'"
const CLOSED = "state = 'closed'"

/** The queries of the hot paths. */
const ROWS = {
  byId: where('id = ?'),
  byIds: where('id IN (SELECT value FROM json_each(?))'),
  live: where(LIVE),
  liveByTemplate: where(`${LIVE} AND template = ?`),
  closedWithProcess: where(
    `${CLOSED} AND id IN (SELECT id FROM sessions INDEXED BY sessions_hosted WHERE host_key IS NOT NULL)`,
  ),
  byHostKey: where('host_key IS NOT NULL AND host_key = ?'),
}

const LIVE_BY_NAME = {
  sessionName: where(`${LIVE} AND session_name = ?`),
  alias: where(`${LIVE} AND alias = ?`),
  named: where(`${LIVE} AND named = ?`),
  agentName: where(`${LIVE} AND agent_name = ?`),
}

const CLOSED_BY_NAME = {
  sessionName: where(`${CLOSED} AND session_name = ?`),
  alias: where(`${CLOSED} AND alias = ?`),
}

type Values = (string | number | null)[]

/** Statements by their SQL: one for each set of columns. */
const STATEMENTS = new Map<string, Sql<Values>>()

function statement(sql: string): Sql<Values> {
  const known = STATEMENTS.get(sql) ?? command<Values>(sql)
  STATEMENTS.set(sql, known)
  return known
}

const NAMES = new Map(Object.entries(getTableColumns(sessions)).map(([key, { name }]) => [key, name]))

type Column = [key: string, value: SessionRow[keyof SessionRow] | undefined]

const isPresent = (column: Column): column is [string, SessionRow[keyof SessionRow]] => column[1] !== undefined

function insert(tx: Tx, row: Partial<SessionRow>): void {
  const columns = Object.entries(row).filter(isPresent)
  const names = columns.map(([key]) => NAMES.get(key)).join(', ')
  const sql = `INSERT INTO sessions (${names}) VALUES (${columns.map(() => '?').join(', ')})`
  tx.run(statement(sql), ...columns.map(([, value]) => encode(value)))
}

function update(tx: Tx, id: string, change: Partial<SessionRow>): void {
  const columns = Object.entries(change).filter(isPresent)
  if (columns.length === 0) return
  const sql = `UPDATE sessions SET ${columns.map(([key]) => `${NAMES.get(key)} = ?`).join(', ')} WHERE id = ?`
  tx.run(statement(sql), ...columns.map(([, value]) => encode(value)), id)
}

/** A value as its column stores it. */
function encode(value: SessionRow[keyof SessionRow]): string | number | null {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** Decodes in place, since a copy of forty columns costs more than reading them. */
const toRow = (stored: StoredRow): SessionRow =>
  Object.assign(stored, {
    aliasHistory: JSON.parse(stored.aliasHistory),
    options: JSON.parse(stored.options),
    fingerprint: JSON.parse(stored.fingerprint),
    resumed: stored.resumed === 1,
    worked: stored.worked === 1,
  })
