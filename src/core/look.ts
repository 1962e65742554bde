import type { Database, Statement } from 'bun:sqlite'

/**
 * The reads of one turn of the loop, in one transaction: taking SQLite's read lock and giving it back costs more than
 * most reads do. It never outlasts its turn, so checkpoints go on, and it ends before a write begins, so that reads see
 * every write that was acknowledged.
 */
export class Look {
  readonly #begin: Statement
  readonly #end: Statement
  #open = false

  constructor(private readonly db: Database) {
    this.#begin = db.prepare('BEGIN')
    this.#end = db.prepare('COMMIT')
  }

  begin(): void {
    if (this.#open || this.db.inTransaction) return
    this.#begin.run()
    this.#open = true
    setImmediate(() => this.end())
  }

  end(): void {
    if (!this.#open) return
    this.#open = false
    // A read that failed may have ended it.
    if (this.db.inTransaction) this.#end.run()
  }
}
