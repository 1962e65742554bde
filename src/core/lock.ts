import { Database } from 'bun:sqlite'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, errorMessage } from './errors.ts'
import { createFolder } from './folders.ts'
import { createPrivate, isBusy } from './sqlite.ts'

/** Keeps what is held from being collected: a closed descriptor is a lost lock. */
const heldLocks = new Set<Lock>()

/** A small SQLite file held in `BEGIN EXCLUSIVE`: the system lets go of it when its process ends, however it ends. */
export class Lock {
  private constructor(
    readonly path: string,
    private readonly db: Database,
  ) {
    heldLocks.add(this)
  }

  /** Takes the lock for `holder` (`gc serve of alpha`); throws a sentence that names the present holder. */
  static acquire(path: string, holder: string): Lock {
    const lock = Lock.tryAcquire(path, holder)
    if (lock) return lock
    throw new AppError('conflict-wrong-state', `${path} is held by ${Lock.holder(path)}; stop that first`)
  }

  /** Takes the lock; undefined when it is held. */
  static tryAcquire(path: string, holder: string): Lock | undefined {
    const db = openLock(path)
    try {
      db.run('BEGIN EXCLUSIVE')
    } catch (error) {
      db.close()
      if (isBusy(error)) return undefined
      throw new AppError('store-unavailable', `${path} cannot be locked: ${errorMessage(error)}`)
    }
    writeFileSync(holderFile(path), `${holder} (pid ${process.pid})`, { mode: 0o600 })
    return new Lock(path, db)
  }

  /** Holder of the lock, with its process: `gc serve of alpha (pid 12)`. */
  static holder(path: string): string {
    try {
      return readFileSync(holderFile(path), 'utf8') || 'another process'
    } catch {
      return 'another process'
    }
  }

  /** Lets go. Idempotent. */
  release(): void {
    if (!heldLocks.delete(this)) return
    rmSync(holderFile(this.path), { force: true })
    this.db.close(true)
  }
}

const holderFile = (path: string): string => `${path}.holder`

function openLock(path: string): Database {
  try {
    createFolder(dirname(path))
    createPrivate(path)
    const db = new Database(path, { readwrite: true, strict: true })
    db.run('PRAGMA busy_timeout = 0')
    return db
  } catch (error) {
    throw new AppError('store-unavailable', `${path} cannot be opened as a lock: ${errorMessage(error)}`)
  }
}
