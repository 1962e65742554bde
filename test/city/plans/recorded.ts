import { Database } from 'bun:sqlite'

/** Notes the SQL of every statement that is prepared or run on databases of this file name, until disposed. */
export function recordStatements(file: string): { statements: Set<string> } & Disposable {
  const statements = new Set<string>()
  const { prepare, query, run } = Database.prototype
  const recordStatement = (db: Database, sql: string) => {
    if (db.filename.endsWith(`/${file}`)) statements.add(sql)
  }
  Database.prototype.prepare = function (this: Database, sql: string, ...more: never[]) {
    recordStatement(this, sql)
    return prepare.call(this, sql, ...more)
  } as typeof prepare
  Database.prototype.query = function (this: Database, sql: string) {
    recordStatement(this, sql)
    return query.call(this, sql)
  } as typeof query
  Database.prototype.run = function (this: Database, sql: string, ...more: never[]) {
    recordStatement(this, sql)
    return run.call(this, sql, ...more)
  } as typeof run
  return {
    statements,
    [Symbol.dispose]: () => Object.assign(Database.prototype, { prepare, query, run }),
  }
}

/** One step of how SQLite carries a statement out. */
export interface Step {
  sql: string
  step: string
}

/** The steps of a statement, told with it as it was written; those of triggers that it sets off are not among them. */
export function stepsOf(db: Database, sql: string): Step[] {
  const rows = db.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
  const written = sql
    .replace(/likely\((\?\d*)\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  return rows.map(({ detail }) => ({ sql: written, step: detail }))
}

/** The statements in the triggers of a database, with the row that set them off as parameters. */
export function triggerStatements(db: Database): string[] {
  const triggers = db.prepare<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").all()
  return triggers.flatMap(({ sql }) => {
    const [, body = ''] = /\bBEGIN\b([\s\S]*)\bEND\b/.exec(sql) ?? []
    const plain = body.replace(/--.*$/gm, '').replace(/\b(new|old)\.\w+/g, '?')
    return plain.split(';').flatMap((statement) => (statement.trim() === '' ? [] : [statement.trim()]))
  })
}
