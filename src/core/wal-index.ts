import { closeSync, openSync, readSync, writeSync } from 'node:fs'

/** How far a write-ahead log reaches: its frames since it last started from its beginning, which has a salt of its own. */
export interface WalPosition {
  readonly salt: string
  readonly frames: number
}

/** The header is there twice, and both begin the file. */
const HEADER_BYTES = 48
const FRAMES_AT = 4
const SALT_AT = 32
const SALT_BYTES = 8

/**
 * The index that the connections of a database share. SQLite locks this file, and closing any descriptor of it would
 * drop those locks: it is closed after the database.
 */
export class WalIndex {
  readonly #file: number
  readonly #header = new Uint8Array(HEADER_BYTES)
  readonly #numbers = new Uint32Array(this.#header.buffer)

  constructor(path: string) {
    this.#file = openSync(`${path}-shm`, 'r+')
  }

  position(): WalPosition {
    readSync(this.#file, this.#header, 0, HEADER_BYTES, 0)
    return {
      salt: Buffer.from(this.#header.buffer, SALT_AT, SALT_BYTES).toString('latin1'),
      frames: this.#numbers[FRAMES_AT] ?? 0,
    }
  }

  /** Makes every connection read the log anew: an index without a header is made again from the log's file. */
  invalidate(): void {
    writeSync(this.#file, new Uint8Array(2 * HEADER_BYTES), 0, 2 * HEADER_BYTES, 0)
  }

  close(): void {
    closeSync(this.#file)
  }
}
