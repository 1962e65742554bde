import type { Database, Statement } from 'bun:sqlite'

/**
 * One transaction for the reads of one tick of the event loop: taking SQLite's read lock and releasing it costs more
 * than most reads do. It never outlasts its tick, so checkpoints proceed, and it ends before a write begins, so that
 * reads see every write that was acknowledged.
 */
export class ReadTransaction {
  readonly #begin: Statement
  readonly #commit: Statement
  #open = false
  #version: string | undefined

  constructor(private readonly db: Database) {
    this.#begin = db.prepare('BEGIN')
    this.#commit = db.prepare('COMMIT')
  }

  begin(): void {
    if (this.#open || this.db.inTransaction) return
    this.#begin.run()
    this.#open = true
    this.#version = undefined
    setImmediate(() => this.end())
  }

  /** The version of what its reads see, asked for once while it is open. */
  versionBy(read: () => string): string {
    if (!this.#open) return read()
    this.#version ??= read()
    return this.#version
  }

  end(): void {
    if (!this.#open) return
    this.#open = false
    // A read that failed may have ended it.
    if (this.db.inTransaction) this.#commit.run()
  }
}
