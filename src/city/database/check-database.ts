import { Database } from 'bun:sqlite'
import { AppError, errorMessage } from '../../core/errors.ts'
import { migrate } from '../../core/store/index.ts'
import { cityMigrations } from './migrations.ts'

interface SchemaRow {
  type: string
  name: string
  sql: string | null
}

/**
 * Throws unless a database that came from elsewhere is sound and declares just what gc declares: a trigger or view of
 * others would act in the city whenever it is written or read.
 */
export function checkCityDatabase(path: string): void {
  let db: Database | undefined
  try {
    db = new Database(path, { readonly: true })
    db.run('PRAGMA trusted_schema = OFF')
    checkSound(db)
    checkDeclarations(db)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw rejected(`it cannot be read: ${errorMessage(error)}`)
  } finally {
    db?.close()
  }
}

function checkSound(db: Database): void {
  const row = db.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()
  if (row?.quick_check !== 'ok') throw rejected(`it is damaged: ${row?.quick_check ?? 'it cannot be checked'}`)
}

function checkDeclarations(db: Database): void {
  const { user_version: version = 0 } = db.query<{ user_version: number }, []>('PRAGMA user_version').get() ?? {}
  if (version > cityMigrations.length) {
    throw rejected(`it was written by a newer gc (version ${version}); restore the backup with that`)
  }
  const expected = new Map(declarationsAt(version).map((row) => [keyOf(row), row.sql]))
  for (const row of readDeclarations(db)) {
    if (expected.get(keyOf(row)) !== row.sql) throw rejected(`its ${row.type} ${row.name} is none of gc`)
    expected.delete(keyOf(row))
  }
  const [missing] = expected.keys()
  if (missing !== undefined) throw rejected(`its ${missing} is missing`)
}

/** Declarations of a database at a version of gc. */
function declarationsAt(version: number): SchemaRow[] {
  const db = new Database(':memory:')
  try {
    migrate(db, ':memory:', cityMigrations.slice(0, version))
    return readDeclarations(db)
  } finally {
    db.close()
  }
}

const keyOf = ({ type, name }: SchemaRow): string => `${type} ${name}`

/** Leaves out SQLite's own additions, such as the index of a primary key. */
const readDeclarations = (db: Database): SchemaRow[] =>
  db
    .query<SchemaRow, []>("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all()

const rejected = (reason: string): AppError =>
  new AppError('invalid-request', `the database of the backup is not taken: ${reason}`)
