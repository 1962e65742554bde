import type { Database, Statement } from 'bun:sqlite'
import type { Orm } from './orm.ts'
import { isStorage } from './sqlite.ts'

/** What a write works with: it commits or rolls back as one, whatever else its group does. */
export interface Tx {
  readonly orm: Orm
  /** Runs once the write is on disk, in order of commit; an effect only notifies and never throws. */
  after(effect: () => void): void
}

/** A write that was taken, and who waits for it. */
export interface Waiting {
  run(tx: Tx): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A write that is in the group's commit. */
export interface Done {
  waiting: Waiting
  value: unknown
  effects: (() => void)[]
}

/** How long one group may hold the loop before the rest waits for the next. */
const GROUP_MS = 5

/** Writes of one database that share a transaction, each in a savepoint of its own. */
export class Committer {
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #save: Statement
  readonly #release: Statement
  readonly #undo: Statement
  readonly #changes: Statement<{ n: number }, []>
  readonly #schema: Statement<{ n: number }, []>
  #changed = 0
  #version = 0

  constructor(
    private readonly db: Database,
    private readonly orm: Orm,
    /** Rejects a write of which the disk or the file is at fault. */
    private readonly refuse: (waiting: Waiting, error: unknown) => void,
  ) {
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#save = db.prepare('SAVEPOINT one')
    this.#release = db.prepare('RELEASE one')
    this.#undo = db.prepare('ROLLBACK TO one')
    this.#changes = db.prepare('SELECT total_changes() AS n')
    this.#schema = db.prepare('SELECT schema_version AS n FROM pragma_schema_version')
    this.hasChanged()
  }

  begin(): void {
    this.#begin.run()
  }

  /**
   * Runs and commits as many of the group as fit one stretch, and says how many ran and which are in the commit.
   * SQLite may give up the whole transaction (a full disk does that); then every write of the group is refused.
   */
  run(group: readonly Waiting[]): { done: Done[]; ran: number } {
    const started = performance.now()
    const done: Done[] = []
    let ran = 0
    try {
      for (const waiting of group) {
        if (ran > 0 && performance.now() - started > GROUP_MS) break
        const one = this.#one(waiting)
        if (one) done.push(one)
        ran++
      }
      this.#commit.run()
      return { done, ran }
    } catch (error) {
      for (const waiting of group) this.refuse(waiting, error)
      if (this.db.inTransaction) this.#rollback.run()
      return { done: [], ran: group.length }
    }
  }

  /** Whether anything was written since the last time this was asked; when that cannot be told, it was. */
  hasChanged(): boolean {
    try {
      const { n: changed } = this.#changes.get() ?? { n: 0 }
      if (changed !== this.#changed) {
        this.#changed = changed
        return true
      }
      const { n: version } = this.#schema.get() ?? { n: 0 }
      const before = this.#version
      this.#version = version
      return version !== before
    } catch {
      return true
    }
  }

  /** One write in its savepoint. Throws only when SQLite gave up the whole transaction. */
  #one(waiting: Waiting): Done | undefined {
    const effects: (() => void)[] = []
    let over = false
    const after = (effect: () => void) => {
      if (over) throw new TypeError('this write is over: what belongs to it is done before its function returns')
      effects.push(effect)
    }
    this.#save.run()
    try {
      const value = waiting.run({ orm: this.orm, after })
      over = true
      if (value instanceof Promise) throw new TypeError('a write is synchronous: it returned a promise')
      this.#release.run()
      return { waiting, value, effects }
    } catch (error) {
      if (!this.db.inTransaction) throw error
      this.#undo.run()
      this.#release.run()
      if (isStorage(error)) this.refuse(waiting, error)
      else waiting.reject(error)
      return undefined
    }
  }
}
