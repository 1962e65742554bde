import type { Changes, SQLQueryBindings } from 'bun:sqlite'
import { AppError } from '../errors.ts'
import type { ReusingDatabase } from './sqlite.ts'

/** SQL with the types of its rows and of what it is given. */
export interface Statement<Row = unknown, Params extends SQLQueryBindings[] = SQLQueryBindings[]> {
  all(...params: Params): Row[]
  /** The first row; null when there is none. */
  get(...params: Params): Row | null
  run(...params: Params): Changes
  iterate(...params: Params): IterableIterator<Row>
}

/**
 * A statement that is compiled when it is first used: most that a process might need it never does, and each takes memory.
 * `assertOpen` throws once its database is closed.
 */
export class LazyStatement<Row, Params extends SQLQueryBindings[]> implements Statement<Row, Params> {
  #compiled: Statement<Row, Params> | undefined

  constructor(
    private readonly db: ReusingDatabase,
    private readonly sql: string,
    private readonly assertOpen: () => void,
  ) {}

  all(...params: Params): Row[] {
    return this.#statement.all(...params)
  }

  get(...params: Params): Row | null {
    return this.#statement.get(...params)
  }

  run(...params: Params): Changes {
    return this.#statement.run(...params)
  }

  iterate(...params: Params): IterableIterator<Row> {
    return this.#statement.iterate(...params)
  }

  get #statement(): Statement<Row, Params> {
    this.assertOpen()
    this.#compiled ??= this.db.compile<Row>(this.sql)
    return this.#compiled
  }
}

/** Asserts that the database at a path is not closed. */
export function assertOpen(path: string, isClosed: boolean): void {
  if (isClosed) throw new AppError('store-unavailable', `${path} is closed`)
}
