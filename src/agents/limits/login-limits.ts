import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { Signal } from '../../core/signal.ts'
import { command, query, type Tx } from '../../core/store/index.ts'
import type { LimitStatement } from '../../programs/limits/index.ts'
import { LimitReached, LoginFailed, LoginRestored } from '../events.ts'
import type { Login } from './login.ts'
import type { LimitRow } from './table.ts'

/** Statements of the same limit differ by less than this. */
const SAME_LIMIT = 60_000

/** A row as SQLite returns it. */
type StoredLimit = Omit<LimitRow, 'stated'> & { stated: number }
const toLimit = (row: StoredLimit): LimitRow => ({ ...row, stated: row.stated === 1 })

const COLUMNS = 'login, provider, state, since, until, stated, attempts, reason'

const ALL = query<StoredLimit>(`SELECT ${COLUMNS} FROM login_limits ORDER BY since, login`)

const FIND = query<StoredLimit, [string]>(`SELECT ${COLUMNS} FROM login_limits WHERE login = ?`)

const SAVE = command<[string, string, string, number, number | null, number, number, string]>(
  `INSERT OR REPLACE INTO login_limits (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
)

const DELETE = command<[string]>('DELETE FROM login_limits WHERE login = ?')

const SHIFT = command<[number]>("UPDATE login_limits SET until = until + ? WHERE state = 'limited' AND NOT stated")

/** Unusable logins, with start, reason and end. */
export class LoginLimits {
  readonly #changes = new Signal()
  /** The rows as they are on disk, by login; absent since one of them was written. */
  #known: ReadonlyMap<string, LimitRow> | undefined

  constructor(private readonly context: CityContext) {}

  /** Every login that was limited or dead and has not worked since. */
  all(): LimitRow[] {
    return this.context.store.all(ALL).map(toLimit)
  }

  /** The row may be one that is shared by all who ask. */
  find(login: string): LimitRow | undefined {
    if (this.#known) return this.#known.get(login)
    if (this.context.store.isWriting) {
      const row = this.context.store.get(FIND, login)
      return row ? toLimit(row) : undefined
    }
    this.#known = new Map(this.all().map((row) => [row.login, Object.freeze(row)]))
    return this.#known.get(login)
  }

  /** From when on a login can be worked with: 0 when it can be now, infinity when only a person can help. */
  roomAt(login: string): number {
    const row = this.find(login)
    if (!row) return 0
    if (row.state === 'dead' || row.until === null) return Number.POSITIVE_INFINITY
    return row.until > this.context.clock.now() ? row.until : 0
  }

  /** A login reached its usage limit: it is held until the stated time, else for longer each time. */
  reached(tx: Tx, { id, provider }: Login, { until: stated, text }: LimitStatement): void {
    const now = this.context.clock.now()
    const before = this.find(id)
    if (before?.state === 'dead') return
    const isSame = before?.until !== undefined && before.until !== null && before.until > now
    const attempts = (before?.attempts ?? 0) + (isSame ? 0 : 1)
    const until = stated ?? (isSame ? (before.until ?? now) : now + limitWait(attempts))
    if (isSame && Math.abs(until - (before.until ?? 0)) < SAME_LIMIT) return
    const isStated = stated !== undefined || (isSame && before.stated)
    const since = isSame ? before.since : now
    tx.run(SAVE, id, provider, 'limited', since, until, isStated ? 1 : 0, attempts, text)
    const payload = { login: id, provider, until: toTimestamp(until), stated: isStated, reason: text }
    this.context.log.append(tx, LimitReached, { message: text }, payload)
    this.#changed(tx)
  }

  /** A login is not accepted any more: nothing is started on it until it was checked. */
  failed(tx: Tx, { id, provider }: Login, reason: string): void {
    if (this.find(id)?.state === 'dead') return
    tx.run(SAVE, id, provider, 'dead', this.context.clock.now(), null, 0, 0, reason)
    this.context.log.append(tx, LoginFailed, { message: reason }, { login: id, provider, reason })
    this.#changed(tx)
  }

  /** A model answered on a login at this time, so what held it before is over. */
  worked(tx: Tx, login: string, at: number): void {
    const row = this.find(login)
    if (row && at > row.since && at >= (row.until ?? 0)) this.restore(tx, login)
  }

  /** Lets a login be used again. */
  restore(tx: Tx, login: string): void {
    const row = this.find(login)
    if (!row) return
    tx.run(DELETE, login)
    this.context.log.append(tx, LoginRestored, {}, { login, provider: row.provider })
    this.#changed(tx)
  }

  /** The clock was changed: what a program stated holds, what was guessed must not get longer. */
  shift(tx: Tx, ms: number): void {
    if (ms >= 0) return
    this.#known = undefined
    tx.run(SHIFT, ms)
  }

  /** Calls the listener when a login was limited, failed or restored. */
  readonly onChange = this.#changes.listen

  #changed(tx: Tx): void {
    this.#known = undefined
    tx.after(() => this.#changes.emit())
  }
}

const MINUTE = 60_000
const LONGEST = 60 * MINUTE

/**
 * Time a login is left alone whose program does not say when its limit ends: a minute, doubled each time, at most an
 * hour.
 */
const limitWait = (attempts: number): number => Math.min(MINUTE * 2 ** Math.max(0, attempts - 1), LONGEST)
