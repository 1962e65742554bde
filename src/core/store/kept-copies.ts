import { Database } from 'bun:sqlite'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError, errorMessage } from '../errors.ts'
import { syncFolder } from '../folders.ts'

/** A copy of a database as it was before a newer gc changed it. */
export interface KeptCopy {
  readonly path: string
  /** The version of its tables. */
  readonly version: number
  /** Creation time. */
  readonly at: number
}

/** Maximum copies of a database that are kept. */
const MAX_COPIES = 2

const copyPath = (path: string, version: number): string => `${path}.v${version}`

/** Copies a database beside itself, complete or not at all; the last two copies stay. */
export function keepCopy(db: Database, path: string, version: number): void {
  const copy = copyPath(path, version)
  const part = `${copy}.part`
  try {
    rmSync(part, { force: true })
    db.run('VACUUM INTO ?', [part])
    chmodSync(part, statSync(path).mode & 0o777)
    syncFile(part)
    renameSync(part, copy)
    syncFolder(dirname(path))
  } catch (error) {
    rmSync(part, { force: true })
    throw new AppError(
      'store-unavailable',
      `${path} is of an older gc, and no copy of it could be kept beside it (${errorMessage(error)}); make room for ${statSync(path).size} bytes`,
    )
  }
  const others = keptCopies(path).filter((kept) => kept.version !== version)
  for (const old of others.slice(0, Math.max(0, others.length + 1 - MAX_COPIES))) rmSync(old.path)
}

/** The copies of a database, the oldest version first. */
export function keptCopies(path: string): KeptCopy[] {
  const prefix = `${basename(path)}.v`
  if (!existsSync(dirname(path))) return []
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b)
    .map((version) => ({ path: copyPath(path, version), version, at: statSync(copyPath(path, version)).mtimeMs }))
}

/**
 * Puts a kept copy in the place of a database that no one has open, complete or not at all; the copy stays, and so does
 * what was there, as the copy of its own version.
 */
export function restoreCopy(path: string, { path: copy }: KeptCopy): void {
  const part = `${path}.part`
  copyFileSync(copy, part)
  syncFile(part)
  closeLog(path)
  renameSync(path, copyPath(path, databaseVersion(path)))
  renameSync(part, path)
  syncFolder(dirname(path))
}

/** The version of a database's tables, from its header: anyone who has it open notices nothing. */
export function databaseVersion(path: string): number {
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  try {
    readSync(file, header)
  } finally {
    closeSync(file)
  }
  return header.readUInt32BE(60)
}

/** Moves what is in the write-ahead log into the database itself. */
function closeLog(path: string): void {
  using db = new Database(path, { readwrite: true })
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
