import { closeSync, openSync, readSync, writeSync } from 'node:fs'

/** End of a write-ahead log since its last restart, which has its own salt. */
export interface WalPosition {
  readonly salt: bigint
  readonly frames: number
  /** Size of these frames. */
  readonly bytes: number
}

/** True if nothing was written from one position to the other. */
export const isSamePosition = (one: WalPosition, other: WalPosition): boolean =>
  one.salt === other.salt && one.frames === other.frames

/** Fate of frames written after a position. */
export type Aftermath = 'in the log' | 'in the database' | 'being copied'

/** The header is there twice, and both begin the file; then follows what was copied to the database. */
const HEADER_BYTES = 48
const READ_BYTES = 136
const FRAME_HEADER_BYTES = 24
/** The place of a 16-bit number; in it 1 stands for 65,536. */
const PAGE = 7
/** Places of 32-bit numbers. */
const FRAMES = 4
const COPIED = 24
const COPYING = 32
/** The place of a 64-bit number. */
const SALT = 4

/**
 * The index that the connections of a database share. SQLite locks this file, and closing any descriptor of it would
 * drop those locks: it is closed after the database.
 */
export class WalIndex {
  readonly #file: number
  readonly #header = new Uint8Array(READ_BYTES)
  readonly #pages = new Uint16Array(this.#header.buffer)
  readonly #numbers = new Uint32Array(this.#header.buffer)
  readonly #salts = new BigUint64Array(this.#header.buffer)

  constructor(path: string) {
    this.#file = openSync(`${path}-shm`, 'r+')
  }

  position(): WalPosition {
    this.#read()
    const frames = this.#numbers[FRAMES] ?? 0
    return { salt: this.#salt, frames, bytes: frames * (FRAME_HEADER_BYTES + this.#page) }
  }

  /**
   * True if the frames after a position, of one commit, are in the log alone: a copy to the database may have begun.
   */
  aftermathOf({ salt, frames }: WalPosition): Aftermath {
    this.#read()
    const before = this.#salt === salt ? frames : 0
    if ((this.#numbers[COPIED] ?? 0) > before) return 'in the database'
    return (this.#numbers[COPYING] ?? 0) > before ? 'being copied' : 'in the log'
  }

  /** Makes every connection read the log again: an index without a header is made again from the log's file. */
  invalidate(): void {
    writeSync(this.#file, new Uint8Array(2 * HEADER_BYTES), 0, 2 * HEADER_BYTES, 0)
  }

  #read(): void {
    readSync(this.#file, this.#header, 0, READ_BYTES, 0)
  }

  get #salt(): bigint {
    return this.#salts[SALT] ?? 0n
  }

  get #page(): number {
    const page = this.#pages[PAGE] ?? 0
    return page === 1 ? 65_536 : page
  }

  close(): void {
    closeSync(this.#file)
  }
}
