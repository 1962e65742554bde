import type { Statement as Compiled, SQLQueryBindings } from 'bun:sqlite'
import { AppError } from '../errors.ts'
import type { ReusingDatabase } from '../sqlite.ts'

/** SQL that reads, with the types of its rows and of what it is given: `store.get`, `store.all` and `store.iterate` run it. */
export interface Query<Row, Params extends SQLQueryBindings[] = []> {
  readonly kind: 'query'
  readonly sql: string
  readonly types?: (...params: Params) => Row
}

/** SQL that writes, with the types of what it is given and of the rows that it returns: only a `Tx` runs it. */
export interface Command<Params extends SQLQueryBindings[] = [], Row = unknown> {
  readonly kind: 'command'
  readonly sql: string
  readonly types?: (...params: Params) => Row
}

/** Declares SQL that reads, at the top of a module: a store compiles it when it first runs, and keeps it. */
export const query = <Row, Params extends SQLQueryBindings[] = []>(sql: string): Query<Row, Params> => ({
  kind: 'query',
  sql,
})

/** Declares SQL that writes, at the top of a module: a store compiles it when it first runs, and keeps it. */
export const command = <Params extends SQLQueryBindings[] = [], Row = unknown>(sql: string): Command<Params, Row> => ({
  kind: 'command',
  sql,
})

/** Start of SQL that changes nothing, unless a command stands behind `WITH`. */
const READS = /^\s*(select|explain|pragma|values|with\b(?!.*\b(insert into|update \w+ set|delete from)\b))/is

/** The compiled statements of one database: most that a process might need it never does, and each takes memory. */
export class Statements {
  readonly #compiled = new Map<object, Compiled<never, SQLQueryBindings[]>>()

  constructor(
    private readonly db: ReusingDatabase,
    private readonly assertOpen: () => void,
  ) {}

  compiled(declared: {
    readonly kind: 'query' | 'command'
    readonly sql: string
  }): Compiled<never, SQLQueryBindings[]> {
    this.assertOpen()
    let statement = this.#compiled.get(declared)
    if (!statement) {
      if (declared.kind === 'query' && !READS.test(declared.sql)) throw new TypeError(`no query: ${declared.sql}`)
      statement = this.db.compile<never>(declared.sql)
      this.#compiled.set(declared, statement)
    }
    return statement
  }
}

/** Asserts that the database at a path is not closed. */
export function assertOpen(path: string, isClosed: boolean): void {
  if (isClosed) throw new AppError('store-unavailable', `${path} is closed`)
}
