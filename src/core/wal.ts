import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, readSync } from 'node:fs'
import { sentence } from './errors.ts'

const HEADER = 32
const FRAME_HEADER = 24

/** Puts what was written to a file on disk. */
export type Sync = (file: number) => Promise<void>

const diskSync: Sync = (file) =>
  new Promise((resolve, reject) => fdatasync(file, (thrown) => (thrown ? reject(thrown) : resolve())))

/** How a sync ended: on disk, or why it cannot be trusted any more. */
export type Synced = { ok: true } | { ok: false; reason: string; deleted: boolean }

/** The write-ahead log of one database, seen through a descriptor of our own: SQLite keeps no locks on this file. */
export class Wal {
  readonly #file: number

  constructor(
    path: string,
    private readonly disk: Sync = diskSync,
  ) {
    this.#file = openSync(`${path}-wal`, 'r+')
  }

  /** Puts the log on disk, off the loop. */
  async sync(): Promise<Synced> {
    try {
      if (fstatSync(this.#file).nlink === 0) {
        return { ok: false, reason: 'its write-ahead log was deleted', deleted: true }
      }
      await this.disk(this.#file)
      return { ok: true }
    } catch (thrown) {
      return { ok: false, reason: `its write-ahead log did not reach the disk (${sentence(thrown)})`, deleted: false }
    }
  }

  syncNow(): void {
    fdatasyncSync(this.#file)
  }

  /** Bytes of the file; it stays as long as it ever was while the log starts again from its beginning. */
  get size(): number {
    return fstatSync(this.#file).size
  }

  /**
   * Bytes in use since the log last started from its beginning, and the salt that tells one such start from another.
   * Frames of this start are a prefix of the file, so its end is found by halving.
   */
  get used(): { bytes: number; salt: string } {
    const header = this.#bytes(0, HEADER)
    const page = header.readUInt32BE(8)
    const salt = header.toString('hex', 16, 24)
    const frame = FRAME_HEADER + page
    if (page === 0) return { bytes: 0, salt }
    let some = 0
    let none = Math.floor((this.size - HEADER) / frame) + 1
    while (none - some > 1) {
      const middle = (some + none) >>> 1
      const at = HEADER + (middle - 1) * frame
      if (this.#bytes(at, FRAME_HEADER).toString('hex', 8, 16) === salt) some = middle
      else none = middle
    }
    return { bytes: some * frame, salt }
  }

  close(): void {
    closeSync(this.#file)
  }

  #bytes(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    readSync(this.#file, bytes, 0, length, at)
    return bytes
  }
}
