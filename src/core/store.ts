import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Actor, GC } from './actor.ts'
import { Checkpointer } from './checkpointer.ts'
import { type CommittedWrite, Committer, type PendingWrite, type Tx } from './commit.ts'
import { withDatabaseWorker } from './database-worker.ts'
import { AppError, errorMessage } from './errors.ts'
import { createFolder, syncFolder } from './folders.ts'
import { migrate } from './migrate.ts'
import { type Orm, ormOf } from './orm.ts'
import { ReadTransaction } from './read-transaction.ts'
import { closeDisplaced, closeWithoutCheckpoint, isBusy, openDatabase, toStoreError } from './sqlite.ts'
import { displacementOf, failureOf, rethrowUnwritable, type StoreFailure } from './store-failure.ts'
import { type FailedSync, type Sync, Wal } from './wal.ts'
import { WalIndex, type WalPosition } from './wal-index.ts'

export type { Tx } from './commit.ts'
export type { StoreFailure } from './store-failure.ts'

export interface StoreOptions {
  /** Called once, when no more writes are accepted. */
  onFailure?: (failure: StoreFailure) => void
  /** Called with what an effect threw. */
  onError?: (error: unknown) => void
  /** Flushes the write-ahead log to disk. */
  sync?: Sync
  /** Bytes of write-ahead log after which it is copied to the database off the loop, and at which writes wait for that. */
  checkpointAt?: number
  restartAt?: number
  /** Megabytes of pages that are kept in memory at most. */
  cacheMb?: number
}

/** Reads rows off the event loop; each call sees what is committed by then. */
export type ReadRows = <Row>(sql: string, ...params: number[]) => Promise<Row[]>

/** The most writes that share one commit. */
const MAX_GROUP = 1024

type NotPromise<T> = T extends PromiseLike<unknown> ? never : T

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * One SQLite database of ours. Writes that arrive together share a commit, and a write's promise resolves only
 * when its bytes are on disk; the loop never waits for the disk.
 */
export class Store {
  readonly orm: Orm
  readonly #db: Database
  readonly #wal: Wal
  readonly #walIndex: WalIndex
  readonly #checkpointer: Checkpointer
  readonly #onFailure: (failure: StoreFailure) => void
  readonly #onError: (error: unknown) => void
  readonly #committer: Committer
  readonly #readTransaction: ReadTransaction
  #queue: PendingWrite[] = []
  #pumping: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #closed = false
  #failure: StoreFailure | undefined
  #isTorn = false
  /** How far the log reached before the group under way. */
  #durable: WalPosition = { salt: '', frames: 0 }
  #compacting: Promise<unknown> = Promise.resolve()

  private constructor(
    readonly path: string,
    db: Database,
    options: StoreOptions,
  ) {
    this.#db = db
    this.orm = ormOf(db)
    this.#wal = new Wal(path, options.sync)
    this.#walIndex = new WalIndex(path)
    this.#checkpointer = new Checkpointer(path, this.#wal, options)
    this.#onFailure = options.onFailure ?? (() => {})
    this.#onError = options.onError ?? throwLater
    this.#readTransaction = new ReadTransaction(db)
    this.#committer = new Committer(db, this.orm, (pending, error) => this.#reject([pending], error))
  }

  /** Opens or makes the database at `path` and brings it to the newest of `migrations`; throws a sentence when it cannot. */
  static open(file: string, migrations: readonly string[], options: StoreOptions = {}): Store {
    const path = resolve(file)
    const db = openDatabase(path, options.cacheMb)
    try {
      migrate(db, path, migrations)
      const checkpoint = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
      const store = new Store(path, db, options)
      if (checkpoint?.busy) store.#wal.syncNow()
      syncFolder(dirname(path))
      return store
    } catch (error) {
      db.close(true)
      throw toStoreError(path, error)
    }
  }

  /** Why no more writes are accepted; undefined while all is well. */
  get failure(): string | undefined {
    return this.#failure?.reason
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

  /**
   * Runs `fn` in a transaction of its own; resolves with its value once that is on disk. `fn` is synchronous and small.
   * `actor` stands in every event that it records.
   */
  write<T>(fn: (tx: Tx) => NotPromise<T>, actor: Actor = GC): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failure) throw new AppError('store-unavailable', this.#failure.reason)
      if (this.#closing) throw new AppError('store-unavailable', `${this.path} is closed`)
      this.#queue.push({ run: fn, actor, resolve: (value) => resolve(value as T), reject })
      this.#pumping ??= this.#pump()
    })
  }

  /** Copies the database to a new file, which appears complete or not at all, off the event loop. */
  async backup(to: string): Promise<void> {
    const target = resolve(to)
    if (existsSync(target)) throw new AppError('conflict-wrong-state', `${target} exists; give the backup a new name`)
    createFolder(dirname(target))
    await withDatabaseWorker((worker) => worker.backup(this.path, target)).catch(rethrowUnwritable(target))
  }

  /** Returns unused space to the disk, off the event loop. */
  async compact(): Promise<void> {
    const compacting = withDatabaseWorker((worker) => worker.compact(this.path))
    this.#compacting = compacting.catch(() => {})
    await compacting.catch(rethrowUnwritable(this.path))
  }

  /** How many bytes its files take. */
  get bytes(): number {
    const sizes = [this.path, `${this.path}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  /** Writes the column `line` of a query's rows to a gzip file, off the loop. */
  async exportLines(sql: string, params: number[], to: string): Promise<void> {
    await withDatabaseWorker((worker) => worker.exportLines(this.path, sql, params, to)).catch(rethrowUnwritable(to))
  }

  /** For reads of so many rows that they would block the event loop: `work` reads in a worker thread. */
  readInWorker<T>(work: (rows: ReadRows) => Promise<T>): Promise<T> {
    return withDatabaseWorker((worker) => work((sql, ...params) => worker.rows(this.path, sql, params)))
  }

  /** Waits for the writes that were accepted, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#pumping
    await this.#checkpointer.close(this.#failure === undefined)
    this.#closed = true
    this.#readTransaction.end()
    this.#wal.close()
    if (this.#failure?.isDisplaced) closeDisplaced(this.#db)
    else if (this.#isTorn) closeWithoutCheckpoint(this.path, this.#db)
    else this.#db.close(true)
    this.#walIndex.close()
  }

  async #pump(): Promise<void> {
    await nextTick()
    while (this.#queue.length > 0) {
      await this.#group().catch((error) => this.#fail(failureOf(this.path, errorMessage(error)), []))
      await nextTick()
    }
    this.#pumping = undefined
  }

  /** One group: commit, disk, effects, promises. */
  async #group(): Promise<void> {
    const displacement = this.#wal.displacement()
    if (displacement) return this.#fail(displacementOf(this.path, displacement), [])
    if (!(await this.#beginGroup())) return
    this.#durable = this.#walIndex.position()
    const group = this.#queue.splice(0, MAX_GROUP)
    const { done, ran } = this.#committer.run(group)
    this.#queue.unshift(...group.slice(ran))
    if (this.#committer.hasChanged()) {
      const synced = await this.#wal.sync()
      if (!synced.ok) return this.#failSync(synced, done)
    }
    this.#acknowledge(done)
    await this.#checkpointer.afterCommit().catch(this.#onError)
  }

  #acknowledge(done: readonly CommittedWrite[]): void {
    for (const { effects } of done) for (const effect of effects) this.#notify(effect)
    for (const { pending, value } of done) pending.resolve(value)
  }

  /** A group that did not reach the log on disk is taken back, unless the database itself still takes it. */
  async #failSync({ reason, deleted }: FailedSync, done: CommittedWrite[]): Promise<void> {
    this.#isTorn = !deleted
    const isSaved = deleted && this.#copyToDatabase()
    if (isSaved) this.#acknowledge(done)
    const failure = deleted ? displacementOf(this.path, reason) : failureOf(this.path, reason)
    await this.#fail(failure, isSaved ? [] : done)
  }

  /** Whether all that is in the log could be copied to the database and put on disk with it. */
  #copyToDatabase(): boolean {
    try {
      const result = this.#db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(FULL)').get()
      return result?.busy === 0 && this.#wal.isDatabaseInPlace()
    } catch {
      return false
    }
  }

  /** Begins the group's transaction; when another program is writing, waits for it off the loop. */
  async #beginGroup(): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        this.#readTransaction.end()
        this.#committer.begin()
        return true
      } catch (error) {
        if (tries > 3 || !isBusy(error) || !(await this.#checkpointer.waitForLock())) {
          this.#reject(this.#queue.splice(0), error)
          return false
        }
      }
    }
  }

  #notify(effect: () => void): void {
    try {
      effect()
    } catch (error) {
      this.#onError(error)
    }
  }

  #reject(writes: PendingWrite[], error: unknown): void {
    const reason = isBusy(error) ? 'another program is writing to it and does not end' : errorMessage(error)
    const unavailable = new AppError('store-unavailable', `${this.path} could not be written: ${reason}`)
    for (const pending of writes) pending.reject(unavailable)
  }

  async #fail(failure: StoreFailure, done: CommittedWrite[]): Promise<void> {
    this.#failure = failure
    await this.#checkpointer.settle()
    await this.#compacting
    if (this.#isTorn && !this.#takeBack()) this.#acknowledge(done.splice(0))
    const unavailable = new AppError('store-unavailable', failure.reason)
    this.#notify(() => this.#onFailure(failure))
    for (const { pending } of done) pending.reject(unavailable)
    for (const pending of this.#queue.splice(0)) pending.reject(unavailable)
  }

  /**
   * From here on readers see only what is on disk, and so does who opens the database next. False when a checkpoint had
   * put the group on disk all the same. While only a part may have been copied, the log is needed for the rest and stays.
   */
  #takeBack(): boolean {
    this.#readTransaction.end()
    const aftermath = this.#walIndex.aftermathOf(this.#durable)
    if (aftermath === 'in the log') {
      this.#notify(() => {
        this.#wal.cutTo(this.#durable)
        this.#walIndex.invalidate()
      })
    }
    return aftermath !== 'in the database'
  }
}

const throwLater = (error: unknown): void =>
  queueMicrotask(() => {
    throw error
  })
