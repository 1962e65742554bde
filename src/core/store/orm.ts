import type { Database, Statement } from 'bun:sqlite'
import { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { PreparedQuery, SQLiteBunSession } from 'drizzle-orm/bun-sqlite/session'
import { NoopLogger } from 'drizzle-orm/logger'
import type { Query } from 'drizzle-orm/sql'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { SelectedFieldsOrdered } from 'drizzle-orm/sqlite-core/query-builders/select.types'
import type { PreparedQueryConfig, SQLiteExecuteMethod } from 'drizzle-orm/sqlite-core/session'

export type Orm = BunSQLiteDatabase

/** Maximum statements that stay compiled: SQL with lists has one form for each length. */
const MAX_STATEMENTS = 256

/** drizzle on a database of ours. A statement that ran before is not compiled again. */
export function ormOf(db: Database): Orm {
  const dialect = new SQLiteSyncDialect()
  return new BunSQLiteDatabase('sync', dialect, new Session(db, dialect), undefined)
}

type Returned = Omit<PreparedQueryConfig, 'statement' | 'run'>

class Session extends SQLiteBunSession<Record<string, never>, Record<string, never>> {
  readonly #compiled = new Map<string, Statement>()
  readonly #logger = new NoopLogger()

  constructor(
    private readonly db: Database,
    dialect: SQLiteSyncDialect,
  ) {
    super(db, dialect, undefined)
  }

  override prepareQuery<T extends Returned>(
    query: Query,
    fields: SelectedFieldsOrdered | undefined,
    method: SQLiteExecuteMethod,
    inArrayMode: boolean,
    mapper?: (rows: unknown[][]) => unknown,
  ): PreparedQuery<T> {
    return new PreparedQuery(this.#statement(query.sql), query, this.#logger, fields, method, inArrayMode, mapper)
  }

  /** The most recently used come last; the first is dropped when there are too many. */
  #statement(sql: string): Statement {
    const statement = this.#compiled.get(sql) ?? this.db.prepare(sql)
    this.#compiled.delete(sql)
    this.#compiled.set(sql, statement)
    const [first] = this.#compiled.keys()
    if (this.#compiled.size > MAX_STATEMENTS && first !== undefined) this.#compiled.delete(first)
    return statement
  }
}
