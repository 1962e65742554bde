import type { Changes, Database, SQLQueryBindings } from 'bun:sqlite'
import type { Actor } from '../actor.ts'
import type { Orm } from './orm.ts'
import { isStorageError } from './sqlite.ts'
import type { Statement } from './statement.ts'

/** What a write works with: it commits or rolls back as one, whatever else its group does. */
export interface Tx {
  readonly orm: Orm
  /** Who makes the change. */
  readonly actor: Actor
  /** Runs a statement of this store as part of the write. */
  run<Params extends SQLQueryBindings[]>(statement: Statement<unknown, Params>, ...params: Params): Changes
  /** The first row that a statement of this store returns, run as part of the write. */
  get<Row, Params extends SQLQueryBindings[]>(statement: Statement<Row, Params>, ...params: Params): Row | null
  /** Runs once the write is on disk, in order of commit; an effect only notifies and never throws. */
  after(effect: () => void): void
}

/** A write while it runs. What its function keeps of it is of no use once that has returned. */
class OpenWrite implements Tx {
  readonly effects: (() => void)[] = []
  #isOver = false

  constructor(
    readonly orm: Orm,
    readonly actor: Actor,
  ) {}

  run<Params extends SQLQueryBindings[]>(statement: Statement<unknown, Params>, ...params: Params): Changes {
    this.#check()
    return statement.run(...params)
  }

  get<Row, Params extends SQLQueryBindings[]>(statement: Statement<Row, Params>, ...params: Params): Row | null {
    this.#check()
    return statement.get(...params)
  }

  after(effect: () => void): void {
    this.#check()
    this.effects.push(effect)
  }

  end(): void {
    this.#isOver = true
  }

  #check(): void {
    if (this.#isOver) throw new TypeError('this write is over: what belongs to it is done before its function returns')
  }
}

/** A write that was accepted, with the promise of its caller. */
export interface PendingWrite {
  readonly actor: Actor
  run(tx: Tx): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A write that is in the group's commit. */
export interface CommittedWrite {
  pending: Pick<PendingWrite, 'resolve' | 'reject'>
  value: unknown
  effects: (() => void)[]
}

const GROUP_MS = 5

/**
 * Writes of one database that share a transaction. Each has a savepoint of its own once there is something before it that
 * must stay: a savepoint copies every page that is written in it, which makes a write a third dearer.
 */
export class Committer {
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #save: Statement
  readonly #release: Statement
  readonly #undo: Statement

  constructor(
    private readonly db: Database,
    private readonly orm: Orm,
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
    }
  }

  /** One write of the transaction. Throws only when that is given up as a whole. */
  #runOne(pending: PendingWrite, hasSavepoint: boolean): CommittedWrite | undefined {
    const tx = new OpenWrite(this.orm, pending.actor)
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
