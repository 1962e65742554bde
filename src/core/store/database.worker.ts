import { Database } from 'bun:sqlite'
import { once } from 'node:events'
import { closeSync, createWriteStream, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { syncFolder } from '../folders.ts'
import type { CheckpointResult, WorkerJob, WorkerRequest, WorkerResponse } from './database-worker.ts'

declare const self: Worker

/** Characters that are compressed immediately. */
const CHUNK = 64 * 1024
/** Pages that are returned immediately, and the milliseconds in between. */
const SLICE = 256
const PAUSE = 5
/** Maximum attempts to empty the write-ahead log. */
const TRUNCATE_ATTEMPTS = 200

const connections = new Map<string, Database>()

function connection(path: string): Database {
  const existing = connections.get(path)
  if (existing) return existing
  const db = new Database(path, { readwrite: true, strict: true })
  db.run('PRAGMA synchronous = NORMAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  connections.set(path, db)
  return db
}

const JOBS: { [Kind in WorkerJob['kind']]: (job: Extract<WorkerJob, { kind: Kind }>) => unknown } = {
  checkpoint({ path, mode }) {
    const db = connection(path)
    db.run('PRAGMA busy_timeout = 100')
    return db.query<CheckpointResult, []>(`PRAGMA wal_checkpoint(${mode})`).get()
  },

  /** Waits until no other program holds the write lock. */
  waitForLock({ path }) {
    const db = connection(path)
    db.run('PRAGMA busy_timeout = 5000')
    db.run('BEGIN IMMEDIATE')
    db.run('ROLLBACK')
  },

  /** Each slice is a write of its own; other writes run in between. */
  compact({ path }) {
    const db = connection(path)
    db.run('PRAGMA busy_timeout = 5000')
    const free = db.prepare<{ freelist_count: number }, []>('PRAGMA freelist_count')
    const slice = db.prepare(`PRAGMA incremental_vacuum(${SLICE})`)
    for (let left = free.get()?.freelist_count ?? 0; left > 0; ) {
      slice.all()
      const now = free.get()?.freelist_count ?? 0
      if (now >= left) break
      left = now
      Bun.sleepSync(PAUSE)
    }
    truncateLog(db)
  },

  backup: ({ path, to }) => writeAtomically(to, (part) => void connection(path).run('VACUUM INTO ?', [part])),

  exportLines: ({ path, sql, params, to }) =>
    writeAtomically(to, async (part) => {
      const gzip = createGzip()
      const written = pipeline(gzip, createWriteStream(part))
      let chunk = ''
      for (const { line } of connection(path)
        .prepare<{ line: string }, number[]>(sql)
        .iterate(...params)) {
        chunk += `${line}\n`
        if (chunk.length < CHUNK) continue
        if (!gzip.write(chunk)) await Promise.race([once(gzip, 'drain'), written])
        chunk = ''
      }
      gzip.end(chunk)
      await written
    }),

  rows({ path, sql, params }) {
    const db = connection(path)
    db.run('PRAGMA busy_timeout = 5000')
    db.run('PRAGMA cache_size = -32768')
    return db.query(sql).all(...params)
  },

  close({ path }) {
    connections.get(path)?.close(true)
    connections.delete(path)
  },

  exit() {
    for (const db of connections.values()) db.close(true)
    connections.clear()
  },
}

/**
 * Empties the write-ahead log. SQLite gives up immediately while another thread copies from it, whatever the busy
 * timeout, so this tries again for a while.
 */
function truncateLog(db: Database): void {
  const checkpoint = db.prepare<CheckpointResult, []>('PRAGMA wal_checkpoint(TRUNCATE)')
  for (let attempt = 0; attempt < TRUNCATE_ATTEMPTS && checkpoint.get()?.busy; attempt++) Bun.sleepSync(PAUSE)
}

/** Writes a private file under another name until it is complete and on disk; a failure leaves nothing. */
async function writeAtomically(to: string, write: (part: string) => void | Promise<void>): Promise<void> {
  const part = `${to}.part`
  rmSync(part, { force: true })
  const file = openSync(part, 'wx+', 0o600)
  try {
    await write(part)
    fsyncSync(file)
    renameSync(part, to)
    syncFolder(dirname(to))
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

self.onmessage = async ({ data }: MessageEvent<WorkerRequest>) => {
  const response: WorkerResponse = { id: data.id }
  try {
    const run = JOBS[data.job.kind] as (job: WorkerJob) => unknown
    response.value = await run(data.job)
  } catch (error) {
    response.error = error instanceof Error ? error.message : String(error)
  }
  self.postMessage(response)
}
