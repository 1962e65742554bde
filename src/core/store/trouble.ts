import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Deadline } from '../deadlines.ts'
import { AppError, errorMessage } from '../errors.ts'
import { codeOf, isBusy } from '../sqlite.ts'
import { describeTrouble, type StoreTrouble } from './failure.ts'
import type { StoreOptions } from './options.ts'

/** A cause with the test of whether it has passed: small writes can succeed all the same, in a log that was written before. */
interface Diagnosis extends StoreTrouble {
  hasPassed(): boolean
}

/** Milliseconds between two attempts to write while writes fail. */
export const PROBE_MS = 5_000
/** Free bytes from which a disk that was full counts as having room. */
const MIN_FREE_BYTES = 1024 * 1024
const SCRATCH = Buffer.alloc(64 * 1024)

/** Notices that the writes of one store fail and that they succeed again; a deadline exists only in between. */
export class TroubleWatch {
  #trouble: (Diagnosis & { readonly code: string }) | undefined
  #deadline: Deadline | undefined
  #isClosed = false
  #failures = 0

  constructor(
    private readonly path: string,
    private readonly options: Pick<StoreOptions, 'deadlines' | 'onTrouble'>,
    /** Writes to the store, which succeeds as soon as any write does. */
    readonly probe: () => Promise<unknown>,
  ) {}

  /** Reason writes fail, with the fix; undefined while they succeed. */
  get problem(): string | undefined {
    return this.#trouble && describeTrouble(this.#trouble)
  }

  /** Number of failed writes so far. A commit in which one failed is no sign that writes succeed again. */
  get failures(): number {
    return this.#failures
  }

  /** Records that a write failed because of the disk or the file; returns what its caller gets. */
  recordFailure(error: unknown): AppError {
    this.#failures++
    if (isBusy(error)) {
      const reason = 'another program is writing to it and does not end'
      return new AppError('store-unavailable', `${this.path} could not be written: ${reason}`)
    }
    const headers = { 'retry-after': String(PROBE_MS / 1000) }
    return new AppError('store-unavailable', describeTrouble(this.#begin(error)), { headers })
  }

  #begin(error: unknown): StoreTrouble {
    const code = codeOf(error)
    if (this.#trouble?.code === code) return this.#trouble
    const trouble = { ...diagnose(this.path, error), code }
    this.#trouble = trouble
    this.#schedule()
    this.options.onTrouble?.(trouble)
    return trouble
  }

  /** Records that a write is on disk. */
  recordSuccess(): void {
    if (!this.#trouble?.hasPassed()) return
    this.#trouble = undefined
    this.#deadline?.cancel()
    this.options.onTrouble?.(undefined)
  }

  close(): void {
    this.#isClosed = true
    this.#deadline?.cancel()
  }

  #schedule(): void {
    this.#deadline?.cancel()
    this.#deadline = this.options.deadlines?.after(PROBE_MS, () => this.#tryAgain())
  }

  async #tryAgain(): Promise<void> {
    if (this.#isClosed || !this.#trouble) return
    if (this.#trouble.hasPassed()) await this.probe().catch(() => {})
    if (this.#trouble && !this.#isClosed) this.#schedule()
  }
}

/** True if the disk of a file has room for more than a few small writes; true where the system cannot tell. */
function hasRoom(path: string): boolean {
  try {
    const { bavail, bfree, bsize } = statfsSync(dirname(path))
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize >= MIN_FREE_BYTES
  } catch {
    return true
  }
}

/** The cause of a failed write. SQLite reports most as an I/O error: a scratch file beside the database shows which it is. */
function diagnose(path: string, error: unknown): Diagnosis {
  const code = codeOf(error)
  const folder = dirname(path)
  if (code === 'SQLITE_FULL') return { ...fullDisk(folder), hasPassed: () => hasRoom(path) }
  const found = ofSystem(folder, scratchError(path))
  if (found) return { ...found, hasPassed: () => scratchError(path) === '' }
  return { ...ofSqlite(path, code, errorMessage(error)), hasPassed: () => true }
}

const fullDisk = (folder: string): StoreTrouble => ({
  reason: `the disk is full: no space is left in ${folder}`,
  remedy: 'free some space there, and writes resume',
})

/**
 * Reason no file can be written in a folder, by the code of the system; undefined for codes that say nothing about it.
 */
export function ofSystem(folder: string, code: string): StoreTrouble | undefined {
  if (code === 'ENOSPC') return fullDisk(folder)
  if (code === 'EDQUOT') {
    const remedy = 'free some space there or raise the quota, and writes resume'
    return { reason: `the disk quota is used up: no space is left in ${folder}`, remedy }
  }
  if (code === 'EROFS') {
    return { reason: `the file system of ${folder} is read-only`, remedy: 'remount it writable, and writes resume' }
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      reason: `permission denied: gc cannot write in ${folder}`,
      remedy: 'check the owner and the mode of the folder',
    }
  }
  return undefined
}

function ofSqlite(path: string, code: string, message: string): StoreTrouble {
  if (code.startsWith('SQLITE_READONLY')) {
    return { reason: `${path} is read-only`, remedy: 'check its owner and its mode' }
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    const remedy = 'stop what uses it and restore a backup in its place'
    return { reason: `${path} is damaged (${message})`, remedy }
  }
  return { reason: `${path} could not be written: ${message}`, remedy: `check the disk of ${dirname(path)}` }
}

/** The code with which the system rejects a small file beside the database; empty when it takes one. */
function scratchError(path: string): string {
  const scratch = `${path}.scratch`
  try {
    rmSync(scratch, { force: true })
    writeFileSync(scratch, SCRATCH, { flag: 'wx', mode: 0o600 })
    return ''
  } catch (error) {
    return codeOf(error)
  } finally {
    removeQuietly(scratch)
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path)
  } catch {
    // A folder that cannot be written has no such file either.
  }
}
