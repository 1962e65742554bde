import type { Changes, Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { dirname, resolve } from 'node:path'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { type Actor, GC, type RepeatableRequest } from '../actor.ts'
import { AppError, errorMessage } from '../errors.ts'
import { nextTick } from '../event-loop.ts'
import { syncFolder } from '../folders.ts'
import { DurationHistogram, type HistogramSnapshot } from '../metrics/index.ts'
import {
  closeDisplaced,
  closeWithoutCheckpoint,
  copyLog,
  isBusy,
  isStorageError,
  openDatabase,
  openReadOnly,
  type ReusingDatabase,
  rewritePage,
  toStoreError,
} from '../sqlite.ts'
import { acquireSharedWorker, type DatabaseWorker } from './database-worker.ts'
import { displacementOf, failureOf, type StoreFailure } from './failure.ts'
import { StoreFiles } from './files.ts'
import { migrate } from './migrate.ts'
import type { StoreOptions } from './options.ts'
import { PageCache } from './page-cache.ts'
import { ReadTransaction } from './read-transaction.ts'
import { assertOpen, type Command, type Query, query, Statements } from './statement.ts'
import { TroubleWatch } from './trouble.ts'
import { type FailedSync, Wal } from './wal.ts'
import { isSamePosition, WalIndex, type WalPosition } from './wal-index.ts'

export type { StoreFailure, StoreTrouble } from './failure.ts'
export type { StoreOptions } from './options.ts'

/** drizzle on the database of a store. */
export type Orm = BunSQLiteDatabase

type NotPromise<T> = T extends PromiseLike<unknown> ? never : T

/** A number that differs once another connection has committed. */
const OTHERS_VERSION = query<{ data_version: number }>('PRAGMA data_version')

/**
 * One SQLite database of ours. Writes that arrive together share a commit, and a write's promise resolves only
 * when its bytes are on disk; the loop waits for that only where a disk is quick, and for a write alone.
 */
export class Store {
  readonly orm: Orm
  readonly files: StoreFiles
  readonly metrics = new StoreMetrics()
  readonly #db: ReusingDatabase
  readonly #statements: Statements
  readonly #wal: Wal
  readonly #walIndex: WalIndex
  readonly #checkpointer: Checkpointer
  readonly #onFailure: (failure: StoreFailure) => void
  readonly #onError: (error: unknown) => void
  readonly #committer: Committer
  readonly #readTransaction: ReadTransaction
  readonly #pageCache: PageCache
  readonly #queue: WriteQueue
  readonly #troubleWatch: TroubleWatch
  #pumping: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #closed = false
  #failure: StoreFailure | undefined
  #isTorn = false
  /** Number of groups that this connection has committed or lost. */
  #groups = 0
  /** End of the log before the group in progress. */
  #durable: WalPosition = { salt: 0n, frames: 0, bytes: 0 }

  private constructor(
    readonly path: string,
    db: ReusingDatabase,
    options: StoreOptions,
  ) {
    this.#db = db
    this.orm = drizzle(db)
    this.#statements = new Statements(db, () => assertOpen(path, this.#closed))
    this.files = new StoreFiles(path)
    this.#wal = new Wal(path, options.sync)
    this.#walIndex = new WalIndex(path)
    this.#checkpointer = new Checkpointer(path, this.#wal, options)
    this.#onFailure = options.onFailure ?? (() => {})
    this.#onError = options.onError ?? throwLater
    this.#readTransaction = new ReadTransaction(db)
    this.#pageCache = new PageCache(db, options.timer)
    this.#troubleWatch = new TroubleWatch(path, options, () => this.write(() => rewritePage(db)))
    this.#queue = new WriteQueue(options.maxWait ?? MAX_WAIT)
    const reject = (pending: PendingWrite, error: unknown) => this.#reject([pending], error)
    this.#committer = new Committer(db, this.orm, this.#statements, reject, options.groupMs)
  }

  /** Opens or makes the database at `path` and brings it to the newest of `migrations`; throws a sentence when it cannot. */
  static open(file: string, migrations: readonly string[], options: StoreOptions = {}): Store {
    const path = resolve(file)
    const db = openDatabase(path, options.cacheMb)
    try {
      migrate(db, path, migrations, options)
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

  /** Opens the database that another process writes, to read it: every write is rejected. */
  static openReadOnly(file: string, options: Pick<StoreOptions, 'cacheMb' | 'onError'> = {}): Store {
    const path = resolve(file)
    const store = new Store(path, openReadOnly(path, options.cacheMb), options)
    store.#failure = { reason: `${path} is only read by this process`, isDisplaced: false }
    return store
  }

  /** Reason no more writes are accepted; undefined while all is well. */
  get failure(): string | undefined {
    return this.#failure?.reason
  }

  /** Reason writes fail now; undefined while they succeed. */
  get problem(): string | undefined {
    return this.failure ?? this.#troubleWatch.problem
  }

  /** True if a write runs, so that reads see what may not stay. */
  get isWriting(): boolean {
    return this.#committer.isRunning
  }

  /** The first row that a query finds; null when there is none. */
  get<Row, Params extends SQLQueryBindings[]>(query: Query<Row, Params>, ...params: Params): Row | null {
    return this.#statements.compiled(query).get(...params)
  }

  /** All rows that a query finds. */
  all<Row, Params extends SQLQueryBindings[]>(query: Query<Row, Params>, ...params: Params): Row[] {
    return this.#statements.compiled(query).all(...params)
  }

  /** The rows that a query finds, one after the other. */
  iterate<Row, Params extends SQLQueryBindings[]>(query: Query<Row, Params>, ...params: Params): IterableIterator<Row> {
    return this.#statements.compiled(query).iterate(...params)
  }

  /** Names what reads see now: another name once this or another process has committed anything. */
  get version(): string {
    return this.#readTransaction.versionBy(() => `${this.#groups} ${this.get(OTHERS_VERSION)?.data_version}`)
  }

  /** Reads what is committed; the newest of it may still be on its way to the disk. `fn` is synchronous and small. */
  read<T>(fn: (orm: Orm) => NotPromise<T>): T {
    assertOpen(this.path, this.#closed)
    return fn(this.orm)
  }

  /** Opens a transaction that the reads of this tick of the event loop share, until a write begins. */
  beginRead(): void {
    if (this.#closed) return
    this.#pageCache.use()
    this.#readTransaction.begin()
  }

  /**
   * Runs `fn` in a transaction of its own; resolves with its value once that is on disk. `fn` is synchronous and small.
   * `actor` is in every event that it records; the request that it makes, if it can be repeated, is answered with the
   * value from then on.
   */
  write<T>(fn: (tx: Tx) => NotPromise<T>, actor: Actor = GC): Promise<T> {
    const { request } = actor
    const run = request ? (tx: OpenWrite) => this.#kept(request, tx, fn(tx)) : fn
    return new Promise<T>((resolve, reject) => {
      this.#assertWritable()
      this.#queue.push({ run, actor, ...this.metrics.measure({ resolve: (value) => resolve(value as T), reject }) })
      this.#pumping ??= this.#pump()
    })
  }

  #kept<T>(request: RepeatableRequest, tx: OpenWrite, value: T): T {
    request.keep(this, tx, tx.answered ? tx.answered.answer : (value ?? tx.actor.answer))
    return value
  }

  /** A write so large that it would block the event loop. Other writes wait for it, ten seconds at most. */
  writeInWorker<T>({ run, publish }: WorkerWrite<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#assertWritable()
      this.#queue.pushWorkerWrite({
        run,
        publish: (value) => publish(value as T),
        ...this.metrics.measure({ resolve: (value) => resolve(value as T), reject }),
      })
      this.#pumping ??= this.#pump()
    })
  }

  #assertWritable(): void {
    if (this.#failure) throw this.metrics.count(new AppError('store-unavailable', this.#failure.reason))
    assertOpen(this.path, this.#closing !== undefined)
  }

  /** Stops accepting writes; reads continue. */
  retire(reason: string): Promise<void> {
    return this.#fail({ reason, isDisplaced: false }, [])
  }

  /** Waits for the writes that were accepted, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#troubleWatch.close()
    await this.#pumping
    await this.#checkpointer.close(this.#failure === undefined)
    this.#closed = true
    this.#pageCache.close()
    this.#readTransaction.end()
    this.#wal.close()
    if (this.#failure?.isDisplaced) closeDisplaced(this.#db)
    else if (this.#isTorn) closeWithoutCheckpoint(this.path, this.#db)
    else this.#db.close(true)
    this.#walIndex.close()
  }

  async #pump(): Promise<void> {
    this.#pageCache.use()
    do {
      await nextTick()
      await this.#turn().catch((error) => this.#fail(failureOf(this.path, errorMessage(error)), []))
    } while (!this.#queue.isEmpty)
    this.#pumping = undefined
  }

  /** The write of a thread that waits, or one group. */
  async #turn(): Promise<void> {
    const displacement = this.#wal.displacement()
    if (displacement) return this.#fail(displacementOf(this.path, displacement), [])
    const write = this.#queue.takeWorkerWrite()
    return write ? this.#workerWrite(write) : this.#group()
  }

  /** The write of a thread: commit, disk, followers, promise. */
  async #workerWrite(write: PendingWorkerWrite): Promise<void> {
    this.#readTransaction.end()
    this.#durable = this.#walIndex.position()
    try {
      const value = await write.run(() => this.#queue.rejectOverdue(this.path))
      const synced = await this.#wal.sync()
      if (!synced.ok) return await this.#failSync(synced, [{ pending: write, value, effects: [] }])
      await write.publish(value).catch(this.#onError)
      write.resolve(value)
      await this.#checkpointer.empty()
    } catch (error) {
      write.reject(error)
      if (error instanceof AppError && error.code === 'store-unavailable')
        void this.#troubleWatch.probe().catch(() => {})
    }
  }

  /** One group: commit, disk, effects, promises. */
  async #group(): Promise<void> {
    if (!(await this.#beginGroup())) return
    this.#durable = this.#walIndex.position()
    const { failures } = this.#troubleWatch
    const { done } = this.#queue.runGroup((group) => this.#committer.run(group))
    this.#groups++
    const reached = this.#walIndex.position()
    if (!isSamePosition(reached, this.#durable)) {
      const synced = await this.#wal.sync(done.length === 1 && this.#queue.isEmpty)
      if (!synced.ok) return this.#failSync(synced, done)
      if (this.#troubleWatch.failures === failures) this.#troubleWatch.recordSuccess()
    }
    this.#acknowledge(done)
    await this.#checkpointer.afterCommit(reached).catch(this.#onError)
  }

  /** Runs the effects of a group in one read transaction, and then resolves its writes. */
  #acknowledge(done: readonly CommittedWrite[]): void {
    if (done.some(({ effects }) => effects.length > 0)) this.#readTransaction.begin()
    for (const { effects } of done) for (const effect of effects) this.#notify(effect)
    for (const { pending, value } of done) pending.resolve(value)
  }

  /** A group that did not reach the log on disk is undone, unless the database itself still takes it. */
  async #failSync({ reason, deleted }: FailedSync, done: CommittedWrite[]): Promise<void> {
    this.#isTorn = !deleted
    const isSaved = deleted && copyLog(this.#db, () => this.#wal.isDatabaseInPlace())
    if (isSaved) this.#acknowledge(done)
    const failure = deleted ? displacementOf(this.path, reason) : failureOf(this.path, reason)
    await this.#fail(failure, isSaved ? [] : done)
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
          this.#reject(this.#queue.takeAll(), error)
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

  #reject(writes: readonly Pick<PendingWrite, 'reject'>[], error: unknown): void {
    const unavailable = this.#troubleWatch.recordFailure(error)
    for (const pending of writes) pending.reject(unavailable)
  }

  async #fail(failure: StoreFailure, done: CommittedWrite[]): Promise<void> {
    this.#failure = failure
    await this.#checkpointer.settle()
    await this.files.settle()
    if (this.#isTorn && !this.#takeBack()) this.#acknowledge(done.splice(0))
    const unavailable = new AppError('store-unavailable', failure.reason)
    this.#notify(() => this.#onFailure(failure))
    for (const { pending } of done) pending.reject(unavailable)
    for (const pending of this.#queue.takeAll()) pending.reject(unavailable)
  }

  /**
   * From here on readers see only what is on disk, and so does who opens the database next. False when a checkpoint had
   * put the group on disk all the same. While only a part may have been copied, the log is needed for the rest and stays.
   */
  #takeBack(): boolean {
    this.#groups++
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

/** Callbacks by which the requester of a write learns its outcome. */
interface WriteOutcome {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Counts the outcome of the writes of a store. */
class StoreMetrics {
  readonly #writes = new DurationHistogram()
  #failures = 0

  /** Time writes took, from when they were asked for until they were on disk. */
  writes(): HistogramSnapshot {
    return this.#writes.snapshot()
  }

  /** Number of writes the store did not take; those that their own rules rejected are not counted. */
  get failures(): number {
    return this.#failures
  }

  /** Counts a write that begins now, once its outcome is known. */
  measure({ resolve, reject }: WriteOutcome): WriteOutcome {
    const begun = performance.now()
    return {
      resolve: (value) => {
        this.#writes.observe(performance.now() - begun)
        resolve(value)
      },
      reject: (error) => reject(this.count(error)),
    }
  }

  /** Counts the error of a write if it is the store's, and returns it. */
  count<Thrown>(error: Thrown): Thrown {
    if (error instanceof AppError && error.code === 'store-unavailable') this.#failures++
    return error
  }
}

/** One long write that a thread makes through a connection of its own, while no other write runs. */
export interface WorkerWrite<Value> {
  /** Commits, or rejects with nothing written. `onProgress` is called from time to time. */
  run(onProgress: () => void): Promise<Value>
  /** Runs once the write is on disk, before any other write. */
  publish(value: Value): Promise<void>
}

/** A write of a thread that was accepted, with the promise of its caller. */
interface PendingWorkerWrite extends WorkerWrite<unknown> {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The most writes that share one commit. */
const MAX_GROUP = 1024
/** Maximum time a write may wait for one of a thread, in milliseconds. */
const MAX_WAIT = 10_000

/** The writes of a store that wait for their turn, in the order in which they came. */
class WriteQueue {
  #writes: { readonly write: PendingWrite; readonly since: number }[] = []
  #workerWrites: PendingWorkerWrite[] = []

  constructor(private readonly maxWait: number) {}

  push(write: PendingWrite): void {
    this.#writes.push({ write, since: performance.now() })
  }

  pushWorkerWrite(write: PendingWorkerWrite): void {
    this.#workerWrites.push(write)
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0 && this.#workerWrites.length === 0
  }

  takeWorkerWrite(): PendingWorkerWrite | undefined {
    return this.#workerWrites.shift()
  }

  /** As many writes as `run` runs of those that may share a commit; the others keep their place. */
  runGroup<Result>(run: (group: PendingWrite[]) => Result & { ran: number }): Result {
    const group = this.#writes.splice(0, MAX_GROUP)
    const result = run(group.map(({ write }) => write))
    this.#writes.unshift(...group.slice(result.ran))
    return result
  }

  /** Takes every write out of the queue. */
  takeAll(): (PendingWrite | PendingWorkerWrite)[] {
    return [...this.#writes.splice(0).map(({ write }) => write), ...this.#workerWrites.splice(0)]
  }

  /** Rejects the writes that have waited too long for one of a thread. */
  rejectOverdue(path: string): void {
    const message = `${path} is being written by an import that takes long; try again in a while`
    const busy = new AppError('store-unavailable', message, { headers: { 'retry-after': '5' } })
    for (const write of this.#takeOverdue()) write.reject(busy)
  }

  #takeOverdue(): PendingWrite[] {
    const latest = performance.now() - this.maxWait
    const first = this.#writes.findIndex(({ since }) => since > latest)
    return this.#writes.splice(0, first < 0 ? this.#writes.length : first).map(({ write }) => write)
  }
}

const CHECKPOINT_BYTES = 4 * 1024 * 1024
const RESTART_BYTES = 64 * 1024 * 1024

/**
 * Keeps a write-ahead log short: a worker copies its pages to the database as they arrive, and when a busy writer never
 * lets the log start over, writes (not the event loop) wait once until it can.
 */
class Checkpointer {
  readonly #shared = acquireSharedWorker()
  readonly #checkpointAt: number
  #restartAt: number
  readonly #step: number
  #running: Promise<void> | undefined
  #salt = 0n
  #copied = 0

  constructor(
    private readonly path: string,
    private readonly wal: Wal,
    { checkpointAt = CHECKPOINT_BYTES, restartAt = RESTART_BYTES }: { checkpointAt?: number; restartAt?: number },
  ) {
    this.#checkpointAt = checkpointAt
    this.#restartAt = restartAt
    this.#step = restartAt
  }

  /** Checks how far the log reaches after a commit; resolves when the next group may write. */
  async afterCommit({ salt, bytes }: WalPosition): Promise<void> {
    if (this.#running || bytes < this.#checkpointAt) return
    if (salt !== this.#salt) this.#startOver(salt)
    if (bytes < Math.min(this.#copied + this.#checkpointAt, this.#restartAt)) return
    if (bytes >= this.#restartAt) return this.#restart(bytes)
    this.#running = this.#checkpoint(bytes).finally(() => {
      this.#running = undefined
    })
  }

  /** Copies a log that one write has made long to the database, and gives its space back to the disk. */
  async empty(): Promise<void> {
    await this.#try('TRUNCATE')
  }

  /** Waits for a copy that is under way. */
  async settle(): Promise<void> {
    await this.#running
  }

  /** Waits for another program that is writing; false when it does not finish. */
  async waitForLock(): Promise<boolean> {
    return this.#worker.waitForLock(this.path).then(
      () => true,
      () => false,
    )
  }

  /** Copies the rest of the log if asked to, and closes the worker's connection, after the jobs that it was given. */
  async close(copyRest: boolean): Promise<void> {
    if (copyRest && this.wal.size >= this.#checkpointAt) await this.#try('TRUNCATE')
    await this.#worker.close(this.path).catch(() => {})
    await this.#shared.release()
  }

  get #worker(): DatabaseWorker {
    return this.#shared.worker
  }

  #startOver(salt: bigint): void {
    this.#salt = salt
    this.#copied = 0
    this.#restartAt = this.#step
  }

  async #checkpoint(bytes: number): Promise<void> {
    const result = await this.#try('PASSIVE')
    if (!result || result.log <= 0) this.#copied = bytes
    else this.#copied = Math.floor((bytes * result.checkpointed) / result.log)
  }

  async #restart(bytes: number): Promise<void> {
    const result = await this.#try('RESTART')
    if (!result || result.busy) this.#restartAt = bytes + this.#step
  }

  #try(mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE') {
    return this.#worker.checkpoint(this.path, mode).catch(() => undefined)
  }
}

type Returning<Row, Params extends SQLQueryBindings[]> = Query<Row, Params> | Command<Params, Row>

/** Transaction of a write: it commits or rolls back as one, independently of its group. */
export interface Tx {
  readonly orm: Orm
  /** Actor of the change. */
  readonly actor: Actor
  /** Runs a command as part of the write. */
  run<Params extends SQLQueryBindings[]>(command: Command<Params>, ...params: Params): Changes
  /** The first row that a command returns, or that a query finds in what was written so far; null when there is none. */
  get<Row, Params extends SQLQueryBindings[]>(sql: Returning<Row, Params>, ...params: Params): Row | null
  /** All rows that a command returns, or that a query finds in what was written so far. */
  all<Row, Params extends SQLQueryBindings[]>(sql: Returning<Row, Params>, ...params: Params): Row[]
  /** Runs once the write is on disk, in order of commit; an effect only notifies and never throws. */
  after(effect: () => void): void
  /** Gives the answer to the request that makes the change, where the write itself returns something else; undefined while there is none. */
  answer<Answer>(answer: Answer): Answer
}

/** A write while it runs. What its function keeps of it is of no use once that has returned. */
class OpenWrite implements Tx {
  readonly effects: (() => void)[] = []
  answered: { readonly answer: unknown } | undefined
  #isOver = false

  constructor(
    readonly orm: Orm,
    readonly actor: Actor,
    private readonly statements: Statements,
  ) {}

  run<Params extends SQLQueryBindings[]>(command: Command<Params>, ...params: Params): Changes {
    this.#check()
    return this.statements.compiled(command).run(...params)
  }

  get<Row, Params extends SQLQueryBindings[]>(sql: Returning<Row, Params>, ...params: Params): Row | null {
    this.#check()
    return this.statements.compiled(sql).get(...params)
  }

  all<Row, Params extends SQLQueryBindings[]>(sql: Returning<Row, Params>, ...params: Params): Row[] {
    this.#check()
    return this.statements.compiled(sql).all(...params)
  }

  after(effect: () => void): void {
    this.#check()
    this.effects.push(effect)
  }

  answer<Answer>(answer: Answer): Answer {
    this.#check()
    this.answered = { answer }
    return answer
  }

  end(): void {
    this.#isOver = true
  }

  #check(): void {
    if (this.#isOver) throw new TypeError('this write is over: what belongs to it is done before its function returns')
  }
}

/** A write that was accepted, with the promise of its caller. */
interface PendingWrite {
  readonly actor: Actor
  run(tx: OpenWrite): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A write that is in the group's commit. */
interface CommittedWrite {
  pending: Pick<PendingWrite, 'resolve' | 'reject'>
  value: unknown
  effects: (() => void)[]
}

const GROUP_MS = 5

/**
 * Writes of one database that share a transaction. Each has a savepoint of its own once there is something before it that
 * must stay: a savepoint copies every page that is written in it, which makes a write a third dearer.
 */
class Committer {
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #save: Statement
  readonly #release: Statement
  readonly #undo: Statement
  #isRunning = false

  constructor(
    private readonly db: Database,
    private readonly orm: Orm,
    private readonly statements: Statements,
    /** Rejects a write that failed because of the disk or the file. */
    private readonly reject: (pending: PendingWrite, error: unknown) => void,
    /** Milliseconds that one group may hold the loop before the remaining writes wait for the next. */
    private readonly groupMs = GROUP_MS,
  ) {
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#save = db.prepare('SAVEPOINT one')
    this.#release = db.prepare('RELEASE one')
    this.#undo = db.prepare('ROLLBACK TO one')
  }

  /** True if its writes run now. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  begin(): void {
    this.#begin.run()
  }

  /**
   * Runs and commits as many of the group as fit one stretch, and says how many ran and which are in the commit.
   * SQLite may give up the whole transaction (a full disk does that); then every write of the group is rejected.
   */
  run(group: readonly PendingWrite[]): { done: CommittedWrite[]; ran: number } {
    const started = performance.now()
    const done: CommittedWrite[] = []
    let ran = 0
    this.#isRunning = true
    try {
      for (const pending of group) {
        if (ran > 0 && performance.now() - started > this.groupMs) break
        const committed = this.#runOne(pending, done.length > 0)
        if (committed) done.push(committed)
        ran++
      }
      this.#commit.run()
      return { done, ran }
    } catch (error) {
      for (const pending of group) this.reject(pending, error)
      if (this.db.inTransaction) this.#rollback.run()
      return { done: [], ran: group.length }
    } finally {
      this.#isRunning = false
    }
  }

  /** One write of the transaction. Throws only when that is given up as a whole. */
  #runOne(pending: PendingWrite, hasSavepoint: boolean): CommittedWrite | undefined {
    const tx = new OpenWrite(this.orm, pending.actor, this.statements)
    if (hasSavepoint) this.#save.run()
    try {
      const value = pending.run(tx)
      if (value instanceof Promise) throw new TypeError('a write is synchronous: it returned a promise')
      if (!this.db.inTransaction) throw new Error('SQLite gave up the transaction, and the write went on')
      if (hasSavepoint) this.#release.run()
      return { pending, value, effects: tx.effects }
    } catch (error) {
      if (!this.db.inTransaction) throw error
      if (hasSavepoint) this.#undoOne()
      else this.#startOver()
      if (isStorageError(error)) this.reject(pending, error)
      else pending.reject(error)
      return undefined
    } finally {
      tx.end()
    }
  }

  #undoOne(): void {
    this.#undo.run()
    this.#release.run()
  }

  /** Undoes a transaction in which there is nothing that must stay. */
  #startOver(): void {
    this.#rollback.run()
    this.#begin.run()
  }
}
