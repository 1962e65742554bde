import type { Database } from 'bun:sqlite'
import { AppError } from '../errors.ts'
import { keepCopy } from './kept-copies.ts'

interface MigrateOptions {
  /** True if a database of an older gc is copied before it is changed. */
  readonly keepsCopies?: boolean | undefined
  /** Called in the transaction of the last migration of a database that an older gc wrote. */
  readonly onMigrated?: ((db: Database) => void) | undefined
}

/** Brings a database to the newest version; each migration commits with its number or not at all. */
export function migrate(
  db: Database,
  path: string,
  migrations: readonly string[],
  { keepsCopies = false, onMigrated }: MigrateOptions = {},
): void {
  const row = db.query<{ user_version: number }, []>('PRAGMA user_version').get()
  const version = row?.user_version ?? 0
  if (version > migrations.length) {
    throw new AppError(
      'store-unavailable',
      `${path} was written by a newer gc (version ${version}, this one knows ${migrations.length}); run the newer gc, or restore a backup`,
    )
  }
  if (keepsCopies && version > 0 && version < migrations.length) keepCopy(db, path, version)
  db.run('PRAGMA foreign_keys = OFF')
  for (const [at, sql] of migrations.entries()) {
    if (at < version) continue
    db.transaction(() => {
      db.run(sql)
      db.run(`PRAGMA user_version = ${at + 1}`)
      if (version > 0 && at === migrations.length - 1) onMigrated?.(db)
    }).immediate()
  }
  db.run('PRAGMA foreign_keys = ON')
}
