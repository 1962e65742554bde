import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'

/** Rows inserted by one statement, since running a statement costs as much as a small row. */
const ROWS = 32

interface BatchOptions {
  readonly into: string
  readonly columns: readonly string[]
  /** Columns that have the same expression in every row. */
  readonly computed?: Readonly<Record<string, string>>
}

/** Inserts rows into one table, many with one statement. */
export class RowBatch<Row extends SQLQueryBindings[]> {
  readonly #many: Statement<unknown, SQLQueryBindings[]>
  readonly #one: Statement<unknown, SQLQueryBindings[]>

  constructor(db: Database, { into, columns, computed = {} }: BatchOptions) {
    const row = `(${[...columns.map(() => '?'), ...Object.values(computed)].join(', ')})`
    const insert = `INSERT INTO ${into} (${[...columns, ...Object.keys(computed)].join(', ')}) VALUES`
    this.#many = db.prepare(`${insert} ${Array.from({ length: ROWS }, () => row).join(', ')}`)
    this.#one = db.prepare(`${insert} ${row}`)
  }

  /** Returns the number of the last row. */
  insert(rows: readonly Row[]): number {
    let last: number | bigint = 0
    const together = rows.length - (rows.length % ROWS)
    for (let start = 0; start < together; start += ROWS) {
      last = this.#many.run(...rows.slice(start, start + ROWS).flat()).lastInsertRowid
    }
    for (const row of rows.slice(together)) last = this.#one.run(...row).lastInsertRowid
    return Number(last)
  }
}
