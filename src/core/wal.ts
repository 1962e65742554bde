import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { errorMessage } from './errors.ts'
import type { WalPosition } from './wal-index.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Puts what was written to a file on disk. */
export type Sync = (file: number) => Promise<void>

const diskSync: Sync = (file) =>
  new Promise((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve())))

/** How a sync ended: on disk, or why it cannot be trusted any more. */
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
    private readonly disk: Sync = diskSync,
  ) {
    this.#file = openSync(`${path}-wal`, 'r+')
    this.#database = statSync(path)
  }

  /** Why what is written would not be found again under the name of the database; undefined while all is in place. */
  displacement(): string | undefined {
    const log = fstatSync(this.#file)
    if (!this.isDatabaseInPlace()) return 'it was moved, deleted or replaced while it was in use'
    if (log.nlink === 0) return 'its write-ahead log was deleted'
    return isSameFile(`${this.path}-wal`, log) ? undefined : 'its write-ahead log was moved or replaced'
  }

  /** Whether the name of the database still leads to the file that was opened. */
  isDatabaseInPlace(): boolean {
    return isSameFile(this.path, this.#database)
  }

  /** Takes back what was written after a position; nothing of it was acknowledged. */
  cutTo({ salt, frames }: WalPosition): void {
    const { generation } = this
    ftruncateSync(this.#file, generation.salt === salt ? generation.offsetOf(frames) : 0)
  }

  /** Puts the log on disk, off the loop. */
  async sync(): Promise<SyncResult> {
    try {
      if (fstatSync(this.#file).nlink === 0) {
        return { ok: false, reason: 'its write-ahead log was deleted', deleted: true }
      }
      await this.disk(this.#file)
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

  /** The log as it is since it last started from its beginning. */
  get generation(): WalGeneration {
    const header = this.#bytes(0, HEADER_BYTES)
    const page = header.readUInt32BE(8)
    return new WalGeneration(header.toString('latin1', 16, 24), page, this, (at) => this.#bytes(at, FRAME_HEADER_BYTES))
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

function isSameFile(path: string, { ino, dev }: Stats): boolean {
  const now = statSync(path, { throwIfNoEntry: false })
  return now !== undefined && now.ino === ino && now.dev === dev
}

/** What was written to a log since it last started from its beginning: its frames are a prefix of the file. */
class WalGeneration {
  readonly #frame: number

  constructor(
    /** Distinguishes generations of the log; each frame carries it. */
    readonly salt: string,
    private readonly page: number,
    private readonly file: { readonly size: number },
    private readonly read: (at: number) => Buffer,
  ) {
    this.#frame = FRAME_HEADER_BYTES + page
  }

  /** Whether at least this many bytes are in use. */
  hasBytes(bytes: number): boolean {
    return this.page > 0 && this.#holds(Math.max(1, Math.ceil(bytes / this.#frame)))
  }

  /** Bytes in use; where they end is found by halving. */
  get bytes(): number {
    if (this.page === 0) return 0
    let some = 0
    let none = Math.floor((this.file.size - HEADER_BYTES) / this.#frame) + 1
    while (none - some > 1) {
      const middle = (some + none) >>> 1
      if (this.#holds(middle)) some = middle
      else none = middle
    }
    return some * this.#frame
  }

  /** Where the frame after so many begins. */
  offsetOf(frames: number): number {
    return frames === 0 ? 0 : HEADER_BYTES + frames * this.#frame
  }

  /** Whether the frame of this number is of this start. */
  #holds(frame: number): boolean {
    return this.read(HEADER_BYTES + (frame - 1) * this.#frame).toString('latin1', 8, 16) === this.salt
  }
}
