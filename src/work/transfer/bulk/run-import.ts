import { Database } from 'bun:sqlite'
import { AppError } from '../../../core/errors.ts'
import { rigFinder } from '../lines/line.ts'
import { type BulkImported, BulkImporter } from './bulk-importer.ts'
import type { ImportJob } from './import-job.ts'

/** Megabytes of pages that are kept in memory. */
const CACHE_MB = 64
/** Maximum time one import may keep others from writing, in milliseconds. */
const MAX_DURATION = 60_000

/** Runs an import in a transaction of its own connection: all new beads of the file are written, or none. */
export function runImport(job: ImportJob, onSlice: () => void, maxDuration = MAX_DURATION): BulkImported {
  const db = openConnection(job.path)
  try {
    db.run('BEGIN IMMEDIATE')
    const imported = importAll(db, job, onSlice, performance.now() + maxDuration)
    db.run(imported.created > 0 ? 'COMMIT' : 'ROLLBACK')
    return imported
  } finally {
    if (db.inTransaction) db.run('ROLLBACK')
    db.close(true)
  }
}

function importAll(db: Database, job: ImportJob, onSlice: () => void, latest: number): BulkImported {
  const { bytes, rigs, actor, now, separateTypes } = job
  const isAbandoned = new Int32Array(job.isAbandoned)
  const importer = new BulkImporter(db, {
    ...{ actor, now, rigOf: rigFinder(rigs), separateTypes: new Set(separateTypes) },
    onSlice() {
      if (Atomics.load(isAbandoned, 0) !== 0) throw abandoned()
      if (performance.now() > latest) throw tooSlow()
      onSlice()
    },
  })
  return importer.run(bytes)
}

function openConnection(path: string): Database {
  const db = new Database(path, { readwrite: true, strict: true })
  db.run('PRAGMA busy_timeout = 5000')
  db.run('PRAGMA synchronous = NORMAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run('PRAGMA temp_store = MEMORY')
  db.run(`PRAGMA cache_size = -${CACHE_MB * 1024}`)
  return db
}

const abandoned = (): AppError =>
  new AppError('service-unavailable', 'the import was stopped and rolled back; import the file again')

const tooSlow = (): AppError =>
  new AppError(
    'service-unavailable',
    `the import took longer than ${MAX_DURATION / 1000} s and was rolled back; import fewer lines per request`,
  )
