import { constants, Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, errorMessage } from './errors.ts'
import { createFolder } from './folders.ts'

const CACHE_MB = 32

/** Maximum statements that stay compiled: SQL with lists has one form for each length. */
const MAX_STATEMENTS = 256

/**
 * A database whose `prepare`, which drizzle calls for each query, compiles the same SQL once. The statements that it returns
 * are shared, and no one may finalize them.
 */
export class ReusingDatabase extends Database {
  readonly #compiled = new Map<string, Statement<never, SQLQueryBindings[]>>()

  /** A statement for its caller alone. */
  compile<Row>(sql: string): Statement<Row, SQLQueryBindings[]> {
    return super.prepare<Row, SQLQueryBindings[]>(sql)
  }

  /** The most recently used come last; the first is dropped when there are too many. */
  override prepare(sql: string, params?: SQLQueryBindings | SQLQueryBindings[]): Statement<never, SQLQueryBindings[]> {
    if (params !== undefined) return super.prepare<never, SQLQueryBindings | SQLQueryBindings[]>(sql, params)
    const statement = this.#compiled.get(sql) ?? this.compile<never>(sql)
    this.#compiled.delete(sql)
    this.#compiled.set(sql, statement)
    const [first] = this.#compiled.keys()
    if (this.#compiled.size > MAX_STATEMENTS && first !== undefined) this.#compiled.delete(first)
    return statement
  }
}

/**
 * Opens a database of ours, as all of them are opened; a new one is readable by its owner only. At most `cacheMb`
 * megabytes of its pages are kept in memory.
 */
export function openDatabase(path: string, cacheMb = CACHE_MB): ReusingDatabase {
  let db: ReusingDatabase | undefined
  try {
    createFolder(dirname(path))
    createPrivate(path)
    db = new ReusingDatabase(path, { readwrite: true, strict: true })
    db.run('PRAGMA busy_timeout = 1000')
    db.run('PRAGMA auto_vacuum = INCREMENTAL')
    db.run('PRAGMA journal_mode = WAL')
    db.run('PRAGMA synchronous = NORMAL')
    db.run('PRAGMA wal_autocheckpoint = 0')
    db.run('PRAGMA temp_store = MEMORY')
    db.run(`PRAGMA cache_size = -${cacheMb * 1024}`)
    db.query('PRAGMA user_version').get()
    db.run('PRAGMA busy_timeout = 5')
    return db
  } catch (error) {
    db?.close()
    throw toStoreError(path, error)
  }
}

/** Opens a database that another process of ours writes, to read it. */
export function openReadOnly(path: string, cacheMb = CACHE_MB): ReusingDatabase {
  try {
    const db = new ReusingDatabase(path, { readonly: true, strict: true })
    for (const pragma of ['busy_timeout = 1000', 'temp_store = MEMORY', `cache_size = -${cacheMb * 1024}`]) {
      db.run(`PRAGMA ${pragma}`)
    }
    db.query('PRAGMA user_version').get()
    return db
  } catch (error) {
    throw toStoreError(path, error)
  }
}

/** Makes a file for its owner only, unless there is one, before SQLite opens it: closing a descriptor later would drop its locks. */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/**
 * Closes without copying the write-ahead log to the database: after a failed sync its pages are not what the disk
 * holds. The last to close here may only read, so the next to open reads the log from the disk and checks it.
 */
export function closeWithoutCheckpoint(path: string, db: Database): void {
  let reader: Database | undefined
  try {
    reader = new Database(path, { readonly: true })
    reader.query('SELECT 1 FROM sqlite_schema').get()
  } finally {
    db.close(true)
    reader?.close(true)
  }
}

/** Closes a database whose names may be another's by now: the files beside it are left as they are. */
export function closeDisplaced(db: Database): void {
  db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1)
  db.close(true)
}

/** Copies the write-ahead log to the database and puts it on disk; whether all of it could be, in its place. */
export function copyLog(db: Database, isInPlace: () => boolean): boolean {
  try {
    const result = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(FULL)').get()
    return result?.busy === 0 && isInPlace()
  } catch {
    return false
  }
}

/** Writes a page unchanged, in the transaction under way. */
export function rewritePage(db: Database): void {
  const row = db.query<{ user_version: number }, []>('PRAGMA user_version').get()
  db.run(`PRAGMA user_version = ${row?.user_version ?? 0}`)
}

/** The code of an error of SQLite or the system; empty for any other. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')

/** True if the error comes from the disk or the file, not from the statement. */
export const isStorageError = (error: unknown): boolean =>
  /^SQLITE_(FULL|IOERR|CORRUPT|READONLY|CANTOPEN|NOMEM|NOTADB|PROTOCOL|BUSY)/.test(codeOf(error))

/** Reason a database cannot be opened, in a sentence that says what to do. */
export function toStoreError(path: string, error: unknown): unknown {
  if (error instanceof AppError) return error
  return new AppError('store-unavailable', openFailure(path, codeOf(error), errorMessage(error)))
}

function openFailure(path: string, code: string, message: string): string {
  if (code === 'SQLITE_NOTADB') return `${path} is not a database; move it away, or restore a backup in its place`
  if (code.startsWith('SQLITE_CORRUPT')) return `${path} is damaged (${message}); restore a backup in its place`
  if (code.startsWith('SQLITE_BUSY')) return `${path} is locked by another program; close that program and try again`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code.startsWith('SQLITE_READONLY')) {
    return `${path} cannot be written (${message}); check the owner and permissions of its folder`
  }
  return `${path} cannot be opened as a database: ${message}`
}
