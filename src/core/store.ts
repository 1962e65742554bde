import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { resolve as absolute, dirname } from 'node:path'
import { Committer, type Done, type Tx, type Waiting } from './commit.ts'
import { AppError, errorMessage } from './errors.ts'
import { createFolder, syncFolder } from './folders.ts'
import { alone } from './janitor.ts'
import { migrate } from './migrate.ts'
import { type Orm, ormOf } from './orm.ts'
import { ReadTransaction } from './read-transaction.ts'
import { closeUnfinished, isBusy, openDatabase, toAppError } from './sqlite.ts'
import { Tidy } from './tidy.ts'
import { type Sync, Wal } from './wal.ts'

export type { Tx } from './commit.ts'

export interface StoreOptions {
  /** Hears once why no more writes are taken. */
  onFailure?: (reason: string) => void
  /** Hears what an effect threw. */
  onError?: (error: unknown) => void
  /** Puts the write-ahead log on disk. */
  sync?: Sync
  /** Bytes of write-ahead log after which it is copied to the database off the loop, and at which writes wait for that. */
  checkpointAt?: number
  restartAt?: number
  /** Megabytes of pages that are kept in memory at most. */
  cacheMb?: number
}

/** Reads rows off the loop; each time what is committed by then. */
export type ReadRows = <Row>(sql: string, ...params: number[]) => Promise<Row[]>

/** How many writes share one commit at most. */
const GROUP_MOST = 1024

type NotPromise<T> = T extends PromiseLike<unknown> ? never : T

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * One SQLite database of ours. Writes that arrive together share a commit, and a write's promise resolves only
 * when its bytes are on disk; the loop never waits for the disk.
 */
export class Store {
  readonly orm: Orm
  readonly #db: Database
  readonly #wal: Wal
  readonly #tidy: Tidy
  readonly #onFailure: (reason: string) => void
  readonly #onFault: (error: unknown) => void
  readonly #committer: Committer
  readonly #readTransaction: ReadTransaction
  #queue: Waiting[] = []
  #pumping: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #closed = false
  #failure: string | undefined
  #torn = false

  private constructor(
    readonly path: string,
    db: Database,
    options: StoreOptions,
  ) {
    this.#db = db
    this.orm = ormOf(db)
    this.#wal = new Wal(path, options.sync)
    this.#tidy = new Tidy(path, this.#wal, options)
    this.#onFailure = options.onFailure ?? (() => {})
    this.#onFault = options.onError ?? throwLater
    this.#readTransaction = new ReadTransaction(db)
    this.#committer = new Committer(db, this.orm, (waiting, error) => this.#refuse([waiting], error))
  }

  /** Opens or makes the database at `path` and brings it to the newest of `migrations`; throws a sentence when it cannot. */
  static open(path: string, migrations: readonly string[], options: StoreOptions = {}): Store {
    const at = absolute(path)
    const db = openDatabase(at, options.cacheMb)
    try {
      migrate(db, at, migrations)
      const left = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
      const store = new Store(at, db, options)
      if (left?.busy) store.#wal.syncNow()
      syncFolder(dirname(at))
      return store
    } catch (error) {
      db.close(true)
      throw toAppError(at, error)
    }
  }

  /** Why no more writes are taken; undefined while all is well. Only closing and opening helps. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** A statement prepared once, for the paths that run often. */
  prepare<Row, Params extends SQLQueryBindings[] = SQLQueryBindings[]>(sql: string) {
    return this.#db.prepare<Row, Params>(sql)
  }

  /** Reads what is committed; the newest of it may still be on its way to the disk. `fn` is synchronous and small. */
  read<T>(fn: (orm: Orm) => NotPromise<T>): T {
    if (this.#closed) throw new AppError('store-unavailable', `${this.path} is closed`)
    return fn(this.orm)
  }

  /** Opens a transaction that the reads of this tick of the event loop share, until a write begins. */
  beginRead(): void {
    if (!this.#closed) this.#readTransaction.begin()
  }

  /** Runs `fn` in a transaction of its own; resolves with its value once that is on disk. `fn` is synchronous and small. */
  write<T>(fn: (tx: Tx) => NotPromise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failure) throw new AppError('store-unavailable', this.#failure)
      if (this.#closing) throw new AppError('store-unavailable', `${this.path} is closed`)
      this.#queue.push({ run: fn, resolve: (value) => resolve(value as T), reject })
      this.#pumping ??= this.#pump()
    })
  }

  /** Copies the database as it stands to a new file, which appears whole or not at all; the loop goes on meanwhile. */
  async backup(to: string): Promise<void> {
    const at = absolute(to)
    if (existsSync(at)) throw new AppError('conflict-wrong-state', `${at} exists; give the backup a new name`)
    createFolder(dirname(at))
    await alone((janitor) => janitor.backup(this.path, at)).catch(cannotWrite(at))
  }

  /** Gives space that nothing uses back to the disk; the loop goes on meanwhile. */
  async compact(): Promise<void> {
    await alone((janitor) => janitor.compact(this.path)).catch(cannotWrite(this.path))
  }

  /** How many bytes its files take. */
  get bytes(): number {
    const sizes = [this.path, `${this.path}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  /** Writes the column `line` of a query's rows to a gzip file, off the loop. */
  async exportLines(sql: string, params: number[], to: string): Promise<void> {
    await alone((janitor) => janitor.lines(this.path, sql, params, to)).catch(cannotWrite(to))
  }

  /** Does what asks for so many rows that it would hold the loop: `work` reads in a thread of its own. */
  readInWorker<T>(work: (rows: ReadRows) => Promise<T>): Promise<T> {
    return alone((janitor) => work((sql, ...params) => janitor.rows(this.path, sql, params)))
  }

  /** Waits for the writes that were taken, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  async #shut(): Promise<void> {
    await this.#pumping
    await this.#tidy.end(this.#failure === undefined)
    this.#closed = true
    this.#readTransaction.end()
    this.#wal.close()
    if (this.#torn) closeUnfinished(this.path, this.#db)
    else this.#db.close(true)
  }

  async #pump(): Promise<void> {
    await turn()
    while (this.#queue.length > 0) {
      await this.#group().catch((error) => this.#fail(errorMessage(error), false, []))
      await turn()
    }
    this.#pumping = undefined
  }

  /** One group: commit, disk, effects, promises. */
  async #group(): Promise<void> {
    if (!(await this.#started())) return
    const group = this.#queue.splice(0, GROUP_MOST)
    const { done, ran } = this.#committer.run(group)
    this.#queue.unshift(...group.slice(ran))
    if (this.#committer.hasChanged()) {
      const synced = await this.#wal.sync()
      if (!synced.ok) return this.#fail(synced.reason, !synced.deleted, done)
    }
    for (const { effects } of done) for (const effect of effects) this.#notify(effect)
    for (const { waiting, value } of done) waiting.resolve(value)
    await this.#tidy.mind().catch(this.#onFault)
  }

  /** Begins the group's transaction; when another program is writing, waits for it off the loop. */
  async #started(): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        this.#readTransaction.end()
        this.#committer.begin()
        return true
      } catch (error) {
        if (tries > 3 || !isBusy(error) || !(await this.#tidy.unlocked())) {
          this.#refuse(this.#queue.splice(0), error)
          return false
        }
      }
    }
  }

  #notify(effect: () => void): void {
    try {
      effect()
    } catch (error) {
      this.#onFault(error)
    }
  }

  #refuse(writes: Waiting[], error: unknown): void {
    const reason = isBusy(error) ? 'another program is writing to it and does not end' : errorMessage(error)
    const refusal = new AppError('store-unavailable', `${this.path} could not be written: ${reason}`)
    for (const waiting of writes) waiting.reject(refusal)
  }

  #fail(reason: string, torn: boolean, done: Done[]): void {
    this.#failure = `${this.path} failed and takes no more writes: ${reason}; stop and start what uses it`
    this.#torn = torn
    const refusal = new AppError('store-unavailable', this.#failure)
    for (const { waiting } of done) waiting.reject(refusal)
    for (const waiting of this.#queue.splice(0)) waiting.reject(refusal)
    const why = this.#failure
    this.#notify(() => this.#onFailure(why))
  }
}

const cannotWrite = (path: string) => (error: unknown) => {
  throw new AppError('store-unavailable', `${path} could not be written: ${errorMessage(error)}`)
}

const throwLater = (error: unknown): void =>
  queueMicrotask(() => {
    throw error
  })
