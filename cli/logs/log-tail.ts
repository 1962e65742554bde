import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** One line of a log, and when it was written; a line without a time belongs to the one before it. */
export interface LogLine {
  readonly at: number
  readonly source: string
  readonly text: string
}

/** A log, and where what was in it goes when it is large. */
export interface LogSource {
  readonly name: string
  readonly path: string
  readonly rotated: string
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/
const NEWLINE = 10

/** Reads a log while another process writes and rotates it, by renaming or by truncating a copy: each line once. */
export class LogTail {
  #inode: number | undefined
  #offset = 0
  #at = 0

  constructor(private readonly source: LogSource) {}

  /** Every line that is kept, or the whole ones in the last so many bytes; what `added` answers comes after these. */
  kept(bytes = Number.POSITIVE_INFINITY): LogLine[] {
    const size = sizeOf(this.source.path)
    const before = readFrom(this.source.rotated, Math.max(0, sizeOf(this.source.rotated) - (bytes - size)))
    this.#offset = Math.max(0, size - bytes)
    const isCut = size + sizeOf(this.source.rotated) > bytes
    return [...this.#parse(before), ...this.added()].slice(isCut ? 1 : 0)
  }

  /** The whole lines that were added since the last call. */
  added(): LogLine[] {
    const found = statSync(this.source.path, { throwIfNoEntry: false })
    if (!found) return []
    const isRotated = this.#inode !== undefined && (found.ino !== this.#inode || found.size < this.#offset)
    const missed = isRotated ? readFrom(this.source.rotated, this.#offset) : undefined
    if (isRotated) this.#offset = 0
    this.#inode = found.ino
    const bytes = readFrom(this.source.path, this.#offset)
    const whole = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1)
    this.#offset += whole.length
    return [...(missed ? this.#parse(missed) : []), ...this.#parse(whole)]
  }

  #parse(bytes: Buffer): LogLine[] {
    const text = bytes.toString().replace(/\n$/, '')
    if (text === '') return []
    return text.split('\n').map((line) => {
      const [time] = TIME.exec(line) ?? []
      if (time !== undefined) this.#at = Date.parse(time) || this.#at
      return { at: this.#at, source: this.source.name, text: line }
    })
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The bytes of a file from an offset on; none when it is shorter or not there. */
function readFrom(path: string, offset: number): Buffer {
  if (!statSync(path, { throwIfNoEntry: false })) return Buffer.alloc(0)
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - offset))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(file)
  }
}
