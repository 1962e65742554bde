import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { spyOn } from 'bun:test'
import { Wal } from '../../src/core/store/wal.ts'
import { WalIndex } from '../../src/core/store/wal-index.ts'
import { stepsOf } from '../city/plans/recorded.ts'

/** What one kind of statement costs an operation. */
export interface Cost {
  /** How often statements ran. */
  readonly runs: number
  /** Rows they returned or changed; by scans, the rows of each table they walk through. */
  readonly rows: number
}

/** What one operation costs. */
export interface Counts {
  readonly syncs: number
  /** Pages written to the write-ahead log. */
  readonly frames: number
  /** By the kind of a statement, such as `SELECT beads`. */
  readonly costs: Readonly<Record<string, Cost>>
  /** The statements of each kind. */
  readonly statements: Readonly<Record<string, readonly string[]>>
}

/** Statements that begin and end the transaction of reads, which outlasts an operation, and what ends that of a write. */
const ENDS_READ = /^(BEGIN|COMMIT)$/

interface Run {
  readonly db: Database
  readonly sql: string
  readonly rows: number
}

/**
 * Counts the work that operations cause in databases, until disposed. Syncs return immediately and `performance.now()` is
 * constant, because slices of work must be equal on every machine.
 */
export class CountRecorder implements Disposable {
  readonly #undo = new DisposableStack()
  #runs: Run[] = []
  #isCounting = false
  #syncs = 0

  constructor() {
    const { prepare } = Database.prototype
    const watch = (db: Database, sql: string, statement: Statement) => this.#watch(db, sql, statement)
    Database.prototype.prepare = function (this: Database, sql: string, ...more: never[]) {
      return watch(this, sql, prepare.call(this, sql, ...more))
    } as typeof prepare
    this.#undo.defer(() => Object.assign(Database.prototype, { prepare }))
    const sync = spyOn(Wal.prototype, 'sync').mockImplementation(async () => {
      this.#syncs++
      return { ok: true }
    })
    this.#undo.defer(() => sync.mockRestore())
    const clock = spyOn(performance, 'now').mockReturnValue(0)
    this.#undo.defer(() => clock.mockRestore())
  }

  /** Counts what an operation does in the database at a path. */
  async count(path: string, operation: () => Promise<unknown>): Promise<Counts> {
    const index = new WalIndex(path)
    const before = index.position().frames
    this.#runs = []
    this.#syncs = 0
    this.#isCounting = true
    await operation()
    this.#isCounting = false
    const [runs, syncs, frames] = [this.#runs, this.#syncs, index.position().frames - before]
    const costs: Record<string, Cost> = {}
    const statements: Record<string, string[]> = {}
    using plans = new Database(path, { readonly: true })
    const scans = new Map<string, number>()
    for (const { sql, rows } of runs.filter(({ db, sql }) => db.filename === path && !ENDS_READ.test(sql))) {
      if (!scans.has(sql)) scans.set(sql, scanned(plans, sql))
      const kind = kindOf(sql)
      const cost = costs[kind] ?? { runs: 0, rows: 0 }
      costs[kind] = { runs: cost.runs + 1, rows: cost.rows + rows + (scans.get(sql) ?? 0) }
      statements[kind] = [...new Set([...(statements[kind] ?? []), sql])]
    }
    return { syncs, frames, costs, statements }
  }

  #watch(db: Database, sql: string, statement: Statement): Statement {
    const count = (rows: number) =>
      this.#isCounting && this.#runs.push({ db, sql: sql.replace(/\s+/g, ' ').trim(), rows })
    const { all, get, values, run, iterate } = statement
    return Object.assign(statement, {
      all: (...params: SQLQueryBindings[]) => told(all.apply(statement, params), ({ length }) => count(length)),
      values: (...params: SQLQueryBindings[]) => told(values.apply(statement, params), ({ length }) => count(length)),
      get: (...params: SQLQueryBindings[]) => told(get.apply(statement, params), (row) => count(row === null ? 0 : 1)),
      run: (...params: SQLQueryBindings[]) => told(run.apply(statement, params), ({ changes }) => count(changes)),
      *iterate(...params: SQLQueryBindings[]) {
        let rows = 0
        try {
          for (const row of iterate.apply(statement, params)) {
            rows++
            yield row
          }
        } finally {
          count(rows)
        }
      },
    })
  }

  [Symbol.dispose](): void {
    this.#undo.dispose()
  }
}

function told<Value>(value: Value, tell: (value: Value) => void): Value {
  tell(value)
  return value
}

/** What a statement does and to which table: `SELECT beads`; of those that begin and end transactions, all of it. */
function kindOf(sql: string): string {
  const [verb = ''] = /^\w+/.exec(sql) ?? []
  const table = /\b(?:FROM|INTO|UPDATE(?: OR \w+)?)\s+"?([a-z]\w*)/i.exec(sql)?.[1]
  return table === undefined ? sql.slice(0, 40) : `${verb.toUpperCase()} ${table}`
}

/** Rows of the tables that a statement walks through from end to end; one with a limit ends before. */
function scanned(db: Database, sql: string): number {
  if (!/^(SELECT|WITH|UPDATE|DELETE|INSERT)\b/i.test(sql) || /\bLIMIT\b/i.test(sql)) return 0
  return stepsOf(db, sql).reduce((rows, { step }) => rows + rowsOf(db, sql, step), 0)
}

/** Rows of the table, or of the part of it that an index holds, that a step scans; 0 for any other step. */
function rowsOf(db: Database, sql: string, step: string): number {
  const [, name = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step) ?? []
  const aliased = new RegExp(`\\b(\\w+)(?: AS)? ${name}\\b`, 'i').exec(sql)?.[1] ?? ''
  const find = db.prepare<{ tbl_name: string; sql: string | null }, [string]>(
    'SELECT tbl_name, sql FROM sqlite_schema WHERE name = ?',
  )
  const found = [index, name, aliased].map((each) => find.get(each)).find((each) => each !== null)
  if (!found) return 0
  const part = index === '' ? '' : (/\sWHERE\s[\s\S]*$/i.exec(found.sql ?? '')?.[0] ?? '')
  return db.prepare<{ n: number }, []>(`SELECT count(*) AS n FROM "${found.tbl_name}"${part}`).get()?.n ?? 0
}
