import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { errorMessage } from '../errors.ts'
import { diskSync, type Sync } from './disk-sync.ts'
import type { WalPosition } from './wal-index.ts'

const HEADER_BYTES = 32
/** The place of a 64-bit number in the header. */
const SALT = 2

/** Result of a sync: on disk, or the reason it cannot be trusted any more. */
export type SyncResult = { ok: true } | FailedSync

export interface FailedSync {
  readonly ok: false
  readonly reason: string
  readonly deleted: boolean
}

/** The write-ahead log of one database, seen through a descriptor of our own: SQLite keeps no locks on this file. */
export class Wal {
  readonly #file: number
  readonly #database: Stats

  constructor(
    private readonly path: string,
    private readonly disk: Sync = diskSync(),
  ) {
    this.#file = openSync(`${path}-wal`, 'r+')
    this.#database = statSync(path)
  }

  /**
   * Reason what is written would not be found again under the name of the database; undefined while all is in place.
   */
  displacement(): string | undefined {
    const log = fstatSync(this.#file)
    if (!this.isDatabaseInPlace()) return 'it was moved, deleted or replaced while it was in use'
    if (log.nlink === 0) return 'its write-ahead log was deleted'
    return isSameFile(`${this.path}-wal`, log) ? undefined : 'its write-ahead log was moved or replaced'
  }

  /** True if the name of the database still leads to the file that was opened. */
  isDatabaseInPlace(): boolean {
    return isSameFile(this.path, this.#database)
  }

  /** Takes back what was written after a position; nothing of it was acknowledged. */
  cutTo({ salt, frames, bytes }: WalPosition): void {
    ftruncateSync(this.#file, frames > 0 && this.#salt === salt ? HEADER_BYTES + bytes : 0)
  }

  /** Puts the log on disk. */
  async sync(isAlone = false): Promise<SyncResult> {
    try {
      if (fstatSync(this.#file).nlink === 0) {
        return { ok: false, reason: 'its write-ahead log was deleted', deleted: true }
      }
      await this.disk(this.#file, isAlone)
      return { ok: true }
    } catch (error) {
      return {
        ok: false,
        reason: `its write-ahead log did not reach the disk (${errorMessage(error)})`,
        deleted: false,
      }
    }
  }

  syncNow(): void {
    fdatasyncSync(this.#file)
  }

  /** Bytes of the file; it stays as long as it ever was while the log starts again from its beginning. */
  get size(): number {
    return fstatSync(this.#file).size
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Identity of the log since its last restart. */
  get #salt(): bigint {
    const header = new Uint8Array(HEADER_BYTES)
    readSync(this.#file, header, 0, HEADER_BYTES, 0)
    return new BigUint64Array(header.buffer)[SALT] ?? 0n
  }
}

function isSameFile(path: string, { ino, dev }: Stats): boolean {
  const now = statSync(path, { throwIfNoEntry: false })
  return now !== undefined && now.ino === ino && now.dev === dev
}
