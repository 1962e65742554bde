import { join } from 'node:path'
import { databaseStamp } from '../city/database-stamp.ts'
import { holderOf } from '../city/dependencies.ts'
import type { Rest } from '../city/rest.ts'
import { areUnchanged, ConfigWatcher } from '../config/files/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Deadline, Deadlines } from '../core/deadlines.ts'
import { EventLog, type EventRow } from '../core/events/index.ts'
import { requireNoLinks } from '../core/folders.ts'
import { Lock } from '../core/lock.ts'
import { Store } from '../core/store/index.ts'

interface RestingCityOptions {
  readonly name: string
  readonly path: string
  readonly rest: Rest
  /** `$GC_HOME`. */
  readonly home: string
  readonly clock: Clock
  readonly deadlines: Deadlines
  report(message: string): void
  /** Called when something is due, or a file of the city has changed. */
  onNeeded(): void
}

const HOUR_MS = 3_600_000
/** Maximum time without upkeep. */
const UPKEEP_MS = 24 * HOUR_MS
/** Files below the city that this opens. */
const OPENED = ['city.db', 'city.db-wal', 'city.db-shm', 'lock', 'lock.holder'].map((name) => join('.gc', name))
/** The most events of a page that is kept for the next reader. */
const MAX_KEPT = 256

/** Newest events of a log, with their total. */
export interface NewestEvents {
  readonly total: number
  readonly rows: readonly EventRow[]
}

/**
 * A city that is registered and locked, and not open, since nothing happens in it. Its files are watched, and its next
 * due moment is armed.
 */
export class RestingCity {
  readonly #watcher: ConfigWatcher
  readonly #due: Deadline
  #page: { readonly key: string; readonly newest: NewestEvents } | undefined
  #isReleased = false

  private constructor(
    private readonly options: RestingCityOptions,
    private readonly lock: Lock,
  ) {
    const { path, rest, clock, deadlines, report, onNeeded } = options
    this.#watcher = new ConfigWatcher(path, deadlines, onNeeded, report)
    this.#watcher.follow(rest.files)
    // Upkeep that was missed while no supervisor ran waits an hour, as in a city that is opened.
    const upkeep = Math.max(rest.closedAt + UPKEEP_MS, clock.now() + HOUR_MS)
    this.#due = deadlines.at(Math.min(rest.due ?? upkeep, upkeep), onNeeded)
  }

  /** Lets a city rest; undefined if it is not as it was closed, or something is due. */
  static adopt(options: RestingCityOptions): RestingCity | undefined {
    const { name, path, rest, home, clock } = options
    if (rest.due !== undefined && rest.due <= clock.now()) return undefined
    for (const file of OPENED) requireNoLinks(path, file)
    const lock = Lock.tryAcquire(join(path, '.gc', 'lock'), holderOf(name, home))
    if (!lock) return undefined
    if (databaseStamp(path) === rest.database && areUnchanged(rest.files)) return new RestingCity(options, lock)
    lock.release()
    return undefined
  }

  get name(): string {
    return this.options.name
  }

  /** The number of its newest event. */
  get head(): number {
    return this.options.rest.head
  }

  get rest(): Rest {
    return this.options.rest
  }

  /** Newest events, newest first. */
  newest(query: Parameters<EventLog['newest']>[0]): NewestEvents {
    const { type, actor, since, limit } = query
    const key = JSON.stringify([type, actor, limit])
    if (since === undefined && this.#page?.key === key) return this.#page.newest
    const newest = this.#read(query)
    if (since === undefined && newest.rows.length <= MAX_KEPT) this.#page = { key, newest }
    return newest
  }

  #read(query: Parameters<EventLog['newest']>[0]): NewestEvents {
    const { path, clock, deadlines } = this.options
    const store = Store.openReadOnly(join(path, '.gc', 'city.db'), { cacheMb: 1 })
    try {
      const { total, rows } = new EventLog(store, clock, deadlines).newest(query)
      return { total, rows: [...rows] }
    } finally {
      void store.close()
    }
  }

  /** Lets go of its folder, so that it can be opened. Idempotent. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#watcher.close()
    this.#due.cancel()
    this.lock.release()
  }
}
